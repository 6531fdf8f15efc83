#include <flowgraph/ops/sparse/ragged_to_sparse.hpp>

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

auto try_places(const std::vector<fg::tensor<std::int64_t>>& splits, const fg::tensor<float>& elements) {
  fg::graph g;
  fg::ragged_tensor<float> rows{{}, g.placeholder<float>("values", fg::shape::unknown())};
  for (const auto& s : splits) rows.row_splits.push_back(g.constant(s));
  const auto y = fg::ragged_to_sparse(rows);
  fg::session s{g};
  return s.try_run(fg::fetch(y.indices, y.values, y.dense_shape), {{rows.values, elements}});
}

}  // namespace

TEST_CASE("elements keep their positions in their rows") {
  const auto [indices, elements, extents] =
      try_places({vector<std::int64_t>({0, 2, 3}), vector<std::int64_t>({0, 2, 2, 4})}, vector<float>({1, 2, 3, 4})).value();
  CHECK(values(indices) == std::vector<std::int64_t>{0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1});
  CHECK(values(elements) == std::vector<float>{1, 2, 3, 4});
  CHECK(values(extents) == std::vector<std::int64_t>{2, 2, 2});
  const auto of_rows = try_places({vector<std::int64_t>({0, 0, 1})}, fg::tensor<float>({1, 2}, {5, 6})).value();
  CHECK(values(std::get<0>(of_rows)) == std::vector<std::int64_t>{1, 0, 0, 1, 0, 1});
}

TEST_CASE("the gradient has the shape of the values") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  const auto y = fg::ragged_to_sparse(fg::ragged_tensor<float>{{g.constant(vector<std::int64_t>({0, 2}))}, x});
  fg::session s{g};
  const auto slope = s.run(fg::fetch(fg::out<float>(fg::gradients(fg::sum(fg::square(y.values)), x))));
  CHECK(slope.shape() == fg::shape{2, 2});
  CHECK(values(slope) == std::vector<float>{2, 4, 6, 8});
}

TEST_CASE("splits that do not fit the next splits or the values are refused") {
  const auto refusal = [](const std::vector<fg::tensor<std::int64_t>>& splits) {
    const auto found = try_places(splits, vector<float>({1, 2}));
    REQUIRE_FALSE(found);
    CHECK(found.error().code() == fg::error_code::invalid_argument);
    return std::string(found.error().what());
  };
  CHECK(refusal({vector<std::int64_t>({0, 1})}).find("number of values, 2, found 1") != std::string::npos);
  CHECK(refusal({vector<std::int64_t>({0, 2}), vector<std::int64_t>({0, 2})}).find("must end with 1") != std::string::npos);
  CHECK(refusal({vector<std::int64_t>({0, 3, 2})}).find("3 before 2") != std::string::npos);
}
