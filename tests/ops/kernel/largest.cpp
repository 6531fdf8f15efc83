#include "levels.hpp"

#include <limits>

using namespace levels;

namespace {

// Each number that is larger than all before it counts; NaN and negative infinity do not.
template <class T> void check_largest(kernel::instruction_set at) {
  const auto largest = kernel::dispatch([]<class L>(L) { return &L::template largest<T>; }, at);
  const T special[] = {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::infinity(), T(0), T(-0.0)};
  for (const std::int64_t n : {1, 3, 8, 16, 37, 64, 77, 130})
    for (const std::int64_t count : {0, 1, 4, 9}) {
      auto x = uniform<T>(static_cast<std::size_t>(n * count + 1), T(-2), T(2), 7);
      for (std::size_t i = 0; i < x.size(); ++i)
        if (i % 3 == 0) x[i] = special[i / 3 % 5];
      std::vector<const T*> rows;
      for (std::int64_t i = 0; i < count; ++i) rows.push_back(x.data() + i * n);
      for (const bool continues : {false, true}) {
        std::vector<T> y = uniform<T>(static_cast<std::size_t>(n), T(-1), T(1), 8), expected = y;
        for (std::int64_t c = 0; c < n; ++c) {
          T& most = expected[static_cast<std::size_t>(c)];
          if (!continues) most = std::numeric_limits<T>::lowest();
          for (const T* row : rows)
            if (row[c] > most) most = row[c];
        }
        largest(rows.data(), count, continues, y.data(), n);
        CHECK(bits_agree(y, expected));
      }
    }
}

}  // namespace

TEST_CASE("the largest element of each channel, at every level") {
  for_each_level([](kernel::instruction_set at) {
    check_largest<float>(at);
    check_largest<double>(at);
  });
}
