// Counts what prepared steps with loops and arrays of tensors do besides computing, once warm; prints `name value` lines.
//
//     gate_recurrent blocks|sizes|training|straight|named RUNS
//
// blocks: an LSTM along a stream, by blocks of one size. sizes: by blocks of as many sizes as a session keeps layouts by default.
// training: gradients through dynamic_rnn, map_fn, scan and foldl. straight: an array, its gradients and a stack without a loop or a
// branch. named: arrays and stacks that are named by strings, and temporary variables, as old graphs have them.

#include "../values.hpp"
#include "counters.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/control_flow/fold.hpp>
#include <flowgraph/ops/control_flow/map.hpp>
#include <flowgraph/ops/data_flow/stack.hpp>
#include <flowgraph/ops/data_flow/tensor_array_by_name.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>
#include <flowgraph/ops/state/temporary.hpp>
#include <flowgraph/train/loop_products.hpp>

#include <array>
#include <cstdlib>
#include <string_view>

namespace {

namespace fg = flowgraph;

constexpr std::int64_t units = 8;
constexpr int warm = 8;  // docs/running.md: calls with each set of shapes

// Runs the step with one input after the other, and ends the process with what was counted.
template <class Step, std::size_t N>
[[noreturn]] void measure(Step& step, const std::array<fg::tensor<float>, N>& inputs, int runs) {
  if (!step.plan().queued.empty()) std::printf("queued %s\n", step.plan().queued.c_str());
  for (int i = 0; i < warm; ++i)
    for (const auto& x : inputs) step(x);
  std::fflush(stdout);
  if (!trap_system_calls() || !counters_work()) {
    std::fprintf(stderr, "system calls cannot be counted here: seccomp filters are refused\n");
    std::exit(1);
  }
  float last = 0;
  counting = true;
  for (int i = 0; i < runs; ++i) last = step(inputs[static_cast<std::size_t>(i) % N])[0];
  counting = false;
  char text[100];
  std::snprintf(text, sizeof text, "last %g\n", static_cast<double>(last));
  end_with_counts(text);
}

// Outputs of an LSTM whose state stays from block to block.
template <std::size_t N> void run_stream(const std::array<std::int64_t, N>& sizes, fg::dim declared, int runs) {
  fg::graph g;
  const fg::lstm_cell<float> cell(g, 1, units);
  const auto x = g.placeholder<float>("x", {1, declared, 1});
  const auto c = g.variable("c", fg::zeros<float>({1, units})), h = g.variable("h", fg::zeros<float>({1, units}));
  const auto [outputs, last] = fg::dynamic_rnn(cell, x, {.initial_state = fg::lstm_state<float>{c, h}});
  const auto keep = fg::group(fg::assign(c, last.c), fg::assign(h, last.h));
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x), fg::fetch(outputs), keep);
  std::array<fg::tensor<float>, N> inputs;
  for (std::size_t i = 0; i < N; ++i) inputs[i] = bench::fill(static_cast<std::uint32_t>(i), {1, sizes[i], 1});
  measure(step, inputs, runs);
}

void run_training(int runs) {
  fg::graph g;
  const fg::lstm_cell<float> cell(g, 4, units);
  const auto x = g.placeholder<float>("x", {2, fg::any, 4});
  const auto rows = fg::reshape(x, {-1, 4});
  const auto scale = g.variable("scale", fg::ones<float>({4}));
  const auto zero = g.constant(fg::tensor<float>({4}));
  const auto mapped = fg::map_fn([&](auto row) { return fg::tanh(row * scale); }, rows);
  const auto scanned = fg::scan([&](auto sum, auto row) { return sum * 0.5f + row * scale; }, rows, zero);
  const auto folded = fg::foldl([&](auto sum, auto row) { return fg::tanh(sum) + row * scale; }, rows, zero);
  const auto [outputs, last] = fg::dynamic_rnn(cell, x);
  const auto loss = fg::reshape(
      fg::mean(fg::square(outputs)) + fg::mean(fg::square(mapped)) + fg::mean(fg::square(scanned)) + fg::mean(fg::square(folded)),
      {1});
  const fg::target update = fg::adam{.rate = 1e-4f}.minimize(fg::sum(loss));
  fg::session s{g, {.passes = {.further = {fg::passes::loop_products}}}};
  s.initialize();
  auto step = s.prepare(fg::feed(x), fg::fetch(loss), update);
  measure(step, std::array{bench::fill(1, {2, 6, 4}), bench::fill(2, {2, 9, 4}), bench::fill(3, {2, 1, 4})}, runs);
}

