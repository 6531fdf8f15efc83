#include <flowgraph/train/adamw.hpp>

#include "formula.hpp"

namespace fg = flowgraph;
using namespace train_test;

TEST_CASE("AdamW follows its formula, with dense and with sparse gradients") {
  check_follows(fg::adamw{.rate = 0.125f, .weight_decay = 0.5f}, [](double& w, double* m, double d, int step) {
    m[0] += 0.1 * (d - m[0]);
    m[1] += 0.001 * (d * d - m[1]);
    w -= 0.125 * 0.5 * w;
    w -= 0.125 * std::sqrt(1 - std::pow(0.999, step)) / (1 - std::pow(0.9, step)) * m[0] / (std::sqrt(m[1]) + 1e-8);
  });
}

TEST_CASE("AdamW: what it remembers is named as in TensorFlow") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto loss = fg::sum(fg::square(w - 1.f));
  fg::adamw{}.minimize(loss);
  check_names(g, {"w/AdamW", "w/AdamW_1", "AdamW/update_w/AssignSub", "AdamW/update_w/ApplyAdam"});
}

TEST_CASE("AdamW: without decay it is Adam, to the bit") {
  const auto run = [](auto method) { return trained_by<float>(method, 5, false); };
  CHECK(run(fg::adamw{.rate = 0.1f, .weight_decay = 0}) == run(fg::adam{.rate = 0.1f}));
  CHECK(run(fg::adamw{.rate = 0.1f}) != run(fg::adam{.rate = 0.1f}));
}
