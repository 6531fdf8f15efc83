#include <flowgraph/ops/rnn/gru_cell.hpp>

#include "one_unit.hpp"

using namespace rnn_test;

TEST_CASE("gru_cell: one gate says how much of the state stays, the other how much of it the candidate sees") {
  fg::graph g;
  // The kernel of the gates: a row for x and one for the state, a column for r and one for u.
  const fg::gru_cell<double> cell(
      g, 1, 1, with_weights<fg::cell_options<double>>({{0.4, -0.3, 0.2, 0.6}, {0.7, -0.5}}, {{0.1, 0.2}, {0.05}}));
  const double x = 1.5, h = -0.4;
  const auto step = cell(number_in(g, x), number_in(g, h));
  fg::session s{g};
  s.initialize();
  const auto [output, state] = s.run(fg::fetch(step.output, step.state));
  const double reset = sigmoid(0.4 * x + 0.2 * h + 0.1), update = sigmoid(-0.3 * x + 0.6 * h + 0.2);
  const double candidate = std::tanh(0.7 * x - 0.5 * reset * h + 0.05);
  CHECK(output[0] == doctest::Approx(update * h + (1 - update) * candidate).epsilon(1e-12));
  CHECK(state[0] == output[0]);
}

TEST_CASE("gru_cell: the gates are biased to keep the state at first") {
  fg::graph g;
  const fg::gru_cell<double> cell(g, 1, 2);
  fg::session s{g};
  s.initialize();
  const auto [gates, candidate] = s.run(fg::fetch(cell.gates.bias, cell.candidate.bias));
  CHECK(ops_test::values(gates) == std::vector<double>{1, 1, 1, 1});
  CHECK(ops_test::values(candidate) == std::vector<double>{0, 0});
}
