#include <flowgraph/ops/rnn/bidirectional.hpp>

#include <flowgraph/ops/rnn/gru_cell.hpp>

#include "wave.hpp"

using namespace rnn_test;

TEST_CASE("bidirectional_rnn: as TensorFlow's, and its gradient") {
  fg::graph g;
  auto x = wave<double>(g, {3, 4, 2}, 0.9, 0.2), w = wave<double>(g, {3, 4, 2}, 0.37, 0.2);
  auto n = g.constant(fg::tensor<std::int32_t>({3}, {4, 2, 0}));
  const fg::gru_cell<double> left(g, 2, 2, gru_weights<double>());
  const fg::gru_cell<double> right(g, 2, 2, weights_as<double>({{0.9, 0.1}, {0.8, 0.2}}, {{0.4, 0.3}, {0.7, 0.6}}));
  const auto [forward, backward] = fg::bidirectional_rnn(left, right, x, {.lengths = n});
  auto loss = fg::sum(forward.outputs * w) + fg::sum(fg::square(backward.outputs)) + fg::sum(forward.state * backward.state);
  fg::out<double> slope = fg::gradients(loss, x);
  fg::session s{g};
  s.initialize();
  const auto [a, b, c, d, e] = s.run(fg::fetch(forward.outputs, backward.outputs, forward.state, backward.state, slope));
  close(a, {0.12938919, 0.076554049, 0.17027203, 0.217453,   0.061747726, 0.24577919, 0.080279124, 0.17752876,
            0.14402296, 0.15260957,  0.10919358, 0.25161272, 0,           0,          0,           0,
            0,          0,           0,          0,          0,           0,          0,           0});
  close(b, {0.29906223, 0.41140653, 0.16447103,  0.31723836, 0.056535866, 0.1430385, 0.15331821, 0.14906385,
            0.22828626, 0.3496612,  0.042666099, 0.17199232, 0,           0,         0,          0,
            0,          0,          0,           0,          0,           0,         0,          0});
  close(c, {0.080279124, 0.17752876, 0.10919358, 0.25161272, 0, 0});
  close(d, {0.29906223, 0.41140653, 0.22828626, 0.3496612, 0, 0});
  close(e, {0.44281975, 0.13681624,  0.24820374, 0.24571476, 0.49167846, 0.17031193, 0.34882089, 0.20519282, -0.045564794,
            0.14088998, 0.072235473, 0.14438043, 0,          0,          0,          0,          0,          0,
            0,          0,           0,          0,          0,          0});
}

TEST_CASE("bidirectional_rnn: from the end is a turn, the cell, and a turn back; time may come first") {
  fg::graph g;
  auto x = wave<double>(g, {4, 3, 2}, 0.9, 0.2);
  const fg::gru_cell<double> cell(g, 2, 2, gru_weights<double>());
  const auto [forward, backward] = fg::bidirectional_rnn(cell, cell, x, {.time_major = true});
  const auto turned = fg::dynamic_rnn(cell, fg::reverse(x, fg::shape{0}), {.time_major = true});
  fg::session s{g};
  s.initialize();
  const auto [a, b, c, d] =
      s.run(fg::fetch(backward.outputs, fg::reverse(turned.outputs, fg::shape{0}), backward.state, turned.state));
  close(a, values(b));
  close(c, values(d));
}
