#include <flowgraph/ops/sparse/sets.hpp>

#include <flowgraph/ops/math/math.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

namespace {

const auto parts_of_set = [](const auto& y) { return fg::fetch(y.indices, y.values, y.dense_shape); };
// The sets {2, 9} and {3}, in the rows of a matrix.
sparse_value<std::int32_t> two_sets() { return sparse_of<std::int32_t>({0, 0, 0, 1, 1, 0}, {9, 2, 3}, {2, 2}); }
const fg::tensor<std::int32_t> repeated_elements({2, 3}, {1, 2, 2, 5, 4, 3});

}  // namespace

TEST_CASE("unions, intersections and differences of rows contain each element once, in ascending order") {
  const auto all = [](const auto& f) {
    return run_sparse([&](auto sparse, auto dense) { return parts_of_set(f(dense, sparse)); }, two_sets(), repeated_elements);
  };
  const auto [indices, elements, extents] = all([](auto a, auto b) { return fg::set_union(a, b); });
  CHECK(values(indices) == std::vector<std::int64_t>{0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2});
  CHECK(values(elements) == std::vector<std::int32_t>{1, 2, 9, 3, 4, 5});
  CHECK(values(extents) == std::vector<std::int64_t>{2, 3});
  const auto both = all([](auto a, auto b) { return fg::set_intersection(a, b); });
  CHECK(values(std::get<1>(both)) == std::vector<std::int32_t>{2, 3});
  CHECK(values(std::get<2>(both)) == std::vector<std::int64_t>{2, 1});
  const auto rest = all([](auto a, auto b) { return fg::set_difference(a, b); });
  CHECK(values(std::get<0>(rest)) == std::vector<std::int64_t>{0, 0, 1, 0, 1, 1});
  CHECK(values(std::get<1>(rest)) == std::vector<std::int32_t>{1, 4, 5});
}

TEST_CASE("sets of dense tensors, of sparse tensors, and of strings") {
  fg::graph g;
  const auto words = g.constant(fg::tensor<std::string>({1, 2}, {"b", "a"}));
  const auto dense = fg::set_union(words, g.constant(fg::tensor<std::string>({1, 2}, {"c", "a"})));
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(dense.values))) == std::vector<std::string>{"a", "b", "c"});
  const auto [indices, elements, extents] =
      run_sparse([](auto x) { return parts_of_set(fg::set_difference(x, x.with_values(-x.values))); }, two_sets());
  CHECK(values(indices) == std::vector<std::int64_t>{0, 0, 0, 1, 1, 0});
  CHECK(values(elements) == std::vector<std::int32_t>{2, 9, 3});
  CHECK(values(extents) == std::vector<std::int64_t>{2, 2});
}

TEST_CASE("the size of a set counts equal elements once") {
  const auto x = sparse_of<std::int64_t>({0, 0, 0, 2, 2, 1}, {3, 3, 5}, {3, 3});
  CHECK(values(run_sparse([](auto y) { return fg::set_size(y); }, x)) == std::vector<std::int32_t>{1, 0, 1});
}

TEST_CASE("rows of different extents, and places that are outside or not ordered are refused") {
  const auto joined = [](auto sparse, auto dense) { return fg::set_union(dense, sparse).values; };
  const fg::tensor<std::int32_t> one({1, 1}, {1});
  CHECK(refusal_of(joined, two_sets(), one).find("before the last must be equal, found [1] and [2]") != std::string::npos);
  const auto outside = sparse_of<std::int32_t>({0, 0, 2, 0}, {1, 2}, {2, 2});
  CHECK(refusal_of(joined, outside, repeated_elements).find("position [1, 0] must be in [0, 2), found 2") != std::string::npos);
  const auto disordered = sparse_of<std::int32_t>({1, 0, 0, 0}, {1, 2}, {2, 2});
  CHECK(refusal_of(joined, disordered, repeated_elements).find("row-major order") != std::string::npos);
}
