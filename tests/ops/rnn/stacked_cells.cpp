// What cells compute. Expected numbers are TensorFlow 2.21's: of LSTMBlockCell, GRUBlockCell, and the formula of BasicRNNCell.

#include <flowgraph/ops/rnn/stacked_cells.hpp>

#include <flowgraph/ops/rnn/basic_rnn_cell.hpp>
#include <flowgraph/ops/rnn/dropout_cell.hpp>
#include <flowgraph/ops/rnn/gru_cell.hpp>

#include "wave.hpp"

using namespace rnn_test;

TEST_CASE("cells: one step") {
  fg::graph g;
  auto x = wave<float>(g, {3, 4, 2}, 0.9, 0.2), c = wave<float>(g, {3, 2}, 0.4, 0.9), h = wave<float>(g, {3, 2}, 0.6, 0.5);
  x = fg::reshape(fg::slice(x, {0, 0, 0}, {3, 1, 2}), {3, 2});
  const auto [lstm_out, lstm_next] = fg::lstm_cell<float>(g, 2, 2, lstm_weights<float>())(x, {c, h});
  const auto [gru_out, gru_next] = fg::gru_cell<float>(g, 2, 2, gru_weights<float>())(x, h);
  const auto [rnn_out, rnn_next] = fg::basic_rnn_cell<float>(g, 2, 2, weights<float>())(x, h);
  fg::session s{g};
  s.initialize();
  const auto [a, b, d, e] = s.run(fg::fetch(lstm_next.c, lstm_out, gru_out, rnn_out));
  close(a, {0.67736632f, 0.94266343f, 0.8437351f, 0.96730578f, 0.70820445f, 0.59360915f});
  close(b, {0.28905985f, 0.23524278f, 0.28927186f, 0.18666951f, 0.24224998f, 0.17942931f});
  close(d, {0.30337194f, 0.43805453f, 0.50071692f, 0.46025488f, 0.15488008f, -0.029981762f});
  close(e, {0.092482358f, 0.22283277f, 0.22603633f, 0.35819107f, 0.34153479f, 0.61623704f});
  CHECK(lstm_next.h == lstm_out);
  CHECK(gru_next == gru_out);
}

TEST_CASE("cells: variables are named and begin as TensorFlow's") {
  fg::graph g;
  auto in = g.in_scope("rnn");
  const fg::lstm_cell<float> lstm(g, 3, 2);
  const fg::gru_cell<float> gru(g, 3, 2);
  const fg::basic_rnn_cell<float> rnn(g, 3, 2, {.name = "other"});
  CHECK(lstm.weights.kernel.name() == "rnn/lstm_cell/kernel");
  CHECK(lstm.weights.kernel.shape() == fg::shape{5, 8});
  CHECK(gru.gates.kernel.shape() == fg::shape{5, 4});
  for (const char* name : {"rnn/lstm_cell/bias", "rnn/gru_cell/gates/kernel", "rnn/gru_cell/candidate/bias", "rnn/other/kernel"})
    CHECK_MESSAGE(g.find(name), name);
  fg::session s{g};
  s.initialize();
  const auto [a, b, c] = s.run(fg::fetch(lstm.weights.bias, gru.gates.bias, gru.candidate.bias));
  close(a, std::vector<float>(8, 0));
  close(b, std::vector<float>(4, 1));
  close(c, std::vector<float>(2, 0));
}

TEST_CASE("cells: copies share their weights; a call's nodes stand at the caller's line") {
  fg::graph g;
  const fg::gru_cell<float> cell(g, 2, 2), copy = cell;
  const std::size_t variables = g.initializers().size();
  auto x = wave<float>(g, {3, 2}, 0.4, 0.1);
  const int line = __LINE__ + 1;
  const auto [output, next] = copy(x, cell.zero_state(g.constant(3)));
  CHECK(g.initializers().size() == variables);
  CHECK(output.source->where.line() == static_cast<std::uint_least32_t>(line));
}

TEST_CASE("cells: zero states, of a batch that the graph knows or not") {
  fg::graph g;
  auto n = g.placeholder<std::int32_t>("n", {});
  const fg::lstm_cell<float> cell(g, 3, 2);
  CHECK(cell.zero_state(g.constant(5)).c.shape() == fg::shape{5, 2});
  const auto state = cell.zero_state(n);
  CHECK(state.h.shape() == fg::shape{fg::any, 2});
  fg::session s{g};
  CHECK(s.run(fg::fetch(state.h), {{n, 4}}).shape() == fg::shape{4, 2});
  CHECK(s.run(fg::fetch(state.h), {{n, 0}}).shape() == fg::shape{0, 2});
}

TEST_CASE("stacked_cells: each takes in what the one below puts out") {
  fg::graph g;
  const fg::lstm_cell<float> below(g, 2, 3);
  const fg::gru_cell<float> above(g, 3, 2);
  const fg::stacked_cells both(below, above);
  auto x = wave<float>(g, {4, 2}, 0.7, 0.2);
  const auto [output, state] = both(x, both.zero_state(g.constant(4)));
  const auto [middle, first] = below(x, below.zero_state(g.constant(4)));
  const auto [top, second] = above(middle, above.zero_state(g.constant(4)));
  CHECK(both.output_size() == 2);
  fg::session s{g};
  s.initialize();
  const auto [a, b, c, d] = s.run(fg::fetch(output, top, std::get<0>(state).c, first.c));
  close(a, values(b));
  close(c, values(d));
}

TEST_CASE("dropout_cell: what is kept is scaled, a memory stays, and each part is drawn on its own") {
  fg::graph g;
  const fg::lstm_cell<float> cell(g, 40, 50);
  const fg::dropout_cell noisy(cell, {.keep_output = 0.5f, .keep_state = 0.25f, .seed = 7});
  auto x = wave<float>(g, {1, 40}, 0.7, 0.2);
  const auto zero = cell.zero_state(g.constant(1));
  const auto [plain, after] = cell(x, zero);
  const auto [output, next] = noisy(x, zero);
  fg::session s{g};
  s.initialize();
  const auto [a, b, c, d, e] = s.run(fg::fetch(plain, output, next.h, next.c, after.c));
  close(d, values(e));
  int outputs = 0, states = 0, both = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK((b[i] == 0 || b[i] == doctest::Approx(a[i] * 2)));
    CHECK((c[i] == 0 || c[i] == doctest::Approx(a[i] * 4)));
    outputs += b[i] != 0;
    states += c[i] != 0;
    both += b[i] != 0 && c[i] != 0;
  }
  CHECK((15 < outputs && outputs < 35));
  CHECK((4 < states && states < 22));
  CHECK(both < states);
}
