// Cells along sequences. Expected numbers are those of dynamic_rnn and bidirectional_dynamic_rnn in TensorFlow 2.21.

#include <flowgraph/ops/rnn/dynamic_rnn.hpp>

#include <flowgraph/ops/rnn/basic_rnn_cell.hpp>
#include <flowgraph/ops/rnn/dropout_cell.hpp>
#include <flowgraph/ops/rnn/gru_cell.hpp>
#include <flowgraph/ops/rnn/stacked_cells.hpp>
#include <flowgraph/train/optimizer.hpp>

#include "wave.hpp"

using namespace rnn_test;

namespace {

// What a cell gives along the inputs of the tests, and what the graph knows of their shape: everything, or the depth alone.
template <class Cell, class Options> class along_inputs {
public:
  along_inputs(const fg::shape& known, Options options) : x(g.placeholder<double>("x", known)), cell(g, 2, 2, options) {}

  fg::graph g;
  fg::out<double> x;
  Cell cell;

  // Adds what TensorFlow's side differentiates; runs everything.
  template <class State, class... Weight>
  std::vector<fg::tensor<double>> run(const fg::rnn_result<double, State>& made, const Weight&... weight) {
    auto loss = fg::sum(made.outputs * wave<double>(g, {3, 4, 2}, 0.37, 0.2));
    std::vector<fg::out<double>> fetched{made.outputs};
    for (const fg::any_out& part : fg::detail::flat(made.state)) {
      const fg::out<double> state{part.source, part.port};
      loss = loss + fg::sum(fg::square(state));
      fetched.push_back(state);
    }
    fetched.push_back(loss);
    for (const auto& slope : fg::gradients(loss, fg::out_list<double>{x, weight...})) fetched.push_back(slope);
    fg::session s{g};
    s.initialize();
    const fg::fed inputs(x, wave_values<double>({3, 4, 2}, 0.9, 0.2));
    const std::vector<fg::any_out> edges(fetched.begin(), fetched.end());
    std::vector<fg::tensor<double>> found;
    auto erased = s.try_run(fg::run_request{{&inputs, 1}, edges, {}}).value();
    for (fg::any_tensor& t : erased) found.push_back(*fg::tensor<double>::from(std::move(t)));
    return found;
  }
};

const std::vector<fg::shape> all_and_little{{3, 4, 2}, {fg::any, fg::any, 2}};

}  // namespace

TEST_CASE("dynamic_rnn: an LSTM over sequences of several lengths, and its gradients") {
  for (const fg::shape& known : all_and_little) {
    along_inputs<fg::lstm_cell<double>, fg::lstm_options<double>> t(known, lstm_weights<double>());
    auto made = fg::dynamic_rnn(t.cell, t.x, {.lengths = t.g.constant(fg::tensor<std::int32_t>({3}, {4, 2, 0}))});
    const auto found = t.run(made, t.cell.weights.kernel, t.cell.weights.bias);
    close(found[0], {0.14607355, 0.1494439,  0.24536823, 0.22898678, 0.31423705, 0.37281171, 0.31871137, 0.3347183,
                     0.14805867, 0.14696612, 0.26389212, 0.27946878, 0,          0,          0,          0,
                     0,          0,          0,          0,          0,          0,          0,          0});
    close(found[1], {0.61114418, 1.0206429, 0.53918939, 0.71173503, 0, 0});
    close(found[2], {0.31871137, 0.3347183, 0.26389212, 0.27946878, 0, 0});
    close(found[3], {3.1772205});
    close(found[4], {0.58504787, 0.42326674, 0.46612349, 0.39109085, 0.76383189, 0.98444976, 0.54576481, 0.58793132,
                     0.33777651, 0.22988039, 0.58038694, 0.6291089,  0,          0,          0,          0,
                     0,          0,          0,          0,          0,          0,          0,          0});
    close(found[5], {0.30440324, 0.15796899, -0.091265424, -0.034508588, -0.048954783, -0.071737453, 0.026735489,  -0.041121182,
                     0.3020579,  0.19326087, -0.24511652,  -0.2573363,   -0.10937457,  -0.1340252,   0.0018049623, -0.02016499,
                     0.11199724, 0.21694073, 0.53250712,   0.57012651,   0.097549131,  0.16658692,   0.097744485,  0.091115655,
                     0.12094668, 0.236297,   0.55260367,   0.59269974,   0.10053998,   0.17629929,   0.10452287,   0.099806057});
    close(found[6], {1.1245319, 1.4434575, 2.9849008, 3.2376122, 0.43073073, 0.72510775, 0.49309198, 0.36358112});
  }
}

