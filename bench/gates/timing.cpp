// Times that are compared with each other within one process; prints `name value` lines.

#include "../models.hpp"
#include "chain.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

namespace {

namespace fg = flowgraph;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// The fastest of several loops of about 10 ms: seconds for one call.
template <class F> double fastest(F&& call) {
  call();
  double started = now();
  call();
  const int inner = std::max(1, static_cast<int>(0.01 / std::max(now() - started, 1e-9)));
  double best = 1e9;
  for (int k = 0; k < 20; ++k) {
    started = now();
    for (int i = 0; i < inner; ++i) call();
    best = std::min(best, (now() - started) / inner);
  }
  return best;
}

// What a program without a library would do: closures in a vector.
double walk_over_functions(int nodes) {
  std::vector<float> values(static_cast<std::size_t>(nodes) + 1, 1.f);
  std::vector<std::function<void()>> calls;
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    calls.push_back([in = &values[i], out = &values[i + 1]] { *out = *in + 0.5f; });
  return fastest([&] {
           for (const auto& call : calls) call();
         }) /
         nodes;
}

void time_nodes() {
  constexpr int nodes = 1000;
  const fg::tensor<float> x(1.f);
  const auto known = gate::chain(nodes, {}), unknown = gate::chain(nodes, fg::shape::unknown());
  fg::session prepared{known.g}, dynamic{unknown.g, {.dynamic = true}};
  auto step = prepared.prepare(fg::feed(known.x), fg::fetch(known.y));

  double walk = 1e9, line = 1e9, queue = 1e9;
  for (int round = 0; round < 3; ++round) {
    walk = std::min(walk, walk_over_functions(nodes));
    line = std::min(line, fastest([&] { step(x); }) / nodes);
    queue = std::min(queue, fastest([&] { dynamic.run(fg::fetch(unknown.y), {{unknown.x, x}}); }) / nodes);
  }
  std::printf("walk_ns %.3f\nprepared_ns %.3f\ndynamic_ns %.3f\n", walk * 1e9, line * 1e9, queue * 1e9);
}

void time_empty_run() {
  const fg::tensor<float> x(1.f);
  const auto g = gate::chain(1, {});
  fg::session s{g.g};
  auto step = s.prepare(fg::feed(g.x), fg::fetch(g.y));
  std::printf("empty_step_us %.4f\n", fastest([&] { step(x); }) * 1e6);
  std::printf("empty_run_us %.4f\n", fastest([&] { s.run(fg::fetch(g.y), {{g.x, x}}); }) * 1e6);
}

// Of several fresh sessions: the first run against the median of those that follow.
void time_first_run() {
  const auto images = bench::fill(700, {bench::batch, 784});
  const auto labels = bench::batch_labels();
  std::vector<double> ratios;
  for (int k = 0; k < 7; ++k) {
    const auto c = bench::mlp(images.shape(), labels.shape());
    const fg::target update = fg::momentum{.rate = 0.01f, .momentum = 0.9f}.minimize(c.loss);
    fg::session s{c.g};
    s.initialize();
    auto step = s.prepare(fg::feed(c.x, c.labels), fg::fetch(c.loss), update);
    std::vector<double> runs;
    for (int i = 0; i < 50; ++i) {
      const double started = now();
      step(images, labels);
      runs.push_back(now() - started);
    }
    ratios.push_back(runs[0] / median({runs.begin() + 1, runs.end()}));
  }
  std::printf("first_run_ratio %.3f\n", median(ratios));
}

// Of a graph of 36,000 nodes: how long it takes to build, and to plan with the passes that are on, with all, and without any.
void time_building() {
  double build = 1e9;
  fg::pass_options all;
  all.further = {fg::passes::known_shapes, fg::passes::dead_switches, fg::passes::arithmetic, fg::passes::dependencies};
  struct way {
    const char* name;
    fg::pass_options passes;
    double seconds = 1e9;
  } ways[]{{"plan_ms", {}}, {"plan_all_passes_ms", all}, {"plan_without_passes_ms", fg::pass_options::none()}};
  for (int k = 0; k < 5; ++k) {
    const double started = now();
    const auto g = gate::dag(36'000, {});
    build = std::min(build, now() - started);
    const fg::any_out feeds[]{g.x}, fetches[]{g.y};
    for (way& w : ways) {
      fg::session s{g.g, {.passes = w.passes}};
      const double asked = now();
      auto planned = s.try_begin_partial(feeds, fetches);
      w.seconds = std::min(w.seconds, now() - asked);
    }
  }
  std::printf("build_ms %.2f\n", build * 1e3);
  for (const way& w : ways) std::printf("%s %.2f\n", w.name, w.seconds * 1e3);
}

}  // namespace

int main() {
  time_nodes();
  time_empty_run();
  time_first_run();
  time_building();
}
