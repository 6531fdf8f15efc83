#include "levels.hpp"

#include <cmath>
#include <limits>

using namespace levels;

namespace {

struct layout {
  std::int64_t rows, columns, run, runs, step, first_row, row_depth;
};

// A gathered product, and the product of a copy of its left matrix.
template <class T> struct gathered_product {
  layout l;
  std::int64_t entries = (l.first_row + l.rows - 1) / l.row_depth + 1, ldb = l.columns + 3;
  std::vector<std::int64_t> places, lengths, targets;
  std::vector<T> a, b, copy;

  gathered_product(const layout& with, bool even_runs, double scale, unsigned seed) : l(with) {
    std::mt19937 generator(seed);
    a = uniform<T>(5000, T(-scale), T(scale), seed);
    std::int64_t k = 0;
    for (std::int64_t r = 0; r < l.runs; ++r) {
      lengths.push_back(even_runs ? l.run : 1 + static_cast<std::int64_t>(generator() % static_cast<unsigned>(l.run)));
      k += lengths.back();
      const bool outside = generator() % 4 == 0;  // in all rows
      for (std::int64_t e = 0; e < entries; ++e)
        places.push_back(outside || generator() % 5 == 0 ? kernel::gathered_shape::zero
                                                         : static_cast<std::int64_t>(generator() % 3000));
    }
    b = uniform<T>(static_cast<std::size_t>(k * ldb), T(-scale), T(scale), seed + 1);
    for (std::int64_t i = 0; i < l.rows; ++i) {
      targets.push_back((l.rows - 1 - i) * (l.columns + 2));
      for (std::int64_t r = 0; r < l.runs; ++r) {
        const std::int64_t place = places[static_cast<std::size_t>(r * entries + (l.first_row + i) / l.row_depth)];
        for (std::int64_t q = 0; q < lengths[static_cast<std::size_t>(r)]; ++q)
          copy.push_back(place < 0 ? T(0) : a[static_cast<std::size_t>(place + (l.first_row + i) % l.row_depth + q * l.step)]);
      }
    }
  }

  void check(kernel::instruction_set at, bool transpose_b, bool accumulate, bool skip_zeros, bool even_runs) {
    const std::int64_t k = length(copy.size()) / l.rows, ldc = l.columns + 2;
    std::vector<T> right = b;
    std::int64_t step = ldb;
    if (transpose_b) {
      step = k + 1;
      right.assign(static_cast<std::size_t>(l.columns * step), T(0));
      for (std::int64_t p = 0; p < k; ++p)
        for (std::int64_t j = 0; j < l.columns; ++j)
          right[static_cast<std::size_t>(j * step + p)] = b[static_cast<std::size_t>(p * ldb + j)];
    }
    const kernel::product_shape plain{l.rows, l.columns, k, k, step, ldc, false, transpose_b, accumulate};
    const auto room = kernel::dispatch([]<class L>(L) { return &L::template product_scratch<T>; }, at)(plain);
    std::vector<T> scratch(static_cast<std::size_t>(room) + 1, T(-77)), border(static_cast<std::size_t>(l.run * l.step), T(0));
    std::vector<T> expected = uniform<T>(static_cast<std::size_t>(l.rows * ldc), T(-1), T(1), 9), c = expected, turned = expected;
    for (std::int64_t i = 0; i < l.rows; ++i)  // rows of c are in the opposite order
      for (std::int64_t j = 0; j < ldc; ++j)
        turned[static_cast<std::size_t>(i * ldc + j)] = c[static_cast<std::size_t>((l.rows - 1 - i) * ldc + j)];
    kernel::dispatch([]<class L>(L) { return &L::template product<T>; }, at)(plain, copy.data(), right.data(), turned.data(),
                                                                             scratch.data());
    for (std::int64_t i = 0; i < l.rows; ++i)
      for (std::int64_t j = 0; j < ldc; ++j)
        expected[static_cast<std::size_t>((l.rows - 1 - i) * ldc + j)] = turned[static_cast<std::size_t>(i * ldc + j)];
    kernel::dispatch([]<class L>(L) { return &L::template gathered_product<T>; }, at)(
        {l.rows, l.columns, k, l.run, entries, l.step, l.first_row, l.row_depth, places.data(),
         even_runs ? nullptr : lengths.data(), targets.data(), step, transpose_b, accumulate, skip_zeros},
        a.data(), border.data(), right.data(), c.data(), scratch.data());
    CHECK(scratch.back() == T(-77));
    CHECK(bits_agree(c, expected));
  }
};

template <class T> void check_gathered(kernel::instruction_set at) {
  const layout layouts[] = {{1, 5, 7, 1, 1, 0, 1},    {12, 32, 8, 9, 1, 0, 1},  {25, 33, 33, 25, 1, 0, 1},
                            {31, 64, 3, 40, 1, 0, 1}, {40, 7, 28, 30, 5, 0, 1}, {50, 40, 14, 40, 8, 3, 8},
                            {29, 17, 5, 20, 3, 1, 3}, {49, 1, 300, 2, 1, 0, 1}, {70, 33, 14, 20, 32, 5, 32}};
  for (const layout& l : layouts)
    for (const bool even : {true, false})
      for (const bool skip : {false, true}) {
        // Products of tiny numbers vanish, and leave zeros of either sign.
        for (const double scale : {1.0, std::is_same_v<T, float> ? 1e-30 : 1e-200}) {
          CAPTURE(l.rows);
          CAPTURE(l.columns);
          CAPTURE(scale);
          gathered_product<T> e(l, even, scale, static_cast<unsigned>(l.rows));
          e.check(at, false, false, skip, even);
          e.check(at, true, false, skip, even);
          e.check(at, false, true, skip, even);
        }
      }
}

}  // namespace

TEST_CASE("a gathered product has the bits of the product of a copy at every level") {
  for_each_level([](kernel::instruction_set at) {
    check_gathered<float>(at);
    check_gathered<double>(at);
  });
}