TEST_CASE("dynamic_rnn: a GRU that begins with a state, and its gradients") {
  for (const fg::shape& known : all_and_little) {
    along_inputs<fg::gru_cell<double>, fg::cell_options<double>> t(known, gru_weights<double>());
    auto made = fg::dynamic_rnn(t.cell, t.x,
                                {.lengths = t.g.constant(fg::tensor<std::int64_t>({3}, {4, 2, 0})),
                                 .initial_state = wave<double>(t.g, {3, 2}, 0.6, 0.5)});
    const auto found = t.run(made, t.cell.gates.kernel, t.cell.gates.bias, t.cell.candidate.kernel, t.cell.candidate.bias);
    close(found[0], {0.30337195, 0.43805452, 0.29979761, 0.49360794, 0.15182368, 0.4541241, 0.13565359, 0.31357556,
                     0.50071693, 0.46025486, 0.35572955, 0.48326967, 0,          0,         0,          0,
                     0,          0,          0,          0,          0,          0,         0,          0});
    close(found[1], {0.13565359, 0.31357556, 0.35572955, 0.48326967, 0.1435496, -0.21046994});
    close(found[2], {1.0830778});
    close(found[3], {0.47336596,  -0.17479248,
                     0.24654522,  0.0043950209,
                     0.34234486,  -0.092197244,
                     0.33844182,  -0.073885991,
                     0.038923862, -0.00082389213,
                     0.09133001,  -0.019659436,
                     0,           0,
                     0,           0,
                     0,           0,
                     0,           0,
                     0,           0,
                     0,           0});
    close(found[4],
          {-0.0059268334, -0.0011091967, -0.021966546, -0.056113519, -0.0033380719, 0.017814603, -0.057467684, 0.028191223,
           -0.026268324, 0.049359243, 0.047186138, 0.021495986, -0.039101833, 0.085348835, 0.061133282, 0.059779756});
    close(found[5], {-0.081508994, 0.17532694, 0.1281905, 0.11299958});
    close(found[6], {0.0035064979, 0.011484726, 0.036253938, 0.19969316, 0.20185814, 0.26680908, 0.36104892, 0.49476137});
    close(found[7], {1.2771512, 1.731684});
  }
}

TEST_CASE("dynamic_rnn: a plain cell to the end of all sequences, and its gradients") {
  for (const fg::shape& known : all_and_little) {
    along_inputs<fg::basic_rnn_cell<double>, fg::cell_options<double>> t(known, weights<double>());
    const auto found = t.run(fg::dynamic_rnn(t.cell, t.x), t.cell.weights.kernel, t.cell.weights.bias);
    close(found[0], {0.37926114, 0.54811324, -0.069852838, 0.23799133,  -0.46486112, -0.18795957, 0.16661517, 0.4383252,
                     0.44430815, 0.68069551, -0.48361529,  -0.26327234, -0.12416806, 0.19991528,  0.27992737, 0.51449877,
                     0.22489239, 0.57839682, -0.60343685,  -0.45165823, 0.3220038,   0.58941625,  0.13523703, 0.38031249});
    close(found[1], {0.16661517, 0.4383252, 0.27992737, 0.51449877, 0.13523703, 0.38031249});
    close(found[2], {1.077083});
    close(found[3], {-0.13440465, -0.13937776, 0.40483674, 0.60124977,  -0.12855027,  0.00072409528, 0.56762291, 0.77672917,
                     -0.11796483, -0.14603413, 0.16074655, 0.089641831, -0.57628981,  -0.81550782,   0.28327653, 0.264385,
                     -0.12195211, -0.19919806, 0.2473871,  0.32108219,  -0.090147573, 0.024212653,   0.63774665, 0.86788267});
    close(found[4], {0.50763105, 1.0139174, 0.5692937, 0.87510224, 0.39925406, 0.9075385, 0.94184755, 1.5747926});
    close(found[5], {1.6278336, 1.6710273});
  }
}

