// Counts what an audio callback does besides computing, in 10^6 steps while another thread swaps all weights without pause; prints
// `name value` lines. `torn` counts steps that saw a mix of two swaps.

#include "counters.hpp"

#include <flowgraph/flowgraph.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace {

namespace fg = flowgraph;

constexpr std::size_t layers = 8, size = 128;

// The values of swap k: their sum is 0 in one whole set, and in no other mix.
float value_of(std::size_t layer, float k) {
  return layer + 1 == layers ? -k * static_cast<float>(layers * (layers - 1) / 2) : k * static_cast<float>(layer + 1);
}
fg::tensor<float> filled(float value) {
  fg::tensor<float> t({size});
  for (float& f : t.writable()) f = value;
  return t;
}
// In place and with new tensors in turn.
void swap_all(fg::variable_set& set, long n) {
  const auto k = static_cast<float>(n % 997);
  if (n % 2 == 0) {
    set.swap([&](fg::staged_set& next) {
      for (std::size_t i = 0; i < layers; ++i)
        for (float& f : next.write<float>(i)) f = value_of(i, k);
    });
  } else {
    std::vector<fg::any_tensor> values;
    for (std::size_t i = 0; i < layers; ++i) values.push_back(filled(value_of(i, k)).erased());
    set.swap(values);
  }
}

}  // namespace

int main() {
  constexpr int callbacks = 1'000'000;
  fg::graph g;
  const auto x = g.placeholder<float>("x", {size});
  std::vector<fg::any_out> weights;
  fg::out<float> sum, first;
  for (std::size_t i = 0; i < layers; ++i) {
    const auto w = g.variable("w", filled(0));
    weights.push_back(w);
    sum = i == 0 ? x * w : sum + fg::identity(fg::out<float>(w));
    if (i == 0) first = sum;
  }
  fg::session s{g};
  s.initialize();
  fg::variable_set set = s.try_make_set("weights", weights).value();
  auto step = s.prepare(fg::feed(x), fg::fetch(sum, first));
  const auto ones = filled(1);
  for (int i = 0; i < 10; ++i) step(ones);

  std::atomic<long> swaps = 0;
  std::thread([&] {
    for (;; ++swaps) swap_all(set, swaps);
  }).detach();  // to the end of the process
  while (swaps < 10) std::this_thread::yield();
  if (!trap_system_calls() || !counters_work()) {
    std::fprintf(stderr, "system calls cannot be counted here: seccomp filters are refused\n");
    std::_Exit(1);
  }
  long torn = 0, changes = 0;
  float last = -1;
  counting = true;
  for (int i = 0; i < callbacks; ++i) {
    const auto [zero, now] = step(ones);
    bool is_whole = true;
    for (const float f : zero.values()) is_whole = is_whole && f == 0;
    torn += is_whole ? 0 : 1;
    changes += now[0] != last ? 1 : 0;
    last = now[0];
  }
  counting = false;
  char text[100];
  std::snprintf(text, sizeof text, "torn %ld\nswaps %ld\nchanges %ld\n", torn, swaps.load(), changes);
  end_with_counts(text);
}
