// One model on three devices: each replica has the gradients of its rows of the batch, and their mean changes the variables once.
//
//     x, y ──┬─> rows  0 to 10 ─> cpu:0 ──> gradients ──┐
//            ├─> rows 11 to 21 ─> cpu:1 ──> gradients ──┼──> mean on cpu:0 ──> Adam ──> variables, read by all three
//            └─> rows 22 to 31 ─> cpu:2 ──> gradients ──┘

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/replicate.hpp>

#include <cstdio>
#include <vector>

namespace fg = flowgraph;

// The variables of `owner`: of a graph, or of all replicas.
template <class Owner> fg::out<float> guess(Owner& owner, fg::out<float> x) {
  auto w = owner.variable("w", fg::glorot_uniform<float>({2, 16}));
  auto b = owner.variable("b", fg::zeros<float>({16}));
  auto v = owner.variable("v", fg::glorot_uniform<float>({16, 1}));
  return fg::matmul(fg::tanh(fg::bias_add(fg::matmul(x, w), b)), v);
}

int main() {
  fg::graph g;
  g.set_seed(1);
  auto x = g.placeholder<float>("x", {fg::any, 2}), y = g.placeholder<float>("y", {fg::any, 1});
  const fg::device_list cpus = fg::cpu_devices(3);

  const auto [loss, gradients] =
      fg::replicate(g, cpus, [&](const fg::replica& r) { return fg::mean(fg::square(guess(r, r.rows(x)) - r.rows(y))); });
  auto train = fg::adam{.rate = 1e-2f}.apply(gradients);

  // Where the replicas stand makes no difference to the bits.
  fg::session spread{g, {.devices = cpus}}, alone{g, {.soft_placement = true}};
  spread.initialize();
  alone.initialize();
  auto step = spread.prepare(fg::feed(x, y), fg::fetch(loss), train),
       same = alone.prepare(fg::feed(x, y), fg::fetch(loss), train);

  fg::tensor<float> points({32, 2}), products({32, 1});
  std::uint64_t seed = 1;
  float found = 1;
  for (int i = 1; i <= 300; ++i) {
    for (std::size_t k = 0; k < 32; ++k) {
      for (std::size_t j = 0; j < 2; ++j) points.writable()[2 * k + j] = static_cast<float>((seed *= 48271) % 2001) / 1000 - 1;
      products.writable()[k] = points(k, 0) * points(k, 1);
    }
    found = step(points, products).scalar();
    if (found != same(points, products).scalar()) return 1;
    if (i % 100 == 0) std::printf("step %d  loss %.5f\n", i, found);
  }

  const fg::explanation e = spread.explain(fg::fetch(loss), train, {{x, {32, 2}}, {y, {32, 1}}});
  std::printf("%zu transfers, %zu bytes a step\n", e.transfers, e.crossing_bytes);
  return found < 0.01f && e.transfers > 0 ? 0 : 1;
}
