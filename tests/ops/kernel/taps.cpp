#include "levels.hpp"

using namespace levels;

namespace {

template <class T> void check_taps(kernel::instruction_set at) {
  const auto taps = kernel::dispatch([]<class L>(L) { return &L::template taps<T>; }, at);
  for (const std::int64_t channels : {1, 3, 16, 32, 77})
    for (const std::int64_t pixels : {1, 3, 4, 9})
      for (const std::int64_t count : {0, 1, 9}) {
        const std::int64_t a_step = 2 * channels, y_step = channels + 1, room = a_step * pixels + channels;
        const auto x = uniform<T>(static_cast<std::size_t>(room + count * channels), T(-2), T(2), 3);
        const auto f = uniform<T>(static_cast<std::size_t>(channels * count), T(-2), T(2), 4);
        std::vector<const T*> a, b;
        for (std::int64_t tap = 0; tap < count; ++tap) {
          a.push_back(x.data() + tap * channels);
          b.push_back(f.data() + tap * channels);
        }
        for (const bool accumulate : {false, true}) {
          std::vector<T> y = uniform<T>(static_cast<std::size_t>(y_step * pixels), T(-1), T(1), 5), expected = y;
          for (std::int64_t p = 0; p < pixels; ++p)
            for (std::int64_t c = 0; c < channels; ++c) {
              T& sum = expected[static_cast<std::size_t>(p * y_step + c)];
              if (!accumulate) sum = 0;
              for (std::int64_t tap = 0; tap < count; ++tap) {
                const T product = a[static_cast<std::size_t>(tap)][p * a_step + c] * b[static_cast<std::size_t>(tap)][c];
                sum = sum + product;
              }
            }
          taps({count, pixels, channels, a_step, y_step, accumulate}, a.data(), b.data(), y.data());
          CHECK(bits_agree(y, expected));
        }
      }
}

template <class T> void check_slopes(kernel::instruction_set at) {
  const auto slopes = kernel::dispatch([]<class L>(L) { return &L::template tap_slopes<T>; }, at);
  for (const std::int64_t channels : {1, 3, 7, 8, 17, 33, 64})
    for (const std::int64_t pixels : {1, 2, 9})
      for (const std::int64_t count : {1, 2, 3, 5, 7}) {
        const std::int64_t x_step = 2 * channels, d_step = channels + 1;
        const auto x = uniform<T>(static_cast<std::size_t>((count + 2 * pixels) * channels), T(-2), T(2), 3);
        const auto d = uniform<T>(static_cast<std::size_t>(d_step * pixels), T(-2), T(2), 4);
        std::vector<T> y = uniform<T>(static_cast<std::size_t>(channels * count), T(-1), T(1), 5), expected = y;
        std::vector<const T*> from;
        std::vector<T*> to;
        for (std::int64_t tap = 0; tap < count; ++tap) {
          from.push_back(x.data() + tap * channels);
          to.push_back(y.data() + tap * channels);
        }
        for (std::int64_t tap = 0; tap < count; ++tap)
          for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t p = 0; p < pixels; ++p) {
              const T product = from[static_cast<std::size_t>(tap)][p * x_step + c] * d[static_cast<std::size_t>(p * d_step + c)];
              T& sum = expected[static_cast<std::size_t>(tap * channels + c)];
              sum = sum + product;
            }
        slopes({count, pixels, channels, x_step, d_step}, from.data(), d.data(), to.data());
        CHECK(bits_agree(y, expected));
      }
}

}  // namespace

TEST_CASE("taps are summed in order, with the bits of plain sums at every level") {
  for_each_level([](kernel::instruction_set at) {
    check_taps<float>(at);
    check_taps<double>(at);
  });
}

TEST_CASE("slopes of taps are summed pixel by pixel, with the bits of plain sums at every level") {
  for_each_level([](kernel::instruction_set at) {
    check_slopes<float>(at);
    check_slopes<double>(at);
  });
}
