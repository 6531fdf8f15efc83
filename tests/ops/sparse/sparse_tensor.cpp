#include <flowgraph/ops/sparse/sparse_tensor.hpp>
#include <flowgraph/ops/sparse/to_dense.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

TEST_CASE("a sparse placeholder of unknown extents has three parts to feed") {
  fg::graph g;
  const auto x = fg::sparse_placeholder<float>(g, "x", {fg::any, 4});
  CHECK(x.indices.shape() == fg::shape{fg::any, 2});
  CHECK(x.values.shape() == fg::shape{fg::any});
  CHECK(x.dense_shape.shape() == fg::shape{2});
  const auto y = fg::sparse_to_dense(x);
  fg::session s{g};
  const auto m = sparse_of<float>({0, 1, 1, 3}, {5, 6}, {2, 4});
  CHECK(values(s.run(fg::fetch(y), {{x.indices, m.indices}, {x.values, m.values}, {x.dense_shape, m.extents}})) ==
        std::vector<float>{0, 5, 0, 0, 0, 0, 0, 6});
}

TEST_CASE("a sparse placeholder of known extents passes them on to the shapes of results") {
  fg::graph g;
  const auto x = fg::sparse_placeholder<double>(g, "x", {3, 4});
  CHECK(fg::sparse_to_dense(x).shape() == fg::shape{3, 4});
}

TEST_CASE("parts that do not fit each other are refused when the node is added, or in the run") {
  const auto to_dense = [](auto x) { return fg::sparse_to_dense(x); };
  auto x = sparse_matrix();
  x.values = vector<float>({1, 2});
  CHECK(refusal_of(to_dense, x).find("one element per place") != std::string::npos);
  x = sparse_matrix();
  x.extents = vector<std::int64_t>({4, 4, 4});
  CHECK(refusal_of(to_dense, x).find("as many columns of indices") != std::string::npos);
}
