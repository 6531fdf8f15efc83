#include <flowgraph/ops/rnn/dropout_cell.hpp>

#include "one_unit.hpp"

#include <algorithm>

using namespace rnn_test;

namespace {

struct noisy {
  fg::graph g;
  fg::out<float> x = g.constant(fg::tensor<float>({1, 2}, {0.5f, -1}));
  fg::lstm_cell<float> cell{g, 2, 200};
  fg::lstm_state<float> first = cell.zero_state(g.constant(1));

  auto run(const fg::keep_probabilities& keep) {
    const auto plain = cell(x, first);
    const auto changed = fg::dropout_cell(cell, keep)(x, first);
    fg::session s{g};
    s.initialize();
    return s.run(fg::fetch(plain.output, plain.state.c, changed.output, changed.state.c, changed.state.h));
  }
};

std::ptrdiff_t zeros_in(const fg::tensor<float>& t) { return std::count(t.begin(), t.end(), 0.f); }

}  // namespace

TEST_CASE("dropout_cell: where all stays, it is the cell") {
  const auto [output, c, same, same_c, same_h] = noisy().run({});
  CHECK(ops_test::values(same) == ops_test::values(output));
  CHECK(ops_test::values(same_c) == ops_test::values(c));
  CHECK(ops_test::values(same_h) == ops_test::values(output));
}

TEST_CASE("dropout_cell: outputs are dropped, and those that stay grow; the state is not touched") {
  const auto [output, c, shown, same_c, same_h] = noisy().run({.keep_output = 0.5f, .seed = 7});
  CHECK(zeros_in(shown) > 60);
  CHECK(zeros_in(shown) < 140);
  for (std::size_t i = 0; i < shown.size(); ++i) CHECK((shown[i] == 0 || shown[i] == doctest::Approx(2 * output[i])));
  CHECK(ops_test::values(same_h) == ops_test::values(output));
}

TEST_CASE("dropout_cell: of an LSTM's state the output is dropped, the memory never") {
  const auto [output, c, shown, same_c, dropped_h] = noisy().run({.keep_state = 0.5f, .seed = 7});
  CHECK(ops_test::values(shown) == ops_test::values(output));
  CHECK(ops_test::values(same_c) == ops_test::values(c));
  CHECK(zeros_in(dropped_h) > 60);
}

TEST_CASE("dropout_cell: the input is dropped before the cell sees it") {
  const auto [output, c, shown, other_c, h] = noisy().run({.keep_input = 1e-6f, .seed = 7});
  CHECK(zeros_in(output) == 0);
  CHECK(zeros_in(shown) == 200);  // tanh(0) of all units
}
