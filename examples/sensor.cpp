// Training on a stream: a coroutine reads a sensor, a thread feeds what it yields to a queue, and the model learns from batches of it.
//
//     microphone ──co_yield──> queue (shuffled) ──> batches of 16 ──> model ──> step
//            (a thread)                                   (this thread)

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/core/generator.hpp>
#include <flowgraph/train/samples.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

// A tone, high or low, with its label. A real one would wait for its device here.
fg::generator<std::tuple<fg::tensor<float>, std::int64_t>> microphone() {
  std::uint32_t noise = 1;
  for (std::int64_t i = 0; i < 4000; ++i) {
    fg::tensor<float> wave(fg::shape{400});
    const std::int64_t label = i % 2;
    float t = 0;
    for (float& w : wave.writable()) {
      noise = noise * 1664525 + 1013904223;
      w = std::sin(t) + static_cast<float>(noise >> 16) / 65536 - 0.5f;
      t += label == 1 ? 0.3f : 0.2f;
    }
    co_yield std::tuple(std::move(wave), label);
  }
}

int main() {
  fg::graph g;
  const auto sound = fg::samples<float, std::int64_t>(g, {.size = 16, .min_after_dequeue = 64, .shapes = {{400}, {}}});
  auto [wave, label] = sound.components;
  auto w = g.variable("w", fg::zeros<float>({400, 2}));
  auto logits = fg::matmul(wave, w);
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, label));
  auto train = fg::sgd{.rate = 0.01f}.minimize(loss);

  fg::session s{g};
  s.initialize();
  fg::coordinator workers;
  fg::start_feeding(s, workers, sound, microphone());

  int steps = 0;
  float last = 0;
  for (;; ++steps) {
    const auto made = s.try_run(fg::fetch(loss), train);
    if (!made && made.error().code() != fg::error_code::out_of_range) std::printf("%s\n", made.error().what());
    if (!made) break;
    last = made->scalar();
    if (steps % 50 == 0) std::printf("step %d, loss %.4f\n", steps, static_cast<double>(last));
  }
  workers.join();  // raises what went wrong in the background
  std::printf("after %d steps: loss %.4f\n", steps, static_cast<double>(last));
  return steps == 250 && last < 0.1f ? 0 : 1;
}
