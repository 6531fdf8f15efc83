#include <flowgraph/ops/array/gather.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

// The gradient of sum(gather(params, indices, axis, batch_dims) * weights) by hand: every weight goes to the element it met.
fg::tensor<float> gathered_slope(const fg::tensor<float>& params, const fg::tensor<std::int32_t>& indices, int axis,
                                 std::int64_t batch, bool axis_in_run) {
  fg::graph g;
  auto p = g.constant(params);
  auto i = g.constant(indices);
  auto a = g.placeholder<std::int32_t>("axis", {});
  auto at = axis_in_run ? a : g.constant(std::int32_t{axis});
  auto y = fg::apply(fg::gather_v2_op{batch}, p, i, at);
  auto weights = fg::reshape(fg::cast<float>(fg::range(g.constant(0), fg::size_of(y), g.constant(1))), fg::shape_of(y));
  fg::out<float> slope = fg::gradients(fg::sum(y * weights), p);
  fg::session s{g};
  return s.run(fg::fetch(slope), {{a, std::int32_t{axis}}});
}

}  // namespace

TEST_CASE("rows are picked along any axis, in batches too") {
  const auto x = counting<float>({2, 3, 4});
  const auto i = vector<std::int32_t>({2, 0, 2});
  CHECK(values(evaluate([](auto a, auto k) { return fg::gather(a, k, 1); }, counting<float>({2, 3}), i)) ==
        std::vector<float>{3, 1, 3, 6, 4, 6});
  CHECK(evaluate([](auto a, auto k) { return fg::gather(a, k, -1); }, x, i)(1, 2, 0) == x(1, 2, 2));
  const fg::tensor<std::int32_t> pairs({2, 2}, {0, 1, 3, 2});
  const auto y = evaluate(
      [](auto a, auto k) {
        return fg::apply(fg::gather_v2_op{1}, a, k, fg::detail::constant_beside(a, fg::tensor<std::int32_t>(2)));
      },
      x, pairs);
  REQUIRE(y.shape() == fg::shape{2, 3, 2});
  CHECK(y(0, 2, 1) == x(0, 2, 1));
  CHECK(y(1, 0, 0) == x(1, 0, 3));
  CHECK(evaluate([](auto a, auto k) { return fg::gather(a, k); }, x, fg::tensor<std::int32_t>({2, 0})).shape() ==
        fg::shape{2, 0, 3, 4});
}

TEST_CASE("an index out of range is named, and nothing is read") {
  fg::graph g;
  auto x = g.placeholder<std::string>("x", {fg::any});
  auto i = g.placeholder<std::int64_t>("i", {fg::any});
  auto y = fg::gather(x, i);
  fg::session s{g};
  const fg::tensor<std::string> words({2}, {"a", "b"});
  CHECK(s.run(fg::fetch(y), {{x, words}, {i, vector<std::int64_t>({1, 0, 1})}})[2] == "b");
  for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{2}}) {
    const auto run = s.try_run(fg::fetch(y), {{x, words}, {i, vector<std::int64_t>({0, wrong})}});
    REQUIRE_FALSE(run);
    CHECK(says(run.error(), "indices[1] = " + std::to_string(wrong) + " is not in [0, 2)"));
  }
}

TEST_CASE("segments are summed in order; negative ids name none") {
  const auto x = counting<float>({4, 2});
  const auto ids = vector<std::int32_t>({1, -1, 1, 0});
  CHECK(values(evaluate([](auto a, auto k) { return fg::unsorted_segment_sum(a, k, 3); }, x, ids)) ==
        std::vector<float>{7, 8, 6, 8, 0, 0});
  const auto slope = [](auto a, auto k) {
    return fg::out<float>(fg::gradients(fg::sum(fg::square(fg::unsorted_segment_sum(a, k, 3))), a));
  };
  CHECK(values(evaluate(slope, x, ids)) == std::vector<float>{12, 16, 0, 0, 12, 16, 14, 16});
  fg::graph g;
  auto y = fg::unsorted_segment_sum(g.constant(x), g.constant(vector<std::int32_t>({0, 0, 3, 0})), 3);
  fg::session s{g};
  const auto run = s.try_run(fg::fetch(y));
  REQUIRE_FALSE(run);
  CHECK(says(run.error(), "segment_ids[2] = 3"));
}

