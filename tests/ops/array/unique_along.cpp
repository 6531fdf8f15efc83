#include <flowgraph/ops/array/unique_along.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("different elements and how many of each") {
  fg::graph g;
  const auto u = fg::unique_with_counts(g.constant(vector<std::string>({"b", "a", "b", "b"})));
  fg::session s{g};
  const auto [v, i, n] = s.run(fg::fetch(u.values, u.index, u.count));
  CHECK(std::vector<std::string>(v.begin(), v.end()) == std::vector<std::string>{"b", "a"});
  CHECK(values(i) == std::vector<std::int32_t>{0, 1, 0, 0});
  CHECK(values(n) == std::vector<std::int32_t>{3, 1});
}

TEST_CASE("different slices along either axis") {
  const auto along = [](const fg::tensor<float>& x, std::int64_t axis) {
    fg::graph g;
    const auto [y, index] = fg::apply_as<float, std::int64_t, std::int32_t>({}, fg::unique_v2_op{}, g.constant(x),
                                                                            g.constant(vector<std::int64_t>({axis})));
    fg::session s{g};
    const auto [v, i] = s.run(fg::fetch(y, index));
    return std::pair(v, values(i));
  };
  const fg::tensor<float> x({3, 4}, {1, 0, 1, 1, 2, 0, 2, 2, 1, 0, 1, 1});
  const auto [rows, row_of] = along(x, 0);
  CHECK(rows.shape() == fg::shape{2, 4});
  CHECK(row_of == std::vector<std::int32_t>{0, 1, 0});
  const auto [columns, column_of] = along(x, -1);
  REQUIRE(columns.shape() == fg::shape{3, 2});
  CHECK(values(columns) == std::vector<float>{1, 0, 2, 0, 1, 0});
  CHECK(column_of == std::vector<std::int32_t>{0, 1, 0, 0});
}
