#include <flowgraph/ops/rnn/basic_rnn_cell.hpp>

#include "one_unit.hpp"

using namespace rnn_test;

TEST_CASE("basic_rnn_cell: the output is the state, tanh(kernel * [x, state] + bias)") {
  fg::graph g;
  const fg::basic_rnn_cell<double> cell(g, 1, 1, with_weights<fg::cell_options<double>>({{0.5, -0.7}}, {{0.1}}));
  const auto step = cell(number_in(g, 2), number_in(g, 0.3));
  fg::session s{g};
  s.initialize();
  const auto [output, state] = s.run(fg::fetch(step.output, step.state));
  CHECK(output[0] == doctest::Approx(std::tanh(0.5 * 2 - 0.7 * 0.3 + 0.1)).epsilon(1e-12));
  CHECK(state[0] == output[0]);
  CHECK(g.find("basic_rnn_cell/kernel"));
  CHECK(g.find("basic_rnn_cell/bias"));
}

TEST_CASE("basic_rnn_cell: another activation takes the place of tanh") {
  fg::graph g;
  auto options = with_weights<fg::cell_options<double>>({{0.5, -0.7}}, {{0.1}});
  options.activation = [](const fg::out<double>& x) { return fg::relu(x); };
  options.name = "mine";
  const fg::basic_rnn_cell<double> cell(g, 1, 1, options);
  const auto step = cell(number_in(g, 2), number_in(g, 3));
  fg::session s{g};
  s.initialize();
  CHECK(s.run(fg::fetch(step.output))[0] == 0);
  CHECK(g.find("mine/kernel"));
}
