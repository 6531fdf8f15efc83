#include <flowgraph/ops/rnn/lstm_cell.hpp>

#include "one_unit.hpp"

using namespace rnn_test;

TEST_CASE("lstm_cell: columns i, j, f and o; forget_bias is added to f") {
  const double x = 0.8, c = 0.6, h = -0.3;
  for (const double forget_bias : {1., 0.}) {
    fg::graph g;
    auto options =
        with_weights<fg::lstm_options<double>>({{0.5, -0.4, 0.3, 0.2, 0.1, 0.6, -0.7, 0.8}}, {{0.01, 0.02, 0.03, 0.04}});
    options.forget_bias = forget_bias;
    const fg::lstm_cell<double> cell(g, 1, 1, options);
    const auto step = cell(number_in(g, x), {number_in(g, c), number_in(g, h)});
    fg::session s{g};
    s.initialize();
    const auto [output, memory, shown] = s.run(fg::fetch(step.output, step.state.c, step.state.h));
    const double i = 0.5 * x + 0.1 * h + 0.01, j = -0.4 * x + 0.6 * h + 0.02, f = 0.3 * x - 0.7 * h + 0.03,
                 o = 0.2 * x + 0.8 * h + 0.04;
    const double next = sigmoid(f + forget_bias) * c + sigmoid(i) * std::tanh(j);
    CHECK(memory[0] == doctest::Approx(next).epsilon(1e-12));
    CHECK(output[0] == doctest::Approx(sigmoid(o) * std::tanh(next)).epsilon(1e-12));
    CHECK(shown[0] == output[0]);
  }
}

TEST_CASE("lstm_cell: a sequence begins with zeros, of memory and of output") {
  fg::graph g;
  const fg::lstm_cell<float> cell(g, 3, 4);
  const auto first = cell.zero_state(g.constant(2));
  fg::session s{g};
  const auto [c, h] = s.run(fg::fetch(first.c, first.h));
  CHECK(c.shape() == fg::shape{2, 4});
  CHECK(ops_test::values(c) == std::vector<float>(8, 0.f));
  CHECK(ops_test::values(h) == std::vector<float>(8, 0.f));
}