TEST_CASE("dynamic_rnn: nothing runs past the longest sequence, and what is there is not looked at") {
  fg::graph g;
  auto x = g.placeholder<double>("x", {fg::any, fg::any, 2});
  auto n = g.placeholder<std::int32_t>("n", {fg::any});
  const fg::gru_cell<double> cell(g, 2, 2, gru_weights<double>());
  auto [outputs, last] = fg::dynamic_rnn(cell, x, {.lengths = n});
  auto loss = fg::sum(outputs) + fg::sum(last);
  auto [slope, of_bias] = fg::gradients(loss, x, cell.gates.bias);
  CHECK(outputs.shape() == fg::shape{fg::any, fg::any, 2});
  fg::session s{g};
  s.initialize();
  auto values = wave_values<double>({2, 5, 2}, 0.9, 0.2);
  const fg::tensor<std::int32_t> lengths({2}, {3, 2});
  const auto edges = fg::fetch(outputs, last, fg::out<double>(slope), fg::out<double>(of_bias));
  const auto [a, b, c, d] = s.run(edges, {{x, values}, {n, lengths}});
  for (int i = 6; i < 10; ++i) values.writable()[static_cast<std::size_t>(i)] = 1e300;  // of the first sequence, past its end
  const auto [e, f, h, k] = s.run(edges, {{x, values}, {n, lengths}});
  CHECK(a.shape() == fg::shape{2, 5, 2});
  CHECK(ops_test::same_bits(a, e));
  CHECK(ops_test::same_bits(b, f));
  CHECK(ops_test::same_bits(c, h));
  CHECK(ops_test::same_bits(d, k));
  for (int i = 6; i < 10; ++i) CHECK((a[static_cast<std::size_t>(i)] == 0 && c[static_cast<std::size_t>(i)] == 0));
  // All of them empty, but not the batch.
  const auto [none, begin] = s.run(fg::fetch(outputs, last), {{x, values}, {n, fg::tensor<std::int32_t>({2}, {0, 0})}});
  close(none, std::vector<double>(20, 0));
  close(begin, std::vector<double>(4, 0));
}

TEST_CASE("dynamic_rnn: no step at all, and no sequence") {
  fg::graph g;
  auto x = g.placeholder<double>("x", {fg::any, fg::any, 2}), begin = g.placeholder<double>("begin", {fg::any, 2});
  const fg::gru_cell<double> cell(g, 2, 2, gru_weights<double>());
  auto [outputs, last] = fg::dynamic_rnn(cell, x, {.initial_state = begin});
  fg::out<double> slope = fg::gradients(fg::sum(last), begin);
  fg::session s{g};
  s.initialize();
  const auto state = wave_values<double>({3, 2}, 0.6, 0.5);
  const auto [a, b] = s.run(fg::fetch(last, slope), {{x, fg::tensor<double>({3, 0, 2})}, {begin, state}});
  close(a, values(state));
  close(b, std::vector<double>(6, 1));
  const auto [c, d] = s.run(fg::fetch(outputs, last), {{x, fg::tensor<double>({0, 4, 2})}, {begin, fg::tensor<double>({0, 2})}});
  CHECK(c.shape() == fg::shape{0, 4, 2});
  CHECK(d.shape() == fg::shape{0, 2});
}

