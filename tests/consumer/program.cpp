// The consumer's program: a classifier trained for three steps, and an op of its own, used by type and found by name.

#include "custom_op.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>

namespace fg = flowgraph;

namespace {

// Three steps bring the loss down each time, and the doubled probabilities of a row sum to 2.
bool trains() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto t = g.placeholder<std::int32_t>("t", {fg::any});
  auto w = g.variable("w", fg::glorot_uniform<float>({2, 3}));
  auto b = g.variable("b", fg::zeros<float>({3}));
  auto y = fg::matmul(x, w) + b;
  auto p = fg::apply(twice{}, fg::softmax(y));
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(y, t));
  auto train = fg::adam{.rate = 0.1f}.minimize(loss);

  const fg::tensor<float> points{{4, 2}, {1, 0, 0, 1, -1, 0, 0, -1}};
  const fg::tensor<std::int32_t> labels{{4}, {0, 1, 2, 2}};
  fg::session s{g};
  s.initialize();
  float previous = s.run(fg::fetch(loss), {{x, points}, {t, labels}}).scalar();
  for (int i = 0; i < 3; ++i) {
    s.run(train, {{x, points}, {t, labels}});
    const float now = s.run(fg::fetch(loss), {{x, points}, {t, labels}}).scalar();
    if (!(now < previous)) return false;
    previous = now;
  }

  const fg::tensor<float> doubled = s.run(fg::fetch(p), {{x, points}});
  float sum = 0;
  for (float probability : doubled) sum += probability;
  return std::fabs(sum - 8) < 1e-4f;
}

// What an importer does: the op's name and element type lead to its table, and the table to a node.
bool finds_its_op_by_name() {
  fg::registry ops;
  register_custom_ops(ops);
  const fg::type_binding floats[]{{"T", fg::dtype::float32}};
  const auto found = ops.find("Twice", floats);
  if (!found || ops.find("Thrice", floats)) return false;

  fg::graph g;
  const fg::any_out x = g.constant(21.f);
  alignas(std::max_align_t) std::byte op[64];
  fg::node_request request;
  request.table = found.value();
  request.table->construct(op);
  request.op = op;
  request.inputs = {&x, 1};
  const fg::out<float> y(g.add(request, {}), 0);
  request.table->destroy(op);

  fg::session s{g};
  return s.run(fg::fetch(y)).scalar() == 42;
}

}  // namespace

int main() {
  const bool trained = trains();
  const bool found = finds_its_op_by_name();
  std::printf("trains: %d, finds its op by name: %d\n", trained, found);
  return trained && found ? 0 : 1;
}
