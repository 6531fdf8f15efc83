// Tools that find faults in a model, each with a fault planted for it: wrong numbers of parameters, an objective that is not constant, a NaN,
// a graph that differs from another.
//
//     x ──> hidden (w, b) ──> tanh ──> [dropout] ──> out ──> logits ──> loss <── t

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/observe/configurations.hpp>
#include <flowgraph/observe/constant_objective.hpp>
#include <flowgraph/observe/gradient_check.hpp>
#include <flowgraph/observe/model_account.hpp>
#include <flowgraph/observe/not_finite.hpp>

#include <cstdio>

namespace fg = flowgraph;

namespace {

enum class fault { none, wide_bias, dropout, long_steps, wrong_function };

struct model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 8});
  fg::out<float> t = g.placeholder<float>("t", {fg::any, 1});
  fg::variable<float> w, b;
  fg::out<float> logits, loss;
  fg::target train;

  explicit model(fault planted) {
    fg::out<float> h;
    {
      const auto in = g.in_scope("hidden");
      w = g.variable("w", fg::glorot_uniform<float>({8, 4}, 7));
      b = g.variable("b", fg::zeros<float>(planted == fault::wide_bias ? fg::shape{32, 4} : fg::shape{4}));
      h = fg::matmul(x, w) + b;
      h = planted == fault::wrong_function ? fg::sigmoid(h, {"bend"}) : fg::tanh(h, {"bend"});
    }
    if (planted == fault::dropout) h = fg::dropout(h, 0.5f);
    const auto out = g.variable("out", fg::glorot_uniform<float>({4, 1}, 9));
    logits = fg::matmul(h, out, fg::site{"logits"});
    loss = fg::mean(fg::square(logits - t), {"loss"});
    train = fg::sgd{.rate = planted == fault::long_steps ? 1e4f : 0.1f}.minimize(loss);
  }
};

const fg::session_options every_node{.passes = fg::pass_options::none()};

fg::tensor<float> numbers(const fg::shape& shape) {
  fg::tensor<float> made(shape);
  for (float value = 0; float& e : made.writable()) e = (value = value < 1 ? value + 0.07f : -1.f);
  return made;
}
const fg::tensor<float> rows = numbers({32, 8}), labels = numbers({32, 1});

bool numbers_are_as_stated(fault planted) {
  const model m(planted);
  const auto account = fg::account_of(m.g, {m.logits}, {{m.x, {32, 8}}}).value();
  std::fputs(fg::to_text(account).c_str(), stdout);
  for (const std::string& fault : fg::faults_of(account, {{"hidden", 8 * 4 + 4, 32 * 8 * 4}})) std::puts(fault.c_str());
  return fg::faults_of(account, {{"hidden", 8 * 4 + 4, 32 * 8 * 4}}).empty();
}

bool objective_is_constant(fault planted) {
  const model m(planted);
  fg::session s{m.g, every_node};
  s.initialize();
  const auto objective = fg::check_constant_objective(s, m.loss, {{m.x, rows}, {m.t, labels}}).value();
  if (!objective.is_constant()) std::puts(objective.text().c_str());
  return objective.is_constant();
}

bool stays_finite(fault planted) {
  const model m(planted);
  fg::session s{m.g, every_node};
  s.initialize();
  fg::finite_check check;
  for (int step = 0; step < 200 && !check.found(); ++step) s.run(m.train, {{m.x, rows}, {m.t, labels}}, {.measure = &check});
  if (check.found()) std::puts(check.found()->text().c_str());
  return !check.found();
}

bool is_equal_to_the_original(fault planted) {
  const model original(fault::none), other(planted);
  fg::session ours{original.g, every_node}, theirs{other.g, every_node};
  ours.initialize();
  theirs.initialize();
  const auto found = fg::compare_side_by_side(ours, theirs, {.feeds = {{"x", rows.erased()}}, .fetches = {"logits"}, .targets = {}},
                                              {.allowed = {.relative = 1e-6}, .rename = {}})
                         .value();
  if (!found.are_equal()) std::puts(found.text().c_str());
  return found.are_equal();
}

bool is_the_same_everywhere() {
  const model m(fault::none);
  fg::thread_pool pool(2);
  const fg::fed feeds[]{{m.x, rows}, {m.t, labels}};
  const fg::any_out fetches[]{m.loss, m.logits};
  const fg::target targets[]{m.train};
  const auto everywhere = fg::compare_configurations(m.g, {.feeds = feeds, .fetches = fetches, .targets = targets, .runs = 3},
                                                     {{"alone", {}},
                                                      {"threads", {.pool = &pool}},
                                                      {"no passes", {.passes = fg::pass_options::none()}},
                                                      {"ready queue", {.dynamic = true}}})
                              .value();
  std::fputs(everywhere.text().c_str(), stdout);
  return everywhere.are_equal();
}

bool has_right_gradients() {
  const model m(fault::none);
  auto [dw, db] = fg::gradients(m.loss, m.w, m.b);
  fg::session s{m.g};
  s.initialize();
  const auto slopes = fg::check_gradients(s, m.loss, {{m.w, dw}, {m.b, db}}, {{m.x, rows}, {m.t, labels}}).value();
  std::fputs(slopes.text().c_str(), stdout);
  return slopes.are_right();
}

}  // namespace

int main() {
  bool is_good = true;
  const auto check = [&](bool held, bool expected) { is_good = is_good && held == expected; };
  for (const fault planted : {fault::none, fault::wide_bias}) check(numbers_are_as_stated(planted), planted == fault::none);
  for (const fault planted : {fault::none, fault::dropout}) check(objective_is_constant(planted), planted == fault::none);
  for (const fault planted : {fault::none, fault::long_steps}) check(stays_finite(planted), planted == fault::none);
  for (const fault planted : {fault::none, fault::wrong_function}) check(is_equal_to_the_original(planted), planted == fault::none);
  check(is_the_same_everywhere(), true);
  check(has_right_gradients(), true);
  return is_good ? 0 : 1;
}
