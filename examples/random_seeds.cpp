// Random numbers: reproducible by seed, different from run to run, the same whoever runs them and on how many threads.
//
//     shape ──> RandomUniform ──> u          keyed by the graph's seed, the op's seed and how often the node has run
//     x ──────> Dropout ────────> d

#include <flowgraph/flowgraph.hpp>

#include <algorithm>
#include <cstdio>

namespace fg = flowgraph;

static bool equal(const fg::tensor<float>& a, const fg::tensor<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

int main() {
  fg::graph g;
  g.set_seed(7);
  auto u = fg::random_uniform<float>(g, {1000});
  auto seeded = fg::random_uniform<float>(g, {1000}, {.seed = 42});
  auto x = g.placeholder<float>("x", {fg::any});
  auto d = fg::dropout(x, 0.25f);

  fg::thread_pool pool(3);
  fg::session one{g}, two{g, {.pool = &pool}};
  const fg::tensor<float> first = one.run(fg::fetch(u)), second = one.run(fg::fetch(u));
  const bool fresh = !equal(first, second);
  const bool again = equal(two.run(fg::fetch(u)), first) && equal(two.run(fg::fetch(u)), second);
  const bool apart = !equal(one.run(fg::fetch(seeded)), first);

  fg::tensor<float> ones({10000});
  std::fill(ones.writable().begin(), ones.writable().end(), 1.f);
  const fg::tensor<float> dropped = one.run(fg::fetch(d), {{x, ones}});
  const auto zeros = std::count(dropped.begin(), dropped.end(), 0.f);
  std::printf("a run differs from the next: %d; a session from another: %d; ", fresh, !again);
  std::printf("dropout dropped %d of 10000\n", static_cast<int>(zeros));
  return fresh && again && apart && zeros > 2300 && zeros < 2700 ? 0 : 1;
}
