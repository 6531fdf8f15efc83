#pragma once
// The works that are measured, by name. docs/benchmarks.md says what each computes.

#include "measure.hpp"

#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <complex>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>

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
std::span<const work> kernel_works();
std::span<const work> block_works();
std::span<const work> matrix_works();
std::span<const work> image_works();
std::span<const work> device_works();
std::span<const work> queue_works();
std::span<const work> input_works();
std::span<const work> checkpoint_works();
std::span<const work> table_works();

// A pool for the threads of the options; none for one thread, which is the caller's own.
inline std::unique_ptr<fg::thread_pool> make_pool(const options& o) {
  return o.threads > 1 ? std::make_unique<fg::thread_pool>(o.threads, std::chrono::microseconds(o.spin)) : nullptr;
}

template <class T> double mean_magnitude(const fg::tensor<T>& t) {
  double sum = 0;
  for (const T& e : t.values()) {
    if constexpr (std::is_unsigned_v<T>) sum += static_cast<double>(e);
    else sum += static_cast<double>(std::abs(e));
  }
  return sum / static_cast<double>(t.size());
}
// Of several results: the first.
template <class... T> double mean_magnitude(const std::tuple<T...>& results) { return mean_magnitude(std::get<0>(results)); }

// The two ways in which works are run: "prepared" plans once for known shapes; "dynamic" learns shapes in the run, keeps the ready
// queue, and enters the kernel of each node once.
inline constexpr std::string_view variants[] = {"prepared", "dynamic"};
inline constexpr bool is_dynamic(std::string_view variant) { return variant == variants[1]; }

}  // namespace bench
