// A layer, its session and a prepared step, header-only and without exceptions. Compiled, never run.

#include <flowgraph/flowgraph.hpp>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1, 64});
  auto w = g.variable("w", fg::glorot_uniform<float>({64, 64}));
  auto y = fg::tanh(fg::matmul(x, w));
  fg::session s{g};
  s.try_initialize().value();
  auto step = s.try_prepare(fg::feed(x), fg::fetch(y)).value();
  return step.try_run({}, fg::tensor<float>({1, 64})).has_value() ? 0 : 1;
}
