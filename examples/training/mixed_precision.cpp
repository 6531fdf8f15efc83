// Mixed precision: products of halves, variables of floats, and a loss that is scaled so that small gradients are not lost in halves.
//
//     w ──> half ─┐
//     x ──> half ─┴─> MatMul ──> float ──> loss ──> * scale ──> gradients ──> / scale ──> finite? ─┬─> Adam
//                                                     ^                                            └─> skipped, scale / 2

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/loss_scale.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  g.set_seed(2);
  auto x = fg::random_normal<float>(g, {32, 8});
  auto w = g.variable("w", fg::glorot_uniform<float>({8, 16})), v = g.variable("v", fg::glorot_uniform<float>({16, 1}));
  const auto half = [](auto t) { return fg::cast<fg::half>(t); };
  auto hidden = fg::tanh(fg::matmul(half(x), half(w)));
  auto y = fg::cast<float>(fg::matmul(hidden, half(v)));
  auto wanted = fg::reshape(fg::mean(fg::tanh(x), 1), {-1, 1});
  auto loss = fg::mean(fg::square(y - wanted));

  // The first scale is too large for halves: it shrinks until gradients are finite, and grows after each 100 good steps.
  fg::loss_scale scale(g, {.initial = 16777216, .growth_steps = 100});
  auto train = scale.minimize(fg::adam{.rate = 0.01f}, loss);

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(), fg::fetch(loss, scale.value(), scale.skipped_steps()), train);
  float first = 0, last = 0, largest = 0;
  std::int64_t skipped = 0;
  for (int i = 0; i < 600; ++i) {
    auto [now, factor, left_out] = step();
    last = now.scalar();
    if (i == 0) first = last;
    if (i % 100 == 0)
      std::printf("step %3d  loss %.5f  scale %8.0f  %d steps skipped\n", i, last, factor.scalar(),
                  static_cast<int>(left_out.scalar()));
    largest = factor.scalar() > largest ? factor.scalar() : largest;
    skipped = left_out.scalar();
  }
  return skipped > 0 && last < 0.2f * first ? 0 : 1;
}