TEST_CASE("the gradient along the first axis is slices of rows") {
  fg::graph g;
  auto table = g.placeholder<float>("table", {5, 2});
  auto ids = g.placeholder<std::int32_t>("ids", {2, 2});
  const auto slope = fg::gradients(fg::sum(fg::square(fg::gather(table, ids))), table);
  REQUIRE(slope.is_slices());
  CHECK(slope.slices().values.shape() == fg::shape{4, 2});
  fg::out<float> dense = slope;
  fg::session s{g};
  const auto made =
      s.run(fg::fetch(dense), {{table, counting<float>({5, 2})}, {ids, fg::tensor<std::int32_t>({2, 2}, {1, 3, 1, 1})}});
  CHECK(values(made) == std::vector<float>{0, 0, 18, 24, 0, 0, 14, 16, 0, 0});
}

TEST_CASE("the gradient of a lookup without elements, in rows with and without elements") {
  const auto slope = [](auto x, auto i) { return fg::out<float>(fg::gradients(fg::sum(fg::gather(x, i)), x)); };
  for (const fg::shape& rows : {fg::shape{4, 0}, fg::shape{4, 2}, fg::shape{0, 0}, fg::shape{4, 3, 0}})
    for (const fg::shape& ids : {fg::shape{2, 0}, fg::shape{0, 0}, fg::shape{0, 3}, fg::shape{0}}) {
      const auto made = evaluate(slope, fg::tensor<float>(rows), fg::tensor<std::int32_t>(ids));
      CHECK(made.shape() == rows);
      for (const float e : made) CHECK(e == 0.f);
    }
}

TEST_CASE("the gradient along other axes and in batches is dense") {
  const auto x = counting<float>({2, 3, 4});
  for (const bool axis_in_run : {false, true}) {
    const auto middle = gathered_slope(x, vector<std::int32_t>({2, 0, 2}), 1, 0, axis_in_run);
    REQUIRE(middle.shape() == x.shape());
    for (int k = 0; k < 4; ++k) {
      CHECK(middle(0, 0, k) == float(4 + k));
      CHECK(middle(0, 1, k) == 0.f);
      CHECK(middle(1, 2, k) == float(12 + k) + float(20 + k));
    }
    const auto batched = gathered_slope(x, fg::tensor<std::int32_t>({2, 2}, {0, 1, 3, 3}), -1, 1, axis_in_run);
    REQUIRE(batched.shape() == x.shape());
    for (int j = 0; j < 3; ++j) {
      CHECK(batched(0, j, 0) == float(2 * j));
      CHECK(batched(0, j, 3) == 0.f);
      CHECK(batched(1, j, 3) == float(6 + 2 * j) + float(7 + 2 * j));
    }
    const auto first = gathered_slope(x, vector<std::int32_t>({1, 1}), 0, 0, axis_in_run);
    CHECK(first(1, 0, 0) == 12.f);
    CHECK(first(0, 2, 3) == 0.f);
  }
}

TEST_CASE("a prepared step whose shape the ranks alone tell looks at the axis in every run") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {4});
  auto i = g.placeholder<std::int32_t>("i", {});
  auto axis = g.placeholder<std::int32_t>("axis", {});
  auto y = fg::gather(x, i, axis);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x, i, axis), fg::fetch(y));
  CHECK(step(counting<float>({4}), 2, -1).scalar() == 3.f);
  for (const int wild : {1, -2, 2000000000}) CHECK_THROWS_AS(step(counting<float>({4}), 2, wild), fg::error);
}
