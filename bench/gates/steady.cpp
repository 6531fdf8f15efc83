// Counts what a prepared step does besides computing, in 10^6 runs once warm; prints `name value` lines.

#include "../values.hpp"
#include "counters.hpp"

#include <flowgraph/flowgraph.hpp>

#include <filesystem>

namespace {

namespace fg = flowgraph;

std::size_t threads() {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

fg::out<float> parameter(fg::graph& g, const char* name, std::uint32_t tensor, const fg::shape& shape) {
  return g.variable(name, bench::fill(tensor, shape, 0.2));
}

}  // namespace

int main() {
  constexpr int runs = 1'000'000;
  // A small model that infers and learns: products, an activation, a loss, an update with state.
  fg::graph g;
  const auto x = g.placeholder<float>("x", {4, 16});
  const auto t = g.placeholder<std::int64_t>("t", {4});
  const auto h = fg::tanh(fg::matmul(x, parameter(g, "w1", 1, {16, 16})) + parameter(g, "b1", 2, {16}));
  const auto y = fg::matmul(h, parameter(g, "w2", 3, {16, 8}));
  const auto loss = fg::mean(fg::sparse_softmax_cross_entropy(y, t));
  const fg::target update = fg::adam{.rate = 1e-3f}.minimize(loss);

  fg::session s{g};
  s.initialize();
  auto infer = s.prepare(fg::feed(x), fg::fetch(y));
  auto learn = s.prepare(fg::feed(x, t), fg::fetch(loss), update);
  const auto images = bench::fill(4, {4, 16});
  const auto labels = bench::ints(5, {4}, 8);
  for (int i = 0; i < 10; ++i) infer(images), learn(images, labels);
  std::printf("threads %zu\n", threads() - 1);
  std::fflush(stdout);

  if (!trap_system_calls() || !counters_work()) {
    std::fprintf(stderr, "system calls cannot be counted here: seccomp filters are refused\n");
    return 1;
  }
  float last = 0;
  counting = true;
  for (int i = 0; i < runs; ++i) last = infer(images)[0] + learn(images, labels).scalar();
  counting = false;

  char text[100];
  std::snprintf(text, sizeof text, "last %g\n", static_cast<double>(last));
  end_with_counts(text);
}
