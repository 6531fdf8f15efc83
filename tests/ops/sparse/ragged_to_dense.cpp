#include <flowgraph/ops/sparse/ragged_to_dense.hpp>

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

// Runs RaggedTensorToTensor with partitions of the given types.
auto try_dense(const fg::tensor<float>& values, const std::vector<fg::tensor<std::int64_t>>& partitions,
               std::vector<std::string> types, const fg::tensor<std::int64_t>& extents,
               const fg::tensor<float>& default_value = fg::tensor<float>(0.f)) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown());
  fg::out_list<std::int64_t> parts;
  for (const auto& p : partitions) parts.push_back(g.constant(p));
  const auto y =
      fg::apply(fg::ragged_tensor_to_tensor_op{std::move(types)}, g.constant(extents), x, g.constant(default_value), parts);
  fg::session s{g};
  return s.try_run(fg::fetch(y), {{x, values}});
}
fg::tensor<float> count_to(std::int64_t n) {
  fg::tensor<float> t({n});
  float next = 0;
  for (float& e : t.writable()) e = ++next;
  return t;
}
std::string dense_refusal(const std::vector<fg::tensor<std::int64_t>>& partitions, std::vector<std::string> types,
                          const fg::tensor<std::int64_t>& extents = fg::tensor<std::int64_t>(-1)) {
  const auto found = try_dense(count_to(7), partitions, std::move(types), extents);
  REQUIRE_FALSE(found);
  CHECK(found.error().code() == fg::error_code::invalid_argument);
  return found.error().what();
}

const auto splits_of_seven = vector<std::int64_t>({0, 2, 2, 7});

}  // namespace

TEST_CASE("rows are filled up to the longest row, or filled and cut to a given width") {
  const auto widest = try_dense(count_to(7), {splits_of_seven}, {"ROW_SPLITS"}, fg::tensor<std::int64_t>(-1)).value();
  CHECK(widest.shape() == fg::shape{3, 5});
  CHECK(values(widest) == std::vector<float>{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 4, 5, 6, 7});
  const auto cut = try_dense(count_to(7), {splits_of_seven}, {"ROW_SPLITS"}, vector<std::int64_t>({2, 1})).value();
  CHECK(values(cut) == std::vector<float>{1, 0});
  const auto more =
      try_dense(count_to(7), {splits_of_seven}, {"ROW_SPLITS"}, vector<std::int64_t>({4, 2}), fg::tensor<float>(9.f));
  CHECK(values(more.value()) == std::vector<float>{1, 2, 9, 9, 3, 4, 9, 9});
}

TEST_CASE("rows of values and nested splits describe the same tensor") {
  const auto rows = try_dense(count_to(7), {fg::tensor<std::int64_t>(4), vector<std::int64_t>({0, 0, 2, 2, 2, 3, 3})},
                              {"FIRST_DIM_SIZE", "VALUE_ROWIDS"}, fg::tensor<std::int64_t>(-1));
  CHECK(values(rows.value()) == std::vector<float>{1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 7, 0});
  const auto nested = try_dense(count_to(7), {vector<std::int64_t>({0, 2, 3}), splits_of_seven}, {"ROW_SPLITS", "ROW_SPLITS"},
                                vector<std::int64_t>({-1, 1, 3}));
  CHECK(nested.value().shape() == fg::shape{2, 1, 3});
  CHECK(values(nested.value()) == std::vector<float>{1, 2, 0, 3, 4, 5});
  const auto ids = try_dense(
      count_to(7), {fg::tensor<std::int64_t>(2), vector<std::int64_t>({0, 0, 1}), vector<std::int64_t>({0, 0, 2, 2, 2, 2, 2})},
      {"FIRST_DIM_SIZE", "VALUE_ROWIDS", "VALUE_ROWIDS"}, vector<std::int64_t>({-1, 1, 3}));
  CHECK(values(ids.value()) == values(nested.value()));
}

