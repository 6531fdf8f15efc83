// Sound through a network, a sample at a time, as an audio callback would: the state of an LSTM stays in variables between runs.
//
//     learning:   sound {16, 96, 1} ──> dynamic_rnn(lstm) ──> MatMul ──> loss ──> train
//
//     playing:    sample {1, 1} ──> lstm ──> MatMul ──> heard                   the same weights; nothing is allocated
//                        c, h ──────^  └────> Assign c, h

#include "shared/allocations.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

namespace fg = flowgraph;

constexpr std::int64_t units = 16, batch = 16, length = 96;

int main() {
  fg::graph g;
  g.set_seed(1);
  const fg::lstm_cell<float> cell(g, 1, units);
  auto w = g.variable("w", fg::glorot_uniform<float>({units, 1}));
  auto sound = g.placeholder<float>("sound", {fg::any, fg::any, 1}), wanted = g.placeholder<float>("wanted", {fg::any, 1});
  auto all = fg::matmul(fg::reshape(fg::dynamic_rnn(cell, sound).outputs, {-1, units}), w);
  auto loss = fg::mean(fg::square(all - wanted));
  auto train = fg::adam{.rate = 1e-2f}.minimize(loss);

  // Each run goes on from the state that the last one left.
  auto c = g.variable("c", fg::zeros<float>({1, units})), h = g.variable("h", fg::zeros<float>({1, units}));
  auto sample = g.placeholder<float>("sample", {1, 1});
  auto [output, next] = cell(sample, fg::lstm_state<float>{c, h});
  auto heard = fg::matmul(output, w);
  auto keep_c = fg::assign(c, next.c), keep_h = fg::assign(h, next.h);

  fg::session s{g};
  s.initialize();
  std::mt19937 random(1);
  fg::tensor<float> noise({batch, length, 1}), made({batch * length, 1});
  float error = 0;
  for (int i = 1; i <= 400; ++i) {
    float before = 0;  // the device whose sound is learnt: it saturates, and feeds back
    for (std::size_t k = 0; k < noise.size(); ++k) {
      noise.writable()[k] = static_cast<float>(random() % 2001) / 1000.f - 1;
      before = made.writable()[k] = std::tanh(2 * noise[k] + (k % length == 0 ? 0 : 0.7f * before));
    }
    error = s.run(fg::fetch(loss), train, {{sound, noise}, {wanted, made}}).scalar();
    if (i % 100 == 0) std::printf("step %d  error %.5f\n", i, error);
  }

  auto step = s.prepare(fg::feed(sample), fg::fetch(heard), keep_c, keep_h);
  constexpr std::size_t played = 48'000;
  fg::tensor<float> in({1, static_cast<std::int64_t>(played), 1}), out({static_cast<std::int64_t>(played), 1}), one({1, 1});
  for (std::size_t k = 0; k < played; ++k) in.writable()[k] = 0.8f * std::sin(0.05f * static_cast<float>(k));
  float* const to = out.writable().data();
  int during = 0;
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < played; ++k) {
    const int before = allocations;
    one.writable()[0] = in[k];
    to[k] = step(one)[0];
    if (k >= 2) during += allocations - before;  // the first ones lay the memory out
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
  const fg::tensor<float> expected = s.run(fg::fetch(all), {{sound, in}});
  bool same = expected.size() == played;
  for (std::size_t k = 0; same && k < played; ++k) same = to[k] == expected[k];
  std::printf("%d allocations in %zu steps, %.2f us each; %s dynamic_rnn over the whole\n", during, played - 2,
              1e6 * time.count() / static_cast<double>(played), same ? "equal to the bit to" : "NOT equal to");
  return during == 0 && same && error < 5e-3f ? 0 : 1;
}
