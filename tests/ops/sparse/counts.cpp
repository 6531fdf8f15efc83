#include <flowgraph/ops/sparse/counts.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

// The parts of a sparse tensor of counts.
struct found_counts {
  std::vector<std::int64_t> indices;
  std::vector<float> elements;
  std::vector<std::int64_t> extents;
  bool operator==(const found_counts&) const = default;
};

// Counts what `input` makes of a graph.
template <class F>
fg::result<found_counts> try_counts(F input, const fg::tensor<float>& weights, fg::count_options options = {}) {
  fg::graph g;
  const auto w = g.placeholder<float>("w", fg::shape::unknown());
  const fg::sparse_tensor<float> y = fg::sparse_counts(input(g), w, options);
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(y.indices, y.values, y.dense_shape), {{w, weights}});
  if (!made) return made.error();
  const auto& [indices, elements, extents] = *made;
  return found_counts{values(indices), values(elements), values(extents)};
}
auto dense_integers(const fg::tensor<std::int64_t>& x) {
  return [x](fg::graph& g) { return g.constant(x); };
}
auto sparse_integers(std::vector<std::int64_t> rows, const fg::tensor<std::int64_t>& x, const fg::tensor<std::int64_t>& extents) {
  return [=](fg::graph& g) {
    fg::tensor<std::int64_t> places({static_cast<std::int64_t>(rows.size()), 2});
    for (std::size_t i = 0; i < rows.size(); ++i) places.writable()[2 * i] = rows[i];
    return fg::sparse_tensor<std::int64_t>{g.constant(places), g.constant(x), g.constant(extents)};
  };
}
auto ragged_integers(const fg::tensor<std::int64_t>& splits, const fg::tensor<std::int64_t>& x) {
  return [=](fg::graph& g) { return fg::ragged_tensor<std::int64_t>{{g.constant(splits)}, g.constant(x)}; };
}

const fg::tensor<float> once({0});
const auto four_integers = vector<std::int64_t>({3, 1, 3, 0});

}  // namespace

TEST_CASE("integers of a vector and of the rows of a matrix are counted in ascending order") {
  CHECK(try_counts(dense_integers(four_integers), once).value() == found_counts{{0, 1, 3}, {1, 1, 2}, {4}});
  const auto matrix = four_integers.reshaped({2, 2});
  CHECK(try_counts(dense_integers(matrix), once).value() == found_counts{{0, 1, 0, 3, 1, 0, 1, 3}, {1, 1, 1, 1}, {2, 4}});
  CHECK(try_counts(dense_integers(four_integers), vector<float>({1, 2, 3, 4.5f})).value() ==
        found_counts{{0, 1, 3}, {4.5f, 2, 4}, {4}});
  CHECK(try_counts(dense_integers(fg::tensor<std::int64_t>({0})), once).value() == found_counts{{}, {}, {1}});
}

TEST_CASE("the last extent follows the lengths, and integers above it are ignored") {
  const auto with = [](fg::count_options o) { return try_counts(dense_integers(four_integers), once, o).value(); };
  CHECK(with({.minlength = 6}) == found_counts{{0, 1, 3}, {1, 1, 2}, {6}});
  CHECK(with({.minlength = 2}) == found_counts{{0, 1, 3}, {1, 1, 2}, {4}});
  CHECK(with({.minlength = 3, .maxlength = 2}) == found_counts{{0, 1}, {1, 1}, {2}});
  CHECK(with({.maxlength = 0}) == found_counts{{}, {}, {0}});
  CHECK(with({.binary_output = true}) == found_counts{{0, 1, 3}, {1, 1, 1}, {4}});
}

TEST_CASE("rows of sparse and ragged tensors are counted") {
  const auto extents = vector<std::int64_t>({4, 2});
  CHECK(try_counts(sparse_integers({2, 0, 2, 0}, four_integers, extents), vector<float>({1, 2, 3, 4})).value() ==
        found_counts{{0, 0, 0, 1, 2, 3}, {4, 2, 4}, {4, 4}});
  const auto ragged = ragged_integers(vector<std::int64_t>({0, 2, 2, 4}), four_integers);
  CHECK(try_counts(ragged, once).value() == found_counts{{0, 1, 0, 3, 2, 0, 2, 3}, {1, 1, 1, 1}, {3, 4}});
}

TEST_CASE("counts refuse wrong rows, weights, lengths and integers") {
  constexpr auto wrong = fg::error_code::invalid_argument;
  const auto dense = [](const fg::tensor<std::int64_t>& x, std::int64_t weights = 0) {
    return try_counts(dense_integers(x), fg::tensor<float>({weights})).error().code();
  };
  CHECK(dense(vector<std::int64_t>({1, -1})) == wrong);
  CHECK(dense(vector<std::int64_t>({std::numeric_limits<std::int64_t>::max()})) == wrong);
  CHECK_THROWS(dense(fg::tensor<std::int64_t>(3)));
  CHECK_THROWS(dense(fg::tensor<std::int64_t>({0, 2})));
  CHECK(dense(four_integers, 3) == wrong);
  const auto extents = vector<std::int64_t>({4, 2});
  CHECK(try_counts(sparse_integers({4, 0, 0, 0}, four_integers, extents), once).error().code() == wrong);
  CHECK(try_counts(sparse_integers({}, fg::tensor<std::int64_t>({0}), vector<std::int64_t>({0, 2})), once).error().code() ==
        wrong);
  for (const auto& splits : {vector<std::int64_t>({0}), vector<std::int64_t>({1, 4}), vector<std::int64_t>({0, 5})})
    CHECK(try_counts(ragged_integers(splits, four_integers), once).error().code() == wrong);
}
