#include <flowgraph/train/ftrl.hpp>

#include "formula.hpp"

namespace fg = flowgraph;
using namespace train_test;

TEST_CASE("Ftrl follows its formula, with dense and with sparse gradients, with and without shrinkage") {
  for (const double power : {0.5, 0.75})
    for (const double shrinkage : {0., 0.125})
      check_follows(fg::ftrl{.rate = 0.5f, .rate_power = -power, .l1 = 0.25f, .l2 = 0.125f, .l2_shrinkage = shrinkage},
                    [&](double& w, double* m, double d, int step) {
                      if (step == 1) m[0] = 0.1;
                      const double grown = m[0] + d * d, now = std::pow(grown, power);
                      m[1] += d + 2 * shrinkage * w - (now - std::pow(m[0], power)) / 0.5 * w;
                      w = -soft(m[1], 0.25) / (now / 0.5 + 2 * 0.125);
                      m[0] = grown;
                    });
}

TEST_CASE("Ftrl: what it remembers is named as in TensorFlow") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto loss = fg::sum(fg::square(w - 1.f));
  fg::ftrl{.rate = 1}.minimize(loss);
  fg::ftrl{.rate = 1, .l2_shrinkage = 1}.minimize(loss);
  check_names(g, {"w/Ftrl", "w/Ftrl_1", "Ftrl/update_w/ApplyFtrl", "Ftrl_1/update_w/ApplyFtrlV2"});
}

TEST_CASE("Ftrl: weights whose gradients are small end as exact zeros") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto pull = g.constant(fg::tensor<float>({2}, {0.01f, 2}));
  auto train = fg::ftrl{.rate = 0.5f, .l1 = 0.5f}.minimize(fg::sum(w * pull));
  fg::session s{g};
  s.initialize();
  for (int i = 0; i < 5; ++i) s.run(train);
  const auto found = values_of(s.run(fg::fetch(w)));
  CHECK(found[0] == 0);
  CHECK(found[1] < -0.5);
}
