// Tools that find faults in a model, each with a fault planted for it: a bias that is broadcast, an objective that is not constant while
// nothing learns, and a training that ends in infinities.
//
//     x ──> hidden (w, b) ──> tanh ──> [dropout] ──> logits ──> loss <── t

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/observe/constant_objective.hpp>
#include <flowgraph/observe/model_account.hpp>
#include <flowgraph/observe/not_finite.hpp>

#include <cstdio>

namespace fg = flowgraph;

enum class fault { none, wide_bias, random, long_steps };

struct model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 8}), t = g.placeholder<float>("t", {fg::any, 1}), logits, loss;
  fg::target train;

  explicit model(fault planted) {
    const auto scope = std::make_optional(g.in_scope("hidden"));
    const auto w = g.variable("w", fg::glorot_uniform<float>({8, 4}));
    const auto b = g.variable("b", fg::zeros<float>(planted == fault::wide_bias ? fg::shape{32, 4} : fg::shape{4}));
    fg::out<float> hidden = fg::tanh(fg::matmul(x, w) + b);
    if (planted == fault::random) hidden = fg::dropout(hidden, 0.5f);
    const fg::graph::scope outside = g.in_scope("");
    logits = fg::matmul(hidden, g.variable("out", fg::glorot_uniform<float>({4, 1})));
    loss = fg::mean(fg::square(logits - t));
    train = fg::sgd{.rate = planted == fault::long_steps ? 1e4f : 0.1f}.minimize(loss);
  }
};

// How many of the tools find a fault.
int faults_found(fault planted) {
  const model m(planted);
  int found = 0;

  // The numbers of the model's description: parameters and multiply-adds for a batch of 32.
  const auto account = fg::account_of(m.g, {m.logits}, {{m.x, {32, 8}}}).value();
  std::fputs(fg::to_text(account).c_str(), stdout);
  const auto wrong = fg::faults_of(account, {{"hidden", 8 * 4 + 4, 32 * 8 * 4}});
  for (const std::string& fault : wrong) std::puts(fault.c_str());
  found += wrong.empty() ? 0 : 1;

  // With all passes off, so that each node is heard of.
  fg::session s{m.g, {.passes = fg::pass_options::none()}};
  s.initialize();
  fg::tensor<float> rows({32, 8}), labels({32, 1});
  for (float value = 0; float& e : rows.writable()) e = (value = value < 1 ? value + 0.07f : -1.f);
  const auto objective = fg::check_constant_objective(s, m.loss, {{m.x, rows}, {m.t, labels}}).value();
  if (!objective.is_constant()) std::puts(objective.text().c_str());
  found += objective.is_constant() ? 0 : 1;

  fg::finite_check check;
  for (int step = 0; step < 50 && !check.found(); ++step) s.run(m.train, {{m.x, rows}, {m.t, labels}}, {.measure = &check});
  if (check.found()) std::puts(check.found()->text().c_str());
  return found + (check.found() ? 1 : 0);
}

int main() {
  const bool is_clean = faults_found(fault::none) == 0;
  bool are_found = true;
  for (const fault planted : {fault::wide_bias, fault::random, fault::long_steps})
    are_found = are_found && faults_found(planted) == 1;
  return is_clean && are_found ? 0 : 1;
}