// Prepares a step that fetches y, made of rows of x, and runs it.
template <class F> void run_rows(F&& make, int runs) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {3, 4});
  const fg::out<float> y = make(g, x);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  measure(step, std::array{bench::fill(1, {3, 4})}, runs);
}

// Each value is taken after the one before, so that it is the one that was put.
template <class Push, class Pop, class Stack> fg::out<float> through(fg::graph& g, const Stack& stack, const fg::out<float>& x) {
  const auto pushed = fg::apply(Push{}, stack, x);
  const auto after = g.after(pushed);
  return fg::apply_as<float>({}, Pop{}, stack);
}

fg::out<float> without_loop(fg::graph& g, const fg::out<float>& x) {
  const auto rows = fg::tensor_array<float>(g, 3).unstack(x);
  const auto squares = fg::square(rows.stack());
  fg::stack_v2_op made;
  made.element = fg::dtype::float32;
  return through<fg::stack_push_v2_op, fg::stack_pop_v2_op>(g, fg::apply(made, g.constant(-1)),
                                                            fg::out<float>(fg::gradients(fg::sum(squares), x)));
}

template <class Array, class Scatter, class Gather> fg::out<float> through_named(fg::graph& g, const fg::out<float>& x) {
  Array made;
  made.element = fg::dtype::float32;
  made.tensor_array_name = "an array with a long name";
  const auto array = fg::apply(made, g.constant(3));
  const auto indices = g.constant(fg::tensor<std::int32_t>({3}, {2, 0, 1}));
  const auto full = fg::apply(Scatter{}, array, indices, x, g.constant(0.f));
  const auto squares = fg::square(fg::apply_as<float>({}, Gather{}, array, indices, full));
  return squares + fg::out<float>(fg::gradients(fg::sum(squares), x));
}

fg::out<float> by_names(fg::graph& g, const fg::out<float>& x) {
  const auto sum = through_named<fg::tensor_array_op, fg::tensor_array_scatter_op, fg::tensor_array_gather_op>(g, x) +
                   through_named<fg::tensor_array_v2_op, fg::tensor_array_scatter_v2_op, fg::tensor_array_gather_v2_op>(g, x);
  fg::stack_op made;
  made.element = fg::dtype::float32;
  const auto top = through<fg::stack_push_op, fg::stack_pop_op>(g, fg::apply_in<>(g, made), sum);
  const auto temporary =
      fg::apply_in<float>(g, fg::temporary_variable_op{.declared = {3, 4}, .var_name = "a temporary variable"});
  return fg::apply(fg::destroy_temporary_variable_op{"a temporary variable"}, fg::apply(fg::assign_add_op{}, temporary, top));
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count == 3 ? arguments[1] : "";
  const int runs = count == 3 ? std::atoi(arguments[2]) : 0;
  if (what == "blocks") run_stream(std::array<std::int64_t, 1>{16}, 16, runs);
  if (what == "sizes") run_stream(std::array<std::int64_t, 8>{16, 3, 1, 12, 7, 16 + 5, 2, 9}, fg::any, runs);
  if (what == "training") run_training(runs);
  if (what == "straight") run_rows(without_loop, runs);
  if (what == "named") run_rows(by_names, runs);
  return 2;
}
