// What a call costs: a prepared step beside a run, and rows one by one beside rows in batches. Times are printed, results compared.
//
//     x {any, 64} ──> MatMul ──> Tanh ──> MatMul ──> Tanh ──> MatMul ──> y {any, 8}

#include <flowgraph/flowgraph.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace fg = flowgraph;

// Microseconds a call: the fastest of many samples, which other programs on the machine disturb least.
template <class F> double microseconds(F call) {
  using clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int sample = 0; sample < 30; ++sample) {
    const auto began = clock::now();
    for (int i = 0; i < 50; ++i) call();
    best = std::min(best, std::chrono::duration<double, std::micro>(clock::now() - began).count() / 50);
  }
  return best;
}

int main() {
  fg::graph g;
  g.set_seed(1);
  const auto layer = [&](fg::out<float> in, std::int64_t from, std::int64_t to) {
    return fg::matmul(in, g.variable("w", fg::glorot_uniform<float>({from, to}))) + g.variable("b", fg::zeros<float>({to}));
  };
  auto x = g.placeholder<float>("x", {fg::any, 64});
  auto y = layer(fg::tanh(layer(fg::tanh(layer(x, 64, 64)), 64, 64)), 64, 8);

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  bool equal = true;
  std::printf("rows  prepared step  per row  session::run\n");
  for (const std::int64_t rows : {1, 8, 64}) {
    fg::tensor<float> batch({rows, 64});
    for (std::size_t i = 0; i < batch.size(); ++i) batch.writable()[i] = static_cast<float>(i % 7) - 3;
    const double prepared = microseconds([&] { step(batch); }), run = microseconds([&] { s.run(fg::fetch(y), {{x, batch}}); });
    std::printf("%4d  %10.2f us  %4.2f us  %9.2f us\n", static_cast<int>(rows), prepared, prepared / static_cast<double>(rows),
                run);
    const auto by_step = step(batch), by_run = s.run(fg::fetch(y), {{x, batch}});
    equal = equal && std::equal(by_step.begin(), by_step.end(), by_run.begin());
  }

  // Where the time of a call can still go: a loop or branch by the ready queue, and fetches that had to be copied.
  const fg::step_report plan = step.plan();
  std::printf("%zu calls, %zu bytes of working memory%s%s\n", plan.nodes, plan.arena_bytes,
              plan.queued.empty() ? "" : ", queued: ", plan.queued.c_str());
  return equal && plan.queued.empty() && plan.copies.empty() ? 0 : 1;
}
