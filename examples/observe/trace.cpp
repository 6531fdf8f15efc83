// A trace of a few training steps: which kernels ran when, on which thread, what they waited for; as tables, and as a file to look at.
//
//     x ──> MatMul ──> Relu ──> MatMul ──> loss ──> step        open the file in https://ui.perfetto.dev

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/observe/trace.hpp>

#include <cstdio>
#include <string>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 64});
  auto t = g.placeholder<float>("t", {fg::any, 8});
  auto w = g.variable("w", fg::glorot_uniform<float>({64, 256}));
  auto v = g.variable("v", fg::glorot_uniform<float>({256, 8}));
  fg::out<float> y, loss;
  {
    const auto scope = g.in_scope("model");
    y = fg::matmul(fg::relu(fg::matmul(x, w)), v);
  }
  {
    const auto scope = g.in_scope("loss");
    loss = fg::mean(fg::square(y - t));
  }
  auto train = fg::sgd{.rate = 0.01f}.minimize(loss);

  fg::thread_pool pool(2);
  fg::session s{g, {.pool = &pool}};
  s.initialize();
  auto step = s.prepare(fg::feed(x, t), fg::fetch(loss), train);
  const fg::tensor<float> images({128, 64}), labels({128, 8});
  step(images, labels);  // no trace of it, and no cost

  fg::trace_recorder seen;
  for (int i = 0; i < 3; ++i) step.try_run({.trace = &seen}, images, labels).value();
  s.run(fg::fetch(loss), {{x, images}, {t, labels}}, {.trace = &seen});

  const fg::collected_trace all = seen.collect();
  std::fputs(fg::tables(all, 8).c_str(), stdout);
  seen.write_chrome_trace("training.trace.json").value();
  std::puts("\ntraining.trace.json: open it in https://ui.perfetto.dev or chrome://tracing");

  std::size_t products = 0;
  for (const fg::node_call& c : fg::node_calls(all, 1)) products += c.op == "MatMul" && c.start <= c.end;
  const auto scopes = fg::time_by_scope(all);
  return products >= 4 && !scopes.empty() && scopes[0].calls > 4 && !fg::critical_path(all, 4).empty() ? 0 : 1;
}
