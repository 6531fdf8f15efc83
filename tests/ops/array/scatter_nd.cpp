#include <flowgraph/ops/array/scatter_nd.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("updates meet in the order of their index vectors") {
  const fg::tensor<std::int32_t> i({3, 1}, {2, 0, 2});
  const auto u = vector<float>({10, 20, 30});
  const auto x = counting<float>({3});
  const auto with = [&](auto f) { return values(evaluate(f, x, i, u)); };
  CHECK(with([](auto a, auto k, auto v) { return fg::tensor_scatter_nd_update(a, k, v); }) == std::vector<float>{20, 2, 30});
  CHECK(with([](auto a, auto k, auto v) { return fg::tensor_scatter_nd_add(a, k, v); }) == std::vector<float>{21, 2, 43});
  CHECK(with([](auto a, auto k, auto v) { return fg::tensor_scatter_nd_sub(a, k, v); }) == std::vector<float>{-19, 2, -37});
  CHECK(with([](auto a, auto k, auto v) { return fg::tensor_scatter_nd_max(a, k, v); }) == std::vector<float>{20, 2, 30});
  CHECK(with([](auto a, auto k, auto v) { return fg::tensor_scatter_nd_min(a, k, v); }) == std::vector<float>{1, 2, 3});
  CHECK(with([](auto a, auto k, auto v) { return fg::scatter_nd(k, v, fg::shape_of(a)); }) == std::vector<float>{20, 0, 40});
}

TEST_CASE("texts are joined") {
  fg::graph g;
  auto y = fg::scatter_nd(g.constant(fg::tensor<std::int32_t>({3, 1}, {1, 0, 1})),
                          g.constant(fg::tensor<std::string>({3}, {"a", "b", "c"})), g.constant(vector<std::int32_t>({2})));
  fg::session s{g};
  const auto made = s.run(fg::fetch(y));
  CHECK(made[0] == "b");
  CHECK(made[1] == "ac");
}

TEST_CASE("a tensor without elements takes none, and updates must fit") {
  fg::graph g;
  auto x = g.placeholder<float>("x", fg::shape::unknown());
  auto i = g.placeholder<std::int32_t>("i", fg::shape::unknown());
  auto u = g.placeholder<float>("u", fg::shape::unknown());
  auto y = fg::tensor_scatter_nd_add(x, i, u);
  fg::session s{g};
  const auto refused = [&](const fg::tensor<float>& a, const fg::tensor<std::int32_t>& k, const fg::tensor<float>& v) {
    const auto made = s.try_run(fg::fetch(y), {{x, a}, {i, k}, {u, v}});
    return !made && made.error().code() == fg::error_code::invalid_argument;
  };
  CHECK(
      refused(fg::tensor<float>(fg::shape{0, 2}), fg::tensor<std::int32_t>(fg::shape{1, 1}), fg::tensor<float>(fg::shape{1, 2})));
  CHECK(
      refused(fg::tensor<float>(fg::shape{3, 0}), fg::tensor<std::int32_t>(fg::shape{2, 1}), fg::tensor<float>(fg::shape{2, 0})));
  // Index vectors and updates without elements are none.
  CHECK_FALSE(
      refused(fg::tensor<float>(fg::shape{0}), fg::tensor<std::int32_t>(fg::shape{2, 0}), fg::tensor<float>(fg::shape{2, 0})));
  CHECK(refused(counting<float>({3}), fg::tensor<std::int32_t>(fg::shape{2, 1}), counting<float>({3})));
  CHECK(refused(counting<float>({3}), fg::tensor<std::int32_t>(fg::shape{1, 2}), counting<float>({1})));
  CHECK(refused(counting<float>({3}), fg::tensor<std::int32_t>(7), counting<float>({1})));
  CHECK(refused(counting<float>({3}), fg::tensor<std::int32_t>({1, 1}, {3}), counting<float>({1})));
  CHECK_FALSE(refused(counting<float>({3}), fg::tensor<std::int32_t>({1, 1}, {2}), counting<float>({1})));
}
