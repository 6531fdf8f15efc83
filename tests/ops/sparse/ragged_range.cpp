#include <flowgraph/ops/sparse/ragged_range.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

template <class T> auto try_range(const fg::tensor<T>& starts, const fg::tensor<T>& limits, const fg::tensor<T>& deltas) {
  fg::graph g;
  const auto from = g.placeholder<T>("from", fg::shape::unknown()), to = g.placeholder<T>("to", fg::shape::unknown()),
             by = g.placeholder<T>("by", fg::shape::unknown());
  const auto y = fg::ragged_range(from, to, by);
  fg::session s{g};
  return s.try_run(fg::fetch(y.row_splits[0], y.values), {{from, starts}, {to, limits}, {by, deltas}});
}

}  // namespace

TEST_CASE("each row counts from its start to its limit") {
  const auto [splits, numbers_of_rows] =
      try_range(vector<std::int32_t>({0, 2, 5, 5}), vector<std::int32_t>({3, 2, 1, 9}), vector<std::int32_t>({1, 1, -2, -1}))
          .value();
  CHECK(values(splits) == std::vector<std::int64_t>{0, 3, 3, 5, 5});
  CHECK(values(numbers_of_rows) == std::vector<std::int32_t>{0, 1, 2, 5, 3});
  const auto [from_zero, fractions] =
      try_range(fg::tensor<float>(0.f), vector<float>({1, -0.5f}), vector<float>({0.25f, -0.5f})).value();
  CHECK(values(from_zero) == std::vector<std::int64_t>{0, 4, 5});
  CHECK(values(fractions) == std::vector<float>{0, 0.25f, 0.5f, 0.75f, 0});
}

TEST_CASE("rows that never end, and inputs of different lengths are refused") {
  const auto code = [](const auto& found) {
    REQUIRE_FALSE(found);
    return found.error().code();
  };
  using one = fg::tensor<std::int64_t>;
  const std::int64_t least = std::numeric_limits<std::int64_t>::lowest(), most = std::numeric_limits<std::int64_t>::max();
  CHECK(code(try_range(one(1), one(3), one(0))) == fg::error_code::invalid_argument);
  CHECK(code(try_range(one(least), one(most), one(1))) == fg::error_code::invalid_argument);
  CHECK(code(try_range(vector<std::int64_t>({0, 0}), one(most), one(1))) == fg::error_code::invalid_argument);
  CHECK(code(try_range(vector<std::int64_t>({1, 2}), vector<std::int64_t>({1, 2, 3}), one(1))) ==
        fg::error_code::invalid_argument);
  const fg::tensor<float> infinite(std::numeric_limits<float>::infinity());
  CHECK(code(try_range(fg::tensor<float>(0.f), infinite, fg::tensor<float>(1.f))) == fg::error_code::invalid_argument);
  CHECK(values(std::get<1>(try_range(one(most - 1), one(most), one(5)).value())) == std::vector<std::int64_t>{most - 1});
}