TEST_CASE("values may be rows, with a default value for each column") {
  const auto found = try_dense(count_to(8).reshaped({4, 2}), {vector<std::int64_t>({0, 1, 1, 4})}, {"ROW_SPLITS"},
                               vector<std::int64_t>({-1, 2, -1}), vector<float>({7, 8}));
  CHECK(found.value().shape() == fg::shape{3, 2, 2});
  CHECK(values(found.value()) == std::vector<float>{1, 2, 7, 8, 7, 8, 7, 8, 3, 4, 5, 6});
}

TEST_CASE("a default value must fit the first and the last axes of a value, as in TensorFlow") {
  const auto code = [](const fg::shape& values_shape, const fg::tensor<float>& default_value) {
    return try_dense(count_to(values_shape.size()).reshaped(values_shape), {vector<std::int64_t>({0, 2})}, {"ROW_SPLITS"},
                     fg::tensor<std::int64_t>(-1), default_value)
        .error()
        .code();
  };
  CHECK(code({2, 2, 3}, vector<float>({1, 2, 3})) == fg::error_code::invalid_argument);
  CHECK(code({2, 3, 2}, vector<float>({1, 2, 3})) == fg::error_code::invalid_argument);
  CHECK(code({2, 3}, fg::tensor<float>({1, 3}, {1, 2, 3})) == fg::error_code::invalid_argument);
}

TEST_CASE("gradients go to the values that the rows keep, and to the default value") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", fg::shape::unknown()), d = g.placeholder<float>("d", fg::shape::unknown());
  const fg::ragged_tensor<float> rows{{g.constant(vector<std::int64_t>({0, 1, 1, 4}))}, x};
  const auto y = fg::ragged_to_dense(rows, d, {-1, 2, -1});
  const auto slopes = fg::gradients(fg::sum(fg::square(y)), x, d);
  fg::session s{g};
  const auto [dx, dd] =
      s.run(fg::fetch(std::get<0>(slopes), std::get<1>(slopes)), {{x, count_to(8).reshaped({4, 2})}, {d, vector<float>({7, 8})}});
  CHECK(values(dx) == std::vector<float>{2, 4, 6, 8, 10, 12, 0, 0});
  CHECK(values(dd) == std::vector<float>{42, 48});
}

TEST_CASE("partitions that describe no rows are refused") {
  CHECK(dense_refusal({vector<std::int64_t>({0, 2, 2, 9})}, {"ROW_SPLITS"}).find("describe 9 values, found 7") !=
        std::string::npos);
  CHECK(dense_refusal({vector<std::int64_t>({1, 2, 2, 7})}, {"ROW_SPLITS"}).find("begin with 0") != std::string::npos);
  CHECK(dense_refusal({vector<std::int64_t>({0, 3, 2, 7})}, {"ROW_SPLITS"}).find("3 before 2") != std::string::npos);
  CHECK(dense_refusal({vector<std::int64_t>({})}, {"ROW_SPLITS"}).find("at least one element") != std::string::npos);
  CHECK(
      dense_refusal({fg::tensor<std::int64_t>(-2)}, {"FIRST_DIM_SIZE"}, vector<std::int64_t>({-1})).find("negative, found -2") !=
      std::string::npos);
  CHECK(dense_refusal({fg::tensor<std::int64_t>(2), vector<std::int64_t>({0, 2})}, {"FIRST_DIM_SIZE", "VALUE_ROWIDS"})
            .find("in [0, 2), found 2") != std::string::npos);
  CHECK(dense_refusal({fg::tensor<std::int64_t>(2), vector<std::int64_t>({1, 0})}, {"FIRST_DIM_SIZE", "VALUE_ROWIDS"})
            .find("1 before 0") != std::string::npos);
  CHECK_THROWS(dense_refusal({vector<std::int64_t>({2, 5})}, {"ROW_LENGTHS"}));
  CHECK(dense_refusal({splits_of_seven}, {"ROW_SPLITS"}, vector<std::int64_t>({-1})).find("found 1 for 2 axes") !=
        std::string::npos);
  CHECK(dense_refusal({splits_of_seven}, {"ROW_SPLITS"}, fg::tensor<std::int64_t>(3)).find("must be -1, found 3") !=
        std::string::npos);
}
