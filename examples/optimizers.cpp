// Optimizers: one model, trained by each method in turn.
//
//     x ──> MatMul(w) ──> + b ──> - t ──> Square ──> Mean ──> loss ──> gradients ──> update of w and b
//
//     weights by one method, biases by another: gradients(loss) ──> two lists ──> apply(weights), apply(biases)

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/adamw.hpp>
#include <flowgraph/train/ftrl.hpp>
#include <flowgraph/train/lazy_adam.hpp>
#include <flowgraph/train/proximal.hpp>
#include <flowgraph/train/rms_prop.hpp>

#include <cstdio>

namespace fg = flowgraph;

namespace {

struct model {
  fg::graph g;
  fg::variable<float> w = g.variable("w", fg::zeros<float>({2, 1}));
  fg::variable<float> b = g.variable("b", fg::zeros<float>({1}));
  fg::out<float> x = g.constant(fg::tensor<float>({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}));
  fg::out<float> t = g.constant(fg::tensor<float>({4, 1}, {1, 0, 3, 2}));  // 2 x0 - x1 + 1
  fg::out<float> loss = fg::mean(fg::square(fg::matmul(x, w) + b - t));

  float loss_after(const fg::target& train, int steps) {
    fg::session s{g};
    s.initialize();
    auto step = s.prepare(fg::feed(), fg::fetch(loss), train);
    float last = 0;
    for (int i = 0; i < steps; ++i) last = step().scalar();
    return last;
  }
};

int failures = 0;

template <class Method> void train(const char* name, const Method& method) {
  model m;
  const float last = m.loss_after(method.minimize(m.loss), 200);
  std::printf("%-28s loss %.4f\n", name, static_cast<double>(last));
  failures += !(last < 0.3f);
}

}  // namespace

int main() {
  train("gradient descent", fg::sgd{.rate = 0.1f});
  train("momentum", fg::momentum{.rate = 0.05f, .momentum = 0.9f});
  train("Nesterov's momentum", fg::momentum{.rate = 0.05f, .momentum = 0.9f, .nesterov = true});
  train("Adagrad", fg::adagrad{.rate = 0.5f});
  train("Adagrad, dual averaging", fg::adagrad_da{.rate = 1});
  train("Adadelta", fg::adadelta{.rate = 1, .epsilon = 1e-4f});
  train("Adam", fg::adam{.rate = 0.1f});
  train("AdamW", fg::adamw{.rate = 0.1f, .weight_decay = 1e-3f});
  train("Adam, lazy", fg::lazy_adam{.rate = 0.1f});
  train("AdamW, lazy", fg::lazy_adamw{.rate = 0.1f, .weight_decay = 1e-3f});
  train("RMSProp", fg::rms_prop{.rate = 0.02f, .momentum = 0.5f});
  train("RMSProp, centred", fg::rms_prop{.rate = 0.02f, .epsilon = 1e-3f, .centered = true});
  train("Ftrl", fg::ftrl{.rate = 0.5f, .l1 = 1e-3f});
  train("descent, proximal", fg::proximal_sgd{.rate = 0.1f, .l1 = 1e-3f});
  train("Adagrad, proximal", fg::proximal_adagrad{.rate = 0.5f, .l2 = 1e-3f});

  // Weights shrink, biases do not. All gradients are computed before a variable changes.
  model m;
  fg::trained_list<float> weights, biases;
  for (const auto& p : fg::adam{}.gradients(m.loss)) (p.variable.shape().rank > 1 ? weights : biases).push_back(p);
  auto both = fg::group(fg::adamw{.rate = 0.1f, .weight_decay = 1e-3f}.apply(weights), fg::adam{.rate = 0.1f}.apply(biases));
  return failures == 0 && m.loss_after(both, 200) < 0.3f ? 0 : 1;
}
