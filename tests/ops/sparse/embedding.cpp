#include <flowgraph/ops/sparse/embedding.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

namespace {

// Row r of the table is {10 r, 1}.
const fg::tensor<float> table({4, 2}, {0, 1, 10, 1, 20, 1, 30, 1});
const sparse_value<std::int64_t> ids = sparse_of<std::int64_t>({0, 0, 0, 1, 2, 0}, {3, 1, 2}, {4, 2});

}  // namespace

TEST_CASE("the rows of each line of ids are combined, and lines without ids are zeros") {
  const auto sums = run_sparse([](auto x, auto t) { return fg::embedding_lookup_sparse(t, x, fg::combiner::sum); }, ids, table);
  CHECK(sums.shape() == fg::shape{3, 2});
  CHECK(values(sums) == std::vector<float>{40, 2, 0, 0, 20, 1});
  CHECK(values(run_sparse([](auto x, auto t) { return fg::embedding_lookup_sparse(t, x); }, ids, table)) ==
        std::vector<float>{20, 1, 0, 0, 20, 1});
}

TEST_CASE("weights count in the sum, and in the divisor") {
  const auto weighted = [](fg::combiner how) {
    return [=](auto x, auto t, auto w) { return fg::embedding_lookup_sparse(fg::out_list<float>{t}, x, x.with_values(w), how); };
  };
  const auto weights = vector<float>({3, 4, 2});
  CHECK(values(run_sparse(weighted(fg::combiner::sum), ids, table, weights)) == std::vector<float>{130, 7, 0, 0, 40, 2});
  CHECK(values(run_sparse(weighted(fg::combiner::sqrt_n), ids, table, weights)) ==
        std::vector<float>{130.f / 5, 7.f / 5, 0, 0, 20, 1});
}

TEST_CASE("the gradient of the table names the rows of the ids alone") {
  fg::graph g;
  const auto t = g.variable("table", table);
  const auto x = fg::sparse_placeholder<std::int64_t>(g, "x", {fg::any, fg::any});
  const auto slope = fg::gradients(fg::sum(fg::embedding_lookup_sparse(t, x, fg::combiner::sum)), t);
  REQUIRE(slope.is_slices());
  fg::session s{g};
  s.initialize();
  const auto [rows, parts] =
      s.run(fg::fetch(slope.slices().indices, slope.slices().values), {{x.indices, ids.indices}, {x.values, ids.values}});
  CHECK(values(rows) == std::vector<std::int64_t>{3, 1, 2});
  CHECK(values(parts) == std::vector<float>(6, 1.f));
}
