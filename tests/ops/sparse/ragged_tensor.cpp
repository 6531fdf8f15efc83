#include <flowgraph/ops/sparse/ragged_tensor.hpp>

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/sparse/ragged_to_dense.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("a ragged tensor keeps its rows if its elements change") {
  fg::graph g;
  const fg::ragged_tensor<float> rows{{g.constant(vector<std::int64_t>({0, 2, 3}))}, g.constant(vector<float>({1, 2, 3}))};
  const auto squares = fg::ragged_to_dense(rows.with_values(fg::square(rows.values)));
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(squares))) == std::vector<float>{1, 4, 9, 0});
}
