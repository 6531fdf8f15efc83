// Fine tuning: a model that was trained for one task learns another one. At first its head alone, then the rest too, more slowly.
//
//     x ──> encoder/w ──> Tanh ──> head/w ──> y          1. encoder frozen        2. encoder at a tenth of the head's rate

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/scopes.hpp>
#include <flowgraph/train/training_loop.hpp>

#include <algorithm>
#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  g.set_seed(3);
  fg::variable<float> encoder, head;
  auto x = fg::random_uniform<float>(g, {64, 2});
  auto wanted = g.placeholder<float>("wanted", {});  // the task: x0 * x1 times this, and squares
  {
    auto in = g.in_scope("encoder");
    encoder = g.variable("w", fg::glorot_uniform<float>({2, 32}));
  }
  {
    auto in = g.in_scope("head");
    head = g.variable("w", fg::glorot_uniform<float>({32, 1}));
  }
  auto y = fg::matmul(fg::tanh(fg::matmul(x, encoder)), head);
  auto loss = fg::mean(fg::square(y - fg::prod(x, 1, true) * wanted - fg::mean(fg::square(x), 1, true) * (1.f - wanted)));

  auto learn = fg::adam{.rate = 0.02f}.minimize(loss);
  fg::target tune_head;
  {
    const fg::frozen_scopes frozen(g, {"encoder"});
    tune_head = fg::adam{.rate = 0.02f}.minimize(loss);
  }
  const auto parts = fg::adam{}.gradients(loss);
  auto tune_all = fg::group(fg::adam{.rate = 0.002f}.apply(fg::select_scopes(parts, {"encoder"})),
                            fg::adam{.rate = 0.02f}.apply(fg::leave_out_scopes(parts, {"encoder"})));

  fg::session s{g};
  s.initialize();
  const auto train = [&](const char* what, const fg::target& t, float task) {
    const fg::tensor<float> given(task);
    auto step = s.prepare(fg::feed(wanted), fg::fetch(loss), t);
    fg::training_loop loop(s, {.steps = 400});
    loop.run([&] { return step(given).scalar(); });
    std::printf("%-28s loss %.5f\n", what, loop.progress().loss);
    return loop.progress().loss;
  };
  train("products are learnt", learn, 1);
  const float other = s.run(fg::fetch(loss), {{wanted, fg::tensor<float>(0.f)}}).scalar();
  const auto before = s.run(fg::fetch(encoder));
  const float by_head = train("squares, by the head alone", tune_head, 0);
  const auto kept = s.run(fg::fetch(encoder));
  const float by_all = train("squares, by all of it", tune_all, 0);
  const auto moved = s.run(fg::fetch(encoder));
  const bool stood = std::equal(before.begin(), before.end(), kept.begin());
  return stood && !std::equal(kept.begin(), kept.end(), moved.begin()) && by_head < other && by_all < 0.1f * other ? 0 : 1;
}
