#include <flowgraph/ops/nn/depthwise.hpp>

#include "../evaluate.hpp"

#include <array>

using namespace ops_test;

TEST_CASE("a depthwise convolution is one whose groups are the channels") {
  for (const std::int64_t multiplier : {1, 3}) {
    const std::int64_t depth = 50;  // more outputs than are summed together
    const auto x = counting<double>({2, 6, 11, depth});
    const auto w = counting<double>({3, 2, depth, multiplier});
    for (const auto& [rows, columns, dilation] : {std::array{1, 1, 2}, {2, 1, 1}, {1, 2, 1}, {2, 3, 1}}) {
      const fg::conv2d_options o{.strides = {rows, columns}, .padding = fg::padding::same, .dilations = {1, dilation}};
      const auto own = [o](auto a, auto b) { return fg::depthwise_conv2d(a, b, o); };
      const auto groups = [&](auto a, auto b) {
        return fg::conv2d(a, fg::reshape(b, fg::shape{3, 2, 1, depth * multiplier}), o);
      };
      const auto gradient = [](const auto& f, bool of_filter) {
        return [&f, of_filter](auto a, auto b) { return fg::out<double>(fg::gradients(fg::sum(f(a, b)), of_filter ? b : a)); };
      };
      CHECK(values(evaluate(own, x, w)) == values(evaluate(groups, x, w)));
      for (const bool of_filter : {false, true})
        CHECK(values(evaluate(gradient(own, of_filter), x, w)) == values(evaluate(gradient(groups, of_filter), x, w)));
    }
  }
}

TEST_CASE("borders can be given") {
  const fg::tensor<float> x({1, 1, 2, 1}, {1, 2}), w({1, 2, 1, 2}, {1, 10, 100, 1000});
  const auto f = [](auto a, auto b) {
    return fg::depthwise_conv2d(a, b, {.padding = fg::padding::explicit_, .paddings = {0, 0, 1, 0}});
  };
  CHECK(values(evaluate(f, x, w)) == std::vector<float>{100, 1000, 201, 2010});
}

TEST_CASE("a filter of another depth is refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1, 3, 3, 4});
  CHECK(says(refusal(g, [&] { fg::depthwise_conv2d(x, g.placeholder<float>("w", {2, 2, 2, 1})); }), "that of the filter"));
}
