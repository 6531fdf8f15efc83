// The driver of a real GPU against stand-ins for the functions of the CUDA runtime, so on machines without a GPU.

#include <cuda/runtime/driver.hpp>

#include <cuda_runtime_api.h>

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace {

namespace fg = flowgraph;

// The GPU that the stand-ins describe, and what they have counted.
struct gpu_facts {
  cudaError_t kernel = cudaSuccess;  // the result of a query for a kernel
  bool may_read_pageable = false, reads_pageable = false;
  cudaMemoryType host = cudaMemoryTypeUnregistered;
  int synchronized = 0;
  int current = 0;       // the current GPU
  int selected_as = -1;  // the current GPU during the last copy
};
gpu_facts facts;

int handle;
template <class T> cudaError_t made(T* result) {
  *result = reinterpret_cast<T>(&handle);
  return cudaSuccess;
}

}  // namespace

extern "C" {
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "an error"; }
cudaError_t cudaGetDeviceCount(int* count) { return *count = 2, cudaSuccess; }
cudaError_t cudaGetDevice(int* index) { return *index = facts.current, cudaSuccess; }
cudaError_t cudaSetDevice(int index) { return facts.current = index, cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  *value = which == cudaDevAttrPageableMemoryAccessUsesHostPageTables ? facts.reads_pageable
           : which == cudaDevAttrPageableMemoryAccess                 ? facts.may_read_pageable
                                                                      : 7;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) { return facts.kernel; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) { return made(pool); }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMallocFromPoolAsync(void** p, size_t, cudaMemPool_t, cudaStream_t) { return made(p); }
cudaError_t cudaFreeAsync(void*, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t) {
  return facts.selected_as = facts.current, cudaSuccess;
}
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* of, const void*) { return of->type = facts.host, cudaSuccess; }
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) { return made(s); }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return ++facts.synchronized, cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) { return made(e); }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
}

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

std::span<const kernel_record> device_kernels() {
  static const std::array<kernel_record, 1> one{};
  return one;
}

}
}
}  // namespace flowgraph::cuda

TEST_CASE("a copy waits unless the runtime has read the memory of the host") {
  for (const int reads : {0, 1, 2})
    for (const auto host : {cudaMemoryTypeUnregistered, cudaMemoryTypeHost}) {
      facts = {.may_read_pageable = reads > 0, .reads_pageable = reads == 2, .host = host};
      const auto by = fg::cuda::open_driver(0).value();
      const auto s = by->make_stream().value();
      const int number = 1;
      CHECK_FALSE(by->copy_in(&number, &handle, sizeof number, s));
      CHECK(facts.synchronized == (reads > 0 || host == cudaMemoryTypeHost));
      by->destroy_stream(s);
    }
}

TEST_CASE("the current GPU of a thread is the same after a call as before") {
  facts = {};
  const auto by = fg::cuda::open_driver(1).value();
  CHECK(facts.current == 0);
  const int number = 1;
  CHECK_FALSE(by->copy_in(&number, &handle, sizeof number, nullptr));
  CHECK(facts.selected_as == 1);
  CHECK(facts.current == 0);
  {
    fg::cuda::selection now(*by);
    CHECK_FALSE(now.select());
    CHECK(facts.current == 1);
  }
  CHECK(facts.current == 0);
}

TEST_CASE("a GPU for which there is no kernel is an unimplemented architecture") {
  for (const auto found : {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction}) {
    facts = {.kernel = found};
    const auto refused = fg::cuda::open_driver(0);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == fg::error_code::unimplemented);
    CHECK(std::string(refused.error().what()).find("architecture 77") != std::string::npos);
  }
  facts = {.kernel = cudaErrorUnknown};
  CHECK(fg::cuda::open_driver(0).error().code() == fg::error_code::unavailable);
  facts = {};
  CHECK(fg::cuda::open_driver(0).has_value());
}