TEST_CASE("dynamic_rnn: stacked cells, time first, on every pool: equal to the steps written out, bit by bit") {
  fg::graph g;
  auto x = wave<float>(g, {5, 3, 2}, 0.9, 0.2);
  const fg::stacked_cells cells(fg::lstm_cell<float>(g, 2, 4), fg::gru_cell<float>(g, 4, 3));
  const auto [outputs, last] = fg::dynamic_rnn(cells, x, {.time_major = true});
  auto state = cells.zero_state(g.constant(3));
  fg::out_list<float> written;
  for (const auto& row : fg::unpack(x, 5)) {
    auto [output, next] = cells(row, state);
    written.push_back(output);
    state = next;
  }
  const auto& weights = std::get<0>(cells.cells).weights.kernel;
  fg::out<float> slope = fg::gradients(fg::sum(fg::square(outputs)), weights);
  fg::out<float> expected = fg::gradients(fg::sum(fg::square(fg::pack(written))), weights);
  fg::thread_pool pool(3);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
    fg::session s{g, {.pool = p}};
    s.initialize();
    const auto [a, b, c, d, e, f] =
        s.run(fg::fetch(outputs, fg::pack(written), std::get<0>(last).c, std::get<0>(state).c, slope, expected));
    CHECK(ops_test::same_bits(a, b));
    CHECK(ops_test::same_bits(c, d));
    close(e, values(f));
  }
}

TEST_CASE("dynamic_rnn: an optimizer finds the weights, and a cell with dropout learns") {
  fg::graph g;
  g.set_seed(3);
  auto x = g.placeholder<float>("x", {8, fg::any, 1});
  const fg::gru_cell<float> cell(g, 1, 16);
  const fg::dropout_cell noisy(cell, {.keep_output = 0.9f});
  // Whether the first number of a sequence was positive.
  auto w = g.variable("w", fg::glorot_uniform<float>({16, 1}));
  auto wanted = fg::reshape(fg::slice(x, {0, 0, 0}, {-1, 1, -1}), {8, 1});
  const auto error_of = [&](const auto& of) {
    const auto found = fg::matmul(fg::dynamic_rnn(of, x).state, w);
    return fg::mean(fg::square(found - wanted));
  };
  auto loss = error_of(noisy), error = error_of(cell);
  auto train = fg::adam{.rate = 0.02f}.minimize(loss);
  fg::session s{g};
  s.initialize();
  const auto batch = wave_values<float>({8, 6, 1}, 2.1, 0.4);
  const float before = s.run(fg::fetch(error), {{x, batch}}).scalar();
  for (int i = 0; i < 150; ++i) s.run(train, {{x, batch}});
  CHECK(s.run(fg::fetch(error), {{x, batch}}).scalar() < before * 0.1f);
}

TEST_CASE("dynamic_rnn: second derivatives, against differences of the first ones") {
  along_inputs<fg::lstm_cell<double>, fg::lstm_options<double>> t({3, 4, 2}, lstm_weights<double>());
  auto [outputs, last] = fg::dynamic_rnn(t.cell, t.x, {.lengths = t.g.constant(fg::tensor<std::int32_t>({3}, {4, 2, 0}))});
  fg::out<double> first = fg::gradients(fg::sum(fg::square(outputs)) + fg::sum(last.c), t.cell.weights.bias);
  auto total = fg::sum(fg::square(first));
  fg::out<double> second = fg::gradients(total, t.x);
  fg::session s{t.g};
  s.initialize();
  const auto x = wave_values<double>({3, 4, 2}, 0.9, 0.2);
  const fg::tensor<double> found = s.run(fg::fetch(second), {{t.x, x}});
  for (std::size_t i = 0; i < x.size(); i += 3) {
    const auto at = [&](double step) {
      auto moved = x;
      moved.writable()[i] += step;
      return s.run(fg::fetch(total), {{t.x, moved}}).scalar();
    };
    CHECK(found[i] == doctest::Approx((at(1e-5) - at(-1e-5)) / 2e-5).epsilon(1e-6));
  }
}
