// The output of a step may depend on later steps: two cells read a sequence, one from each end.
//
//     x {batch, time, 1} ──> bidirectional_rnn(left, right) ──> concat ──> MatMul ──> guess
//
// It learns the sum of a step's neighbours, of which one is still to come.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/rnn/bidirectional.hpp>
#include <flowgraph/ops/rnn/gru_cell.hpp>

#include <cstdio>
#include <random>

namespace fg = flowgraph;

constexpr std::size_t batch = 16, time_steps = 6, units = 12;

int main() {
  fg::graph g;
  g.set_seed(1);
  auto x = g.placeholder<float>("x", {fg::any, fg::any, 1}), wanted = g.placeholder<float>("wanted", {fg::any, 1});
  auto lengths = g.placeholder<std::int32_t>("lengths", {fg::any});
  const fg::gru_cell<float> left(g, 1, units, {.name = "left"}), right(g, 1, units, {.name = "right"});

  const auto [forward, backward] = fg::bidirectional_rnn(left, right, x, {.lengths = lengths});
  auto seen = fg::concat({forward.outputs, backward.outputs}, 2);  // the context of each step

  auto w = g.variable("w", fg::glorot_uniform<float>({2 * units, 1}));
  auto guess = fg::matmul(fg::reshape(seen, {-1, 2 * units}), w);
  auto loss = fg::mean(fg::square(guess - wanted));
  auto train = fg::adam{.rate = 1e-2f}.minimize(loss);

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x, lengths, wanted), fg::fetch(loss), train);
  std::mt19937 random(1);
  fg::tensor<float> in({batch, time_steps, 1}), sums({batch * time_steps, 1});
  fg::tensor<std::int32_t> n({batch});
  float error = 0;
  for (int i = 1; i <= 300; ++i) {
    for (std::size_t b = 0; b < batch; ++b) {
      const std::size_t length = 3 + random() % (time_steps - 2), first = b * time_steps;
      n.writable()[b] = static_cast<std::int32_t>(length);
      for (std::size_t t = 0; t < time_steps; ++t)
        in.writable()[first + t] = t < length ? static_cast<float>(random() % 2001) / 1000.f - 1 : 0;
      // Past its end a sequence gives zeros.
      for (std::size_t t = 0; t < time_steps; ++t)
        sums.writable()[first + t] = t >= length ? 0 : (t > 0 ? in[first + t - 1] : 0) + (t + 1 < length ? in[first + t + 1] : 0);
    }
    error = step(in, n, sums).scalar();
    if (i % 100 == 0) std::printf("step %d  mean squared error %.5f\n", i, error);
  }

  // Another last step changes the backward outputs of all steps before it, and none of the forward ones.
  fg::tensor<float> changed = in;
  const std::size_t length = static_cast<std::size_t>(n[0]);
  changed.writable()[length - 1] += 1;
  const auto [f, b] = s.run(fg::fetch(forward.outputs, backward.outputs), {{x, in}, {lengths, n}});
  const auto [f2, b2] = s.run(fg::fetch(forward.outputs, backward.outputs), {{x, changed}, {lengths, n}});
  bool right_way = true;
  for (std::size_t t = 0; t + 1 < length; ++t)
    right_way = right_way && f[t * units] == f2[t * units] && b[t * units] != b2[t * units];

  // Half of the sum is a neighbour that the forward cell has not seen: alone it could not come below 0.2.
  return right_way && error < 0.05f ? 0 : 1;
}
