#include <flowgraph/ops/nn/sigmoid_cross_entropy.hpp>

#include "../evaluate.hpp"

#include <flowgraph/runtime/session.hpp>

#include <cmath>

namespace {

TEST_CASE("the cross entropy of sigmoids is finite for any logit, and its gradient is the distance to the label") {
  fg::graph g;
  auto x = g.placeholder<double>("x", {5}), z = g.placeholder<double>("z", {5});
  auto loss = fg::sigmoid_cross_entropy(x, z);
  CHECK(loss.name() == "logistic_loss");
  fg::session s{g};
  const fg::tensor<double> logits{{5}, {-1000, -1.5, 0, 2, 1000}}, labels{{5}, {1, 0.25, 1, 0, 0}};
  const auto y = s.run(fg::fetch(loss), {{x, logits}, {z, labels}});
  CHECK(y[0] == 1000);
  for (std::size_t i = 1; i < 4; ++i) {
    const double p = 1 / (1 + std::exp(-logits[i]));
    CHECK(y[i] == doctest::Approx(-labels[i] * std::log(p) - (1 - labels[i]) * std::log(1 - p)));
  }
  CHECK(y[4] == 1000);
#ifndef FLOWGRAPH_INFERENCE
  const auto dx = s.run(fg::fetch(fg::gradients(loss, x)), {{x, logits}, {z, labels}});
  for (std::size_t i = 0; i < 5; ++i) CHECK(dx[i] == doctest::Approx(1 / (1 + std::exp(-logits[i])) - labels[i]));
#endif
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("logits and labels of different shapes are refused, for broadcasting would pair each with all") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {5, 1}), z = g.placeholder<float>("z", {5});
  CHECK_THROWS_WITH_AS(fg::sigmoid_cross_entropy(x, z), doctest::Contains("found 'x' of shape [5,1], 'z' of shape [5]"),
                       fg::error);
}
#endif

}  // namespace
