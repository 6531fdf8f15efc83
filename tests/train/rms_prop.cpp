#include <flowgraph/train/rms_prop.hpp>

#include "formula.hpp"

namespace fg = flowgraph;
using namespace train_test;

TEST_CASE("RMSProp follows its formula, centred or not, with dense and with sparse gradients") {
  for (const bool centered : {false, true})
    check_follows(fg::rms_prop{.rate = 0.125f, .decay = 0.75f, .momentum = 0.5f, .epsilon = 0.0625f, .centered = centered},
                  [&](double& w, double* m, double d, int step) {
                    if (step == 1) m[0] = 1;
                    m[0] = 0.75 * m[0] + 0.25 * d * d;
                    m[1] = 0.75 * m[1] + 0.25 * d;
                    m[2] = 0.5 * m[2] + 0.125 * d / std::sqrt(m[0] - (centered ? m[1] * m[1] : 0) + 0.0625);
                    w -= m[2];
                  });
}

TEST_CASE("RMSProp: what it remembers is named as in TensorFlow") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto loss = fg::sum(fg::square(w - 1.f));
  fg::rms_prop{.rate = 1, .centered = true}.minimize(loss);
  check_names(g, {"w/RMSProp", "w/RMSProp_1", "w/RMSProp_2", "RMSProp/update_w/ApplyCenteredRMSProp"});
}

TEST_CASE("RMSProp: a row that a lookup does not name rests, momentum included") {
  fg::graph g;
  auto w = g.variable("w", fg::tensor<float>({2}, {1, 2}));
  auto train =
      fg::rms_prop{.rate = 1, .momentum = 0.5f}.minimize(fg::sum(fg::gather(w, g.constant(fg::tensor<std::int64_t>({1}, {0})))));
  fg::session s{g};
  s.initialize();
  for (int i = 0; i < 3; ++i) s.run(train);
  const auto found = values_of(s.run(fg::fetch(w)));
  CHECK(found[0] < 0);
  CHECK(found[1] == 2);
}

TEST_CASE("halves: a type that a method has no sparse kernel for takes the dense one") {
  for (const bool lookup : {false, true}) {
    fg::graph g;
    auto w = g.variable("w", fg::tensor<fg::bfloat16>({2}, {fg::bfloat16(1.f), fg::bfloat16(2.f)}));
    auto rows = lookup ? fg::gather(w, g.constant(fg::tensor<std::int32_t>({2}, {0, 1}))) : fg::out<fg::bfloat16>(w);
    auto train = fg::rms_prop{.rate = 0.5f}.minimize(fg::sum(fg::square(rows)));
    fg::session s{g};
    s.initialize();
    s.run(train);
    CHECK(static_cast<float>(s.run(fg::fetch(w))[0]) == doctest::Approx(1 - 0.5 * 2 / std::sqrt(0.9 + 0.1 * 4)).epsilon(0.01));
  }
}
