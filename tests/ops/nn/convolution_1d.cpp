#include <flowgraph/ops/nn/convolution_1d.hpp>

#include "../evaluate.hpp"
#include "digits.hpp"

using namespace ops_test;

namespace {

using fg::padding_1d;

struct example_1d {
  fg::shape x, filter;
  fg::conv1d_options options;
};

// Zeros before the begin, by the definition of each padding.
std::int64_t zeros_before(const example_1d& e, std::int64_t outputs) {
  const fg::conv1d_options& o = e.options;
  const std::int64_t reach = (e.filter[0] - 1) * o.dilation;
  switch (o.padding) {
    case padding_1d::valid: return 0;
    case padding_1d::causal: return reach;
    case padding_1d::explicit_: return o.paddings[0];
    case padding_1d::same: break;
  }
  return std::max<std::int64_t>(0, (outputs - 1) * o.stride + reach + 1 - e.x[1]) / 2;
}

fg::tensor<float> by_definition(const example_1d& e, const fg::tensor<float>& x, const fg::tensor<float>& filter,
                                std::int64_t steps) {
  const fg::conv1d_options& o = e.options;
  const std::int64_t outputs = e.filter[2], group = outputs / (e.x[2] / e.filter[1]), border = zeros_before(e, steps);
  fg::tensor<float> y({e.x[0], steps, outputs});
  auto to = y.writable();
  for (std::int64_t n = 0; n < e.x[0]; ++n)
    for (std::int64_t t = 0; t < steps; ++t)
      for (std::int64_t k = 0; k < outputs; ++k) {
        float sum = 0;
        for (std::int64_t i = 0; i < e.filter[0]; ++i)
          for (std::int64_t d = 0; d < e.filter[1]; ++d) {
            const std::int64_t at = t * o.stride + i * o.dilation - border;
            if (at < 0 || at >= e.x[1]) continue;
            sum += x[static_cast<std::size_t>((n * e.x[1] + at) * e.x[2] + k / group * e.filter[1] + d)] *
                   filter[static_cast<std::size_t>((i * e.filter[1] + d) * outputs + k)];
          }
        to[static_cast<std::size_t>((n * steps + t) * outputs + k)] = sum;
      }
  return y;
}

}  // namespace

TEST_CASE("conv1d is the sum that its definition says, with every padding, stride, dilation and in groups") {
  const example_1d examples[] = {
      {{1, 7, 1}, {3, 1, 1}, {}},
      {{2, 9, 3}, {4, 3, 2}, {.stride = 2}},
      {{2, 9, 3}, {2, 3, 5}, {.stride = 3, .padding = padding_1d::valid}},
      {{2, 8, 2}, {3, 2, 4}, {.padding = padding_1d::causal}},
      {{1, 12, 2}, {3, 2, 3}, {.padding = padding_1d::causal, .dilation = 4}},
      {{1, 11, 2}, {3, 2, 3}, {.stride = 2, .padding = padding_1d::causal, .dilation = 2}},
      {{1, 6, 2}, {3, 2, 2}, {.padding = padding_1d::explicit_, .paddings = {3, 1}}},
      {{2, 7, 4}, {3, 2, 6}, {}},
      {{2, 7, 4}, {3, 1, 4}, {.padding = padding_1d::causal}},
  };
  for (const example_1d& e : examples) {
    fg::graph g;
    const auto x = g.placeholder<float>("x", e.x), filter = g.placeholder<float>("filter", e.filter);
    const auto y = fg::conv1d(x, filter, e.options);
    const auto values = digits(e.x, 7), weights = digits(e.filter, 11);
    fg::session s(g);
    const auto found = s.run(fg::fetch(y), {{x, values}, {filter, weights}});
    REQUIRE(y.shape() == found.shape());
    const auto wanted = by_definition(e, values, weights, found.shape()[1]);
    REQUIRE(found.shape() == wanted.shape());
    for (std::size_t i = 0; i < wanted.size(); ++i) REQUIRE(found[i] == wanted[i]);
  }
}

TEST_CASE("With causal padding no output depends on a later step, and there are as many as inputs") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1, fg::any, 1});
  const auto y = fg::conv1d(x, g.constant(digits({4, 1, 1}, 3)), {.padding = padding_1d::causal, .dilation = 2});
  fg::session s(g);
  fg::tensor<float> before = digits({1, 20, 1}, 5), after = before;
  after.writable()[12] += 100;
  const auto a = s.run(fg::fetch(y), {{x, before}}), b = s.run(fg::fetch(y), {{x, after}});
  REQUIRE(a.shape() == fg::shape{1, 20, 1});
  for (std::size_t i = 0; i < 12; ++i) CHECK(a[i] == b[i]);
  CHECK(a[12] != b[12]);
}

TEST_CASE("The gradients of conv1d are those of the sums") {
  fg::graph g;
  const auto x = g.constant(digits({1, 6, 2}, 1)), filter = g.constant(digits({3, 2, 2}, 2));
  const auto y = fg::conv1d(x, filter, {.padding = padding_1d::causal});
  const auto [dx, df] = fg::gradients(fg::sum(y), x, filter);
  const fg::out<float> to_x = dx, to_filter = df;
  fg::session s(g);
  const auto [gx, gf] = s.run(fg::fetch(to_x, to_filter));
  // An element of the filter is met by every step that it reaches; y[t] sees x[t + i - 2].
  const auto values = digits({1, 6, 2}, 1), weights = digits({3, 2, 2}, 2);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t d = 0; d < 2; ++d) {
      float sum = 0;
      for (std::size_t t = 0; t + 2 < 6 + i; ++t) sum += values[t * 2 + d];
      for (std::size_t k = 0; k < 2; ++k) CHECK(gf[(i * 2 + d) * 2 + k] == sum);
    }
  for (std::size_t t = 0; t < 6; ++t)
    for (std::size_t d = 0; d < 2; ++d) {
      float sum = 0;
      for (std::size_t i = 0; i < 3; ++i)
        if (t + 2 < 6 + i) sum += weights[(i * 2 + d) * 2] + weights[(i * 2 + d) * 2 + 1];
      CHECK(gx[t * 2 + d] == sum);
    }
}

TEST_CASE("conv1d refuses what is no batch of sequences, and a causal border of unknown width, by its own name") {
  const auto refused = [](const fg::shape& x, const fg::shape& filter, const fg::conv1d_options& options) {
    fg::graph g;
    return refusal(g, [&] { fg::conv1d(g.placeholder<float>("x", x), g.placeholder<float>("w", filter), options); });
  };
  CHECK(says(refused({4, 8}, {3, 2, 2}, {}), "conv1d: expected x of shape [sequences, steps, channels], found [4,8]"));
  CHECK(says(refused({4, 8, 2}, {3, 2}, {}), "conv1d: expected a filter of shape [width, channels, outputs], found [3,2]"));
  CHECK(says(refused({4, 8, 2}, {fg::any, 2, 2}, {.padding = padding_1d::causal}), "a filter whose width is known"));
  CHECK(says(refused({4, 8, 3}, {3, 2, 2}, {}), "a multiple of that of the filter"));
  CHECK(says(refused({4, 8, 2}, {3, 2, 2}, {.stride = 0}), "positive numbers"));
}
