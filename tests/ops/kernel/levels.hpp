#pragma once
// Runs a check at every level that this build has and this machine can run.

#include <flowgraph/ops/kernel/dispatch.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace levels {

namespace kernel = flowgraph::kernel;
namespace functor = flowgraph::functor;

template <class Check> void for_each_level(const Check& check) {
#if defined(FLOWGRAPH_HEADER_ONLY) || defined(__aarch64__)
  INFO("level " << static_cast<int>(kernel::level()));
  check(kernel::level());
#else
  for (int i = 0; i <= static_cast<int>(kernel::level()); ++i) {
    INFO("level " << i);
    check(static_cast<kernel::instruction_set>(i));
  }
#endif
}

template <class T> bool bits_agree(T a, T b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <class T> bool bits_agree(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T> std::vector<T> uniform(std::size_t n, T low, T high, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<T> draw(low, high);
  std::vector<T> x(n);
  for (T& value : x) value = draw(generator);
  return x;
}

inline std::int64_t length(std::size_t n) { return static_cast<std::int64_t>(n); }

}  // namespace levels
