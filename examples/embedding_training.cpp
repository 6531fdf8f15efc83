// A table and a head, trained in pieces: some variables are frozen, gradients accumulate, and the table's rows train lazily.
//
//     ids ──> Gather(encoder/table) ──> MatMul(head/w) ──> - t ──> Square ──> Mean ──> loss
//
//     4 x (gradients ──> kept) ──> mean ──> lazy Adam ──> the rows that were looked up

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/accumulate_gradients.hpp>
#include <flowgraph/train/lazy_adam.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  fg::variable<float> table, offset, w;
  {
    auto in = g.in_scope("encoder");
    table = g.variable("table", fg::random_normal<float>({1000, 4}, 0, 0.1));
    offset = g.variable("offset", fg::ones<float>({4}), {.trainable = false});
  }
  {
    auto in = g.in_scope("head");
    w = g.variable("w", fg::glorot_uniform<float>({4, 1}));
  }
  auto ids = g.placeholder<std::int32_t>("ids", {fg::any});
  auto t = g.placeholder<float>("t", {fg::any, 1});
  auto loss = fg::mean(fg::square(fg::matmul(fg::gather(table, ids) + offset, w) - t));

  // Four runs of the target, one update.
  auto train = fg::accumulate_gradients(fg::lazy_adam{.rate = 0.05f}, {.steps = 4}).minimize(loss);

  // The head alone: the table stays as it is.
  g.set_trainable("encoder", false);
  auto tune = fg::sgd{.rate = 0.01f}.minimize(loss);
  bool right = g.trainable_variables() == fg::any_out_list{w};

  fg::session s{g};
  s.initialize();
  const fg::tensor<std::int32_t> rows[]{{{2}, {3, 7}}, {{2}, {3, 500}}, {{2}, {7, 7}}, {{2}, {500, 3}}};
  const fg::tensor<float> wanted[]{{{2, 1}, {1, 2}}, {{2, 1}, {1, 3}}, {{2, 1}, {2, 2}}, {{2, 1}, {3, 1}}};
  const auto first = s.run(fg::fetch(table));
  auto step = s.prepare(fg::feed(ids, t), fg::fetch(loss), train);
  float last = 0;
  for (std::size_t i = 0; i < 4 * 200; ++i) last = step(rows[i % 4], wanted[i % 4]).scalar();
  const auto trained = s.run(fg::fetch(table));
  std::printf("loss %.5f\n", static_cast<double>(last));
  right = right && last < 0.05f && trained(7, 0) != first(7, 0) && trained(8, 0) == first(8, 0);

  // From outside, without nodes; and in the graph, by a target.
  s.assign({{table, first}, {w, fg::tensor<float>({4, 1}, {1, 1, 1, 1})}});
  s.run(tune, {{ids, rows[0]}, {t, wanted[0]}});
  right = right && s.run(fg::fetch(table))(7, 0) == first(7, 0) && s.run(fg::fetch(w))(0, 0) != 1;
  auto reset = fg::assign_all(g, {{w, fg::zeros_like(w)}, {offset, offset * 2.f}});
  s.run(reset);
  right = right && s.run(fg::fetch(w))(0, 0) == 0 && s.run(fg::fetch(offset))[0] == 2;
  return right ? 0 : 1;
}
