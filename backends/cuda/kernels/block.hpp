#pragma once
// A body is the code of one block of threads. nvcc compiles it for the device, and g++ compiles the same source for the emulated device
// of the tests:
//
//     struct body {
//       template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const arguments& a) const;
//     };
//
//     b.index(), b.count()      the number of the block, and of blocks
//     b.each(n, f)              calls f(i) once for each i below n; calls run in any order. It is a phase: all calls end before the
//                               next phase begins
//     b.shared<T>()             memory that the threads of the block share; only what an earlier phase wrote may be read
//
// Bodies name Block only as a template parameter, so they include nothing of CUDA.

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::cuda {

// The shape of every launch. Results must not depend on it: grids are cut by the number of elements alone.
inline constexpr unsigned threads_per_block = 256;
inline constexpr unsigned elements_per_block = 4 * threads_per_block;
inline constexpr unsigned shared_bytes = 2048;

#if defined(__CUDACC__)
// A block of the device.
class device_block {
public:
  __device__ std::int64_t index() const { return blockIdx.x; }
  __device__ std::int64_t count() const { return gridDim.x; }
  template <class F> __device__ void each(std::int64_t n, const F& f) {
    for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) f(i);
    __syncthreads();
  }
  template <class T> __device__ T* shared() {
    __shared__ alignas(16) unsigned char bytes[shared_bytes];
    return reinterpret_cast<T*>(bytes);
  }
};
#endif

}  // namespace flowgraph::cuda
