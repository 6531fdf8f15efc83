#pragma once
// A body is the code of one block of threads. nvcc compiles it for the device, and g++ compiles the same source for the emulated
// device of the tests:
//
//     struct body {
//       template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const arguments& a) const;
//     };
//
//     b.index()              the number of the block
//     b.each(n, f)           calls f(i) once for each i below n, in any order. It is a phase: all calls end before the next phase
//                            begins. Thread i % threads_per_block makes call i
//     b.shared<T, Place>()   memory that the threads of the block share. A phase may read only the elements that earlier phases
//                            wrote. Different places do not overlap if each has at most half of shared_bytes
//     b.own<T>(first)        a variable v of each thread with the initial value `first`. In a phase, v[i] is the variable of the
//                            thread that makes call i; i is below threads_per_block
//     b.report(f, k, i)      reports a fault at position i of call k (fault_word). The fault of the lowest call and position
//                            counts
//
// Bodies name Block only as a template parameter, so they include nothing of CUDA.

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::cuda {

// The shape of every launch. Results must not depend on it: only the number of elements determines the grid.
inline constexpr unsigned threads_per_block = 256;
inline constexpr unsigned elements_per_block = 4 * threads_per_block;
inline constexpr unsigned shared_bytes = 2 * 8 * threads_per_block;

// The word in which kernels report a bad index: the value `no_fault`, or the number of a call and a position. Kernels that write
// variables change nothing while the word has another value than `no_fault`.
using fault_word = unsigned long long;
inline constexpr fault_word no_fault = ~0ull;
inline constexpr unsigned bits_of_position = 44;

FLOWGRAPH_FUNCTION constexpr fault_word fault_at(std::uint32_t call, std::int64_t position) {
  return (static_cast<fault_word>(call) << bits_of_position) | static_cast<fault_word>(position);
}

#if defined(__CUDACC__)
// A block of the device.
class device_block {
public:
  template <class T> struct own_value {
    T value;
    __device__ T& operator[](std::int64_t) { return value; }
  };

  __device__ std::int64_t index() const { return blockIdx.x; }
  template <class F> __device__ void each(std::int64_t n, const F& f) {
#pragma unroll 1  // otherwise nvcc copies long functions four times, and their values do not fit in the registers
    for (std::int64_t i = threadIdx.x; i < n; i += threads_per_block) f(i);
    __syncthreads();
  }
  template <class T, int Place = 0> __device__ T* shared() {
    return reinterpret_cast<T*>(shared_memory() + Place * (shared_bytes / 2));
  }
  template <class T> __device__ own_value<T> own(T first) { return {first}; }
  __device__ void report(void* word, std::uint32_t call, std::int64_t position) {
    atomicMin(static_cast<fault_word*>(word), fault_at(call, position));
  }

private:
  // One array for all types and places: a variable in shared() would exist once for each T and Place.
  static __device__ __forceinline__ unsigned char* shared_memory() {
    __shared__ alignas(16) unsigned char bytes[shared_bytes];
    return bytes;
  }
};
#endif

}  // namespace flowgraph::cuda
