#include "levels.hpp"

#include <cmath>
#include <limits>

using namespace levels;

namespace {

using flowgraph::functor::result_finish;

float finished(const result_finish& f, float x, std::int64_t row, std::int64_t column) {
  if (f.shift) x = x - f.shift[column];
  if (f.factor) x = x * f.factor[column];
  if (f.offset) x = x + f.offset[column];
  if (f.other) x = x + f.other[row * f.columns + column];
  if (std::isnan(x) || f.bound == result_finish::limit::none) return x;
  x = x <= 0 ? 0.f : x;
  return f.bound == result_finish::limit::relu6 && x > 6 ? 6.f : x;
}

// Finishes a part of a result of 9 rows, in rows that are in order or in the opposite order, and compares all elements.
void check_part(kernel::instruction_set at, const result_finish& how, std::int64_t first, std::int64_t width, bool in_order) {
  const auto finish = kernel::dispatch([]<class L>(L) { return &L::template finish<float>; }, at);
  constexpr std::int64_t rows = 9;
  const std::int64_t columns = how.columns;
  std::vector<float> y = uniform<float>(static_cast<std::size_t>(rows * columns), -9, 9, 7);
  y[0] = -0.f;
  y[1] = std::numeric_limits<float>::infinity();
  std::vector<float> expected = y;
  for (std::int64_t row = 2; row < rows; ++row)
    for (std::int64_t c = first; c < first + width; ++c) {
      float& x = expected[static_cast<std::size_t>(row * columns + c)];
      x = finished(how, x, row, c);
    }
  std::vector<std::int64_t> targets;
  for (std::int64_t row = rows; row-- > 2;) targets.push_back(row * columns);
  result_finish f = how;
  f.result = y.data();
  if (in_order) finish(f, {y.data() + 2 * columns + first, nullptr, columns, rows - 2, width});
  else finish(f, {y.data() + first, targets.data(), 0, rows - 2, width});
  CHECK(bits_agree(y, expected));
}

}  // namespace

TEST_CASE("kernels: parts of a result are finished alike at every level") {
  for_each_level([](kernel::instruction_set at) {
    for (const std::int64_t columns : {3, 16, 33, 70}) {
      CAPTURE(columns);
      const auto of_columns = [&](unsigned seed) { return uniform<float>(static_cast<std::size_t>(columns), -3, 3, seed); };
      const auto shift = of_columns(1), factor = of_columns(2), offset = of_columns(3);
      const auto other = uniform<float>(static_cast<std::size_t>(9 * columns), -3, 3, 4);
      for (unsigned used = 0; used < 16; ++used)
        for (const auto bound : {result_finish::limit::none, result_finish::limit::relu, result_finish::limit::relu6}) {
          CAPTURE(used);
          const result_finish f{nullptr,
                                columns,
                                used & 1 ? shift.data() : nullptr,
                                used & 2 ? factor.data() : nullptr,
                                used & 4 ? offset.data() : nullptr,
                                used & 8 ? other.data() : nullptr,
                                bound};
          check_part(at, f, 0, columns, true);
          check_part(at, f, columns / 3, columns - columns / 3 - 1, false);
        }
    }
  });
}
