#pragma once
// A block of the emulated GPU: the threads of a phase run one after another, in an order that is drawn for each phase. Memory
// that the threads share, and their own variables, begin with a pattern.

#include <cuda/kernels/arguments.hpp>
#include <flowgraph/cuda/block.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <random>

namespace emulation {

namespace cuda = flowgraph::cuda;

class block {
public:
  template <class T> class own_values {
  public:
    explicit own_values(T first) { all_.fill(first); }
    T& operator[](std::int64_t thread) { return all_[static_cast<std::size_t>(thread)]; }

  private:
    std::array<T, cuda::threads_per_block> all_;
  };

  block(std::int64_t index, std::mt19937_64& random) : index_(index), random_(random) {
    std::memset(shared_, 0xb3, sizeof shared_);
  }

  std::int64_t index() const { return index_; }
  template <class F> void each(std::int64_t n, const F& f) {
    const std::int64_t threads = cuda::threads_per_block;
    const auto drawn = random_();
    const std::int64_t first = static_cast<std::int64_t>(drawn % 256), step = static_cast<std::int64_t>(drawn >> 8 & 127) * 2 + 1;
    for (std::int64_t k = 0; k < threads; ++k)
      for (std::int64_t i = (first + k * step) % threads; i < n; i += threads) f(i);
  }
  template <class T, int Place = 0> T* shared() { return reinterpret_cast<T*>(shared_ + Place * (cuda::shared_bytes / 2)); }
  template <class T> own_values<T> own(T first) { return own_values<T>(first); }
  void report(void* word, std::uint32_t call, std::int64_t position) {
    auto& first = *static_cast<cuda::fault_word*>(word);
    const cuda::fault_word found = cuda::fault_at(call, position);
    if (found < first) first = found;
  }

private:
  std::int64_t index_;
  std::mt19937_64& random_;
  alignas(16) unsigned char shared_[cuda::shared_bytes];
};

// How the emulation calls a kernel.
using kernel = void (*)(block& b, const cuda::kernel_arguments& a);

}  // namespace emulation
