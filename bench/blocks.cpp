// Blocks of a transformer. bench/peers/kernels.py computes the same.

#include "models.hpp"
#include "op_step.hpp"

#include <flowgraph/ops/math/special.hpp>

namespace bench {

namespace {

constexpr int words = 128, width = 256, heads = 8, inner = 4 * width;

void layer_norm(const options& o, std::string_view name) {
  const fg::shape rows{1024, 768}, row{768};
  fg::graph g;
  const auto x = g.placeholder<float>("x", rows), scale = g.placeholder<float>("scale", row),
             offset = g.placeholder<float>("offset", row);
  const auto centered = x - fg::mean(x, {1}, true);
  const auto y = centered * fg::rsqrt(fg::mean(fg::square(centered), {1}, true) + 1e-5f) * scale + offset;
  time_op(o, name, g, y, std::tuple{x, scale, offset}, fill(700, rows), fill(701, row), fill(702, row));
}

void gelu_block(const options& o, std::string_view name) {
  fg::graph g;
  layers<false> l(g);
  const auto x = g.placeholder<float>("x", {words, width});
  const auto y = l.dense(x, width, inner);
  const auto gelu = 0.5f * y * (1.f + fg::erf(y * 0.70710678f));
  time_op(o, name, g, l.dense(gelu, inner, width), std::tuple{x}, fill(700, {words, width}));
}

// A text of `words` rows, which all look at all.
void attention_block(const options& o, std::string_view name) {
  fg::graph g;
  layers<false> l(g);
  const auto x = g.placeholder<float>("x", {words, width});
  const auto of_heads = [&] {
    return fg::transpose(fg::reshape(l.dense(x, width, width), {words, heads, width / heads}), {1, 0, 2});
  };
  const auto queries = of_heads(), keys = of_heads(), values = of_heads();
  const auto weights = fg::softmax(fg::batch_matmul(queries, keys, {.adj_y = true}) * (1 / std::sqrt(float{width / heads})));
  const auto seen = fg::reshape(fg::transpose(fg::batch_matmul(weights, values), {1, 0, 2}), {words, width});
  time_op(o, name, g, l.dense(seen, width, width), std::tuple{x}, fill(700, {words, width}));
}

constexpr work works[] = {{"layer_norm", layer_norm}, {"gelu_block", gelu_block}, {"attention_block", attention_block}};

}  // namespace

std::span<const work> block_works() { return works; }

}  // namespace bench
