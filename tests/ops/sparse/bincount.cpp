#include <flowgraph/ops/sparse/bincount.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

auto try_ragged_bincount(const fg::tensor<std::int64_t>& splits, const fg::tensor<std::int32_t>& integers, std::int32_t size,
                         const fg::tensor<float>& weights = fg::tensor<float>({0}), bool binary = false) {
  fg::graph g;
  const auto w = g.placeholder<float>("w", fg::shape::unknown());
  const auto y = fg::apply(fg::ragged_bincount_op{binary}, g.constant(splits), g.constant(integers),
                           g.constant(fg::tensor<std::int32_t>(size)), w);
  fg::session s{g};
  return s.try_run(fg::fetch(y), {{w, weights}});
}

auto try_sparse_bincount(const fg::tensor<std::int64_t>& indices, const fg::tensor<std::int32_t>& integers,
                         const fg::tensor<std::int64_t>& extents, std::int32_t size) {
  fg::graph g;
  const auto at = g.placeholder<std::int64_t>("at", fg::shape::unknown());
  const fg::sparse_tensor<std::int32_t> x{at, g.constant(integers), g.constant(extents)};
  const auto y = fg::sparse_bincount(x, g.constant(fg::tensor<std::int32_t>(size)), g.constant(fg::tensor<float>({0})));
  fg::session s{g};
  return s.try_run(fg::fetch(y), {{at, indices}});
}

const auto counted_integers = vector<std::int32_t>({1, 1, 0, 3, 9});

}  // namespace

TEST_CASE("integers in the rows of a ragged tensor are counted, or their weights are added up") {
  const auto splits = vector<std::int64_t>({0, 2, 2, 5});
  const auto counts = try_ragged_bincount(splits, counted_integers, 4).value();
  CHECK(counts.shape() == fg::shape{3, 4});
  CHECK(values(counts) == std::vector<float>{0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1});
  const auto weights = vector<float>({1, 2, 3, 4, 5});
  CHECK(values(try_ragged_bincount(splits, counted_integers, 4, weights).value()) ==
        std::vector<float>{0, 3, 0, 0, 0, 0, 0, 0, 3, 0, 0, 4});
  CHECK(values(try_ragged_bincount(splits, counted_integers, 4, weights, true).value()) ==
        std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1});
}

TEST_CASE("integers in the rows of a sparse tensor are counted") {
  const fg::tensor<std::int64_t> places({3, 2}, {0, 0, 0, 1, 2, 0});
  const auto counts = try_sparse_bincount(places, vector<std::int32_t>({3, 1, 3}), vector<std::int64_t>({3, 2}), 4).value();
  CHECK(values(counts) == std::vector<float>{0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1});
  const fg::tensor<std::int64_t> line({2, 1}, {0, 5});
  CHECK(values(try_sparse_bincount(line, vector<std::int32_t>({1, 1}), vector<std::int64_t>({6}), 3).value()) ==
        std::vector<float>{0, 2, 0});
}

TEST_CASE("wrong rows, sizes, weights and integers are not counted") {
  constexpr auto wrong = fg::error_code::invalid_argument;
  const auto splits = vector<std::int64_t>({0, 2, 2, 5});
  const auto ragged = [&](const fg::tensor<std::int64_t>& s, std::int32_t size = 4, std::int64_t weights = 0) {
    return try_ragged_bincount(s, counted_integers, size, fg::tensor<float>({weights})).error().code();
  };
  CHECK(ragged(vector<std::int64_t>({1, 5})) == wrong);
  CHECK(ragged(vector<std::int64_t>({0, 4})) == wrong);
  CHECK(ragged(vector<std::int64_t>({0, 9})) == wrong);
  CHECK_THROWS(ragged(fg::tensor<std::int64_t>({0})));
  CHECK_THROWS(ragged(splits, -1));
  CHECK(ragged(splits, 4, 3) == wrong);
  CHECK(try_ragged_bincount(splits, vector<std::int32_t>({1, -1, 0, 3, 9}), 4).error().code() == wrong);
  const auto sparse = [](std::int64_t row, std::int32_t integer) {
    return try_sparse_bincount(fg::tensor<std::int64_t>({1, 2}, {row, 0}), vector<std::int32_t>({integer}),
                               vector<std::int64_t>({3, 2}), 4)
        .error()
        .code();
  };
  CHECK(sparse(3, 1) == wrong);
  CHECK(sparse(-1, 1) == wrong);
  CHECK(sparse(0, -1) == wrong);
}
