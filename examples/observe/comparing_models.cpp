// The same model in other forms: against a copy with a fault, in other configurations of a session, and its gradients against slopes.
//
//     x ──> product (w, b) ──> bend ──> out ──> y ──> loss         bend: tanh, or by mistake sigmoid

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/observe/configurations.hpp>
#include <flowgraph/observe/gradient_check.hpp>
#include <flowgraph/observe/side_by_side.hpp>

#include <cstdio>

namespace fg = flowgraph;

struct model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 8});
  fg::variable<float> w = g.variable("w", fg::glorot_uniform<float>({8, 4})), b = g.variable("b", fg::zeros<float>({4}));
  fg::variable<float> out = g.variable("out", fg::glorot_uniform<float>({4, 1}));
  fg::out<float> y, loss;
  fg::target train;

  explicit model(bool is_faulty) {
    const auto product = fg::matmul(x, w, fg::site{"product"}) + b;
    y = fg::matmul(is_faulty ? fg::sigmoid(product, {"bend"}) : fg::tanh(product, {"bend"}), out, fg::site{"y"});
    loss = fg::mean(fg::square(y - 1.f));
    train = fg::adam{.rate = 0.01f}.minimize(loss);
  }
};

int main() {
  model m(false), faulty(true);
  fg::tensor<float> rows({32, 8});
  for (float value = 0; float& e : rows.writable()) e = (value = value < 1 ? value + 0.07f : -1.f);

  // Side by side: the first tensor that differs, and by how much.
  fg::session ours{m.g, {.passes = fg::pass_options::none()}}, theirs{faulty.g, {.passes = fg::pass_options::none()}};
  ours.initialize();
  theirs.initialize();
  const auto found =
      fg::compare_side_by_side(ours, theirs, {.feeds = {{"x", rows.erased()}}, .fetches = {"y"}}, {.allowed = {.relative = 1e-6}})
          .value();
  if (!found.are_equal()) std::puts(found.text().c_str());

  // Three steps of training, each configuration in a session of its own: to the bit.
  fg::thread_pool pool(2);
  const fg::fed feeds[]{{m.x, rows}};
  const fg::any_out fetches[]{m.loss, m.y};
  const fg::target targets[]{m.train};
  const auto everywhere = fg::compare_configurations(m.g, {.feeds = feeds, .fetches = fetches, .targets = targets, .runs = 3},
                                                     {{"alone", {}},
                                                      {"threads", {.pool = &pool}},
                                                      {"no passes", {.passes = fg::pass_options::none()}},
                                                      {"ready queue", {.dynamic = true}}})
                              .value();
  std::fputs(everywhere.text().c_str(), stdout);

  // Slopes of the objective, element by element.
  auto [dw, db] = fg::gradients(m.loss, m.w, m.b);
  const auto slopes = fg::check_gradients(ours, m.loss, {{m.w, dw}, {m.b, db}}, {{m.x, rows}}).value();
  std::fputs(slopes.text().c_str(), stdout);

  return found.first && found.first->op == "Tanh<float>" && everywhere.are_equal() && slopes.are_right() ? 0 : 1;
}
