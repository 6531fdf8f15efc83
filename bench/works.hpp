#pragma once
// The works that are measured, by name. docs/benchmarks.md says what each computes.

#include "measure.hpp"

#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <complex>
#include <memory>
#include <span>

namespace bench {

namespace fg = flowgraph;

struct work {
  std::string_view name;
  void (*run)(const options& o, std::string_view name);
};

std::span<const work> executor_works();
std::span<const work> loop_works();
std::span<const work> model_works();
std::span<const work> recurrent_works();
std::span<const work> op_works();
std::span<const work> device_works();
std::span<const work> queue_works();
std::span<const work> input_works();
std::span<const work> checkpoint_works();

// A pool for `threads`; none for one, which is the caller's own.
inline std::unique_ptr<fg::thread_pool> make_pool(int threads) {
  return threads > 1 ? std::make_unique<fg::thread_pool>(threads) : nullptr;
}

inline double mean_magnitude(const fg::tensor<float>& t) {
  double sum = 0;
  for (const float e : t.values()) sum += std::fabs(e);
  return sum / static_cast<double>(t.size());
}
inline double mean_magnitude(const fg::tensor<fg::complex64>& t) {
  double sum = 0;
  for (const fg::complex64 v : t) sum += static_cast<double>(std::abs(v));
  return sum / static_cast<double>(t.size());
}

// The two ways in which works are run: "prepared" plans once for known shapes; "dynamic" learns shapes in the run, keeps the ready
// queue, and enters the kernel of each node once.
inline constexpr std::string_view variants[] = {"prepared", "dynamic"};
inline constexpr bool is_dynamic(std::string_view variant) { return variant == variants[1]; }

}  // namespace bench
