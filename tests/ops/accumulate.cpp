#include <flowgraph/ops/accumulate.hpp>

#include "evaluate.hpp"

#include <algorithm>

using namespace ops_test;

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("contributions that meet are added") {
  auto slope = [](auto x) { return fg::out<float>(fg::gradients(x * x + x + x, x)); };
  CHECK(values(evaluate(slope, vector<float>({1, 2}))) == std::vector<float>{4, 6});
}

TEST_CASE("slices that meet are joined, and summed where they become dense") {
  fg::graph g;
  auto w = g.placeholder<float>("w", {3, 2});
  auto first = fg::gather(w, g.constant(vector<std::int32_t>({0, 2})));
  auto second = fg::gather(w, g.constant(vector<std::int32_t>({2})));
  auto loss = fg::sum(first) + fg::sum(second);
  auto dw = fg::gradients(loss, w);
  REQUIRE(dw.is_slices());
  fg::session s{g};
  auto [indices, dense] = s.run(fg::fetch(dw.slices().indices, fg::out<float>(dw)), {{w, counting<float>({3, 2})}});
  auto named = values(indices);
  std::sort(named.begin(), named.end());
  CHECK(named == std::vector<std::int64_t>{0, 2, 2});
  CHECK(values(dense) == std::vector<float>{1, 1, 0, 0, 2, 2});
}

TEST_CASE("slices that meet a dense gradient become dense") {
  auto slope = [](auto w) {
    const auto rows = fg::gather(w, fg::cast<std::int32_t>(fg::zeros_like(fg::sum(w, 1))));
    return fg::out<float>(fg::gradients(fg::sum(rows) + fg::sum(w), w));
  };
  CHECK(values(evaluate(slope, counting<float>({2, 2}))) == std::vector<float>{3, 3, 1, 1});
}

TEST_CASE("a loss of any shape begins with ones") {
  auto slope = [](auto x) { return fg::out<float>(fg::gradients(x * 2.f, x)); };
  CHECK(values(evaluate(slope, fg::tensor<float>(fg::shape{2000}))) == std::vector<float>(2000, 2.f));
  CHECK(values(evaluate(slope, fg::tensor<float>(fg::shape{0}))).empty());
}
#endif
