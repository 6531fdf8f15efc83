// The driver of a real GPU, by the CUDA runtime.
#include <cuda/runtime/driver.hpp>

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdint>
#include <limits>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

error_code code_of(cudaError_t why) {
  switch (why) {
    case cudaErrorMemoryAllocation: return error_code::resource_exhausted;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration: return error_code::internal;
    default: return error_code::unavailable;  // a lost GPU stays lost
  }
}
error to_error(cudaError_t why, const char* function) {
  if (why == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());  // the error of one call is not the error of the next
  return error(code_of(why), message{function, ": ", cudaGetErrorString(why)});
}

cudaStream_t of(stream s) { return static_cast<cudaStream_t>(s); }
cudaEvent_t of_event(event e) { return static_cast<cudaEvent_t>(e); }

// Returns whether the process uses a GPU. To make another GPU the current one would take memory of it. If this is unknown, true.
bool is_in_use(int index) {
  using state_function = int (*)(int device, unsigned* flags, int* active);
  static const auto state_of = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return library ? reinterpret_cast<state_function>(dlsym(library, "cuDevicePrimaryCtxGetState")) : nullptr;
  }();
  unsigned flags = 0;
  int active = 0;
  return !state_of || state_of(index, &flags, &active) != 0 || active != 0;
}

class runtime_driver final : public driver {
public:
  explicit runtime_driver(int index) : index_(index) {}
  ~runtime_driver() override {
    if (pool_) static_cast<void>(call("cudaMemPoolDestroy", [&] { return cudaMemPoolDestroy(pool_); }));
  }

  error open() {
    selection now(*this);
    if (error why = now.select()) return why;
    cudaFuncAttributes facts;
    const auto found = cudaFuncGetAttributes(&facts, kernels().front().function);
    if (found == cudaErrorNoKernelImageForDevice || found == cudaErrorInvalidDeviceFunction) return no_kernels();
    if (error why = to_error(found, "cudaFuncGetAttributes")) return why;
    // With the second attribute, the GPU reads this memory by the page tables of the host. The first one alone is that of Linux with
    // heterogeneous memory management: CUDA does not promise that the runtime copies the memory there before the function returns.
    for (const auto attribute : {cudaDevAttrPageableMemoryAccess, cudaDevAttrPageableMemoryAccessUsesHostPageTables}) {
      int reads = 0;
      if (error why = to_error(cudaDeviceGetAttribute(&reads, attribute, index_), "cudaDeviceGetAttribute")) return why;
      reads_pageable_ = reads_pageable_ || reads != 0;
    }
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = index_;
    if (error why = to_error(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate")) return why;
    // Freed blocks stay in the pool until the device object ends, or until another allocation needs them.
    std::uint64_t kept = std::numeric_limits<std::uint64_t>::max();
    return to_error(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &kept), "cudaMemPoolSetAttribute");
  }

  std::span<const kernel_record> kernels() const override { return device_kernels(); }
  int index() const override { return index_; }

  result<int> select() override {
    int former = index_;
    if (error why = to_error(cudaGetDevice(&former), "cudaGetDevice")) return why;
    if (former != index_)
      if (error why = to_error(cudaSetDevice(index_), "cudaSetDevice")) return why;
    return former;
  }
  void restore(int former) override {
    if (former != index_ && is_in_use(former)) static_cast<void>(cudaSetDevice(former));
  }
  result<const cublaslt::functions*> product_functions() override {
    static const result<cublaslt::functions> opened = cublaslt::open_library();
    if (!opened) return opened.error();
    return &*opened;
  }

  result<void*> allocate(std::size_t bytes, stream s) override {
    void* p = nullptr;
    if (error why = call("cudaMallocFromPoolAsync", [&] { return cudaMallocFromPoolAsync(&p, bytes, pool_, of(s)); })) return why;
    return p;
  }
  error free(void* p, stream s) override {
    return call("cudaFreeAsync", [&] { return cudaFreeAsync(p, of(s)); });
  }
  error copy_in(const void* host, void* device, std::size_t bytes, stream s) override {
    error why = call("cudaMemcpyAsync", [&] { return cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, of(s)); });
    if (why) return why;
    // The runtime has copied pageable memory when the function returns, but not pinned memory, nor pageable memory that the GPU
    // itself may read.
    if (reads_pageable_) return synchronize(s);
    cudaPointerAttributes source = {};
    if (cudaPointerGetAttributes(&source, host) != cudaSuccess) static_cast<void>(cudaGetLastError());
    return source.type == cudaMemoryTypeUnregistered ? error() : synchronize(s);
  }
  error copy_out(const void* device, void* host, std::size_t bytes, stream s) override {
    return call("cudaMemcpyAsync", [&] { return cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, of(s)); });
  }
  error fill(void* device, unsigned char byte, std::size_t bytes, stream s) override {
    return call("cudaMemsetAsync", [&] { return cudaMemsetAsync(device, byte, bytes, of(s)); });
  }
  error copy_within(const void* from, void* to, std::size_t bytes, stream s) override {
    return call("cudaMemcpyAsync", [&] { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, of(s)); });
  }
  error launch(const void* function, std::int64_t blocks, const kernel_arguments& arguments, stream s) override {
    if (blocks > std::numeric_limits<std::int32_t>::max())
      return detail::invalid_argument({"a kernel of ", blocks, " blocks is too large for a GPU"});
    void* all[] = {const_cast<kernel_arguments*>(&arguments)};
    return call("cudaLaunchKernel", [&] {
      return cudaLaunchKernel(function, dim3(static_cast<unsigned>(blocks)), dim3(threads_per_block), all, 0, of(s));
    });
  }

  result<stream> make_stream() override {
    cudaStream_t result = nullptr;
    if (error why = call("cudaStreamCreate", [&] { return cudaStreamCreateWithFlags(&result, cudaStreamNonBlocking); }))
      return why;
    return static_cast<stream>(result);
  }
  void destroy_stream(stream s) override {
    static_cast<void>(call("cudaStreamDestroy", [&] { return cudaStreamDestroy(of(s)); }));
  }
  result<event> make_event() override {
    cudaEvent_t result = nullptr;
    if (error why = call("cudaEventCreate", [&] { return cudaEventCreateWithFlags(&result, cudaEventDisableTiming); }))
      return why;
    return static_cast<event>(result);
  }
  void destroy_event(event e) override {
    static_cast<void>(call("cudaEventDestroy", [&] { return cudaEventDestroy(of_event(e)); }));
  }
  error record(event e, stream s) override {
    return call("cudaEventRecord", [&] { return cudaEventRecord(of_event(e), of(s)); });
  }
  result<bool> has_passed(event e) override {
    cudaError_t found = cudaSuccess;
    error why = call("cudaEventQuery", [&] {
      found = cudaEventQuery(of_event(e));
      return found == cudaErrorNotReady ? cudaSuccess : found;
    });
    if (why) return why;
    if (found == cudaSuccess) return true;
    static_cast<void>(cudaGetLastError());
    return false;
  }
  error wait(stream s, event e) override {
    return call("cudaStreamWaitEvent", [&] { return cudaStreamWaitEvent(of(s), of_event(e), 0); });
  }
  error synchronize(stream s) override {
    return call("cudaStreamSynchronize", [&] { return cudaStreamSynchronize(of(s)); });
  }

private:
  // Each thread has its own current GPU.
  template <class F> error call(const char* function, const F& f) {
    selection now(*this);
    if (error why = now.select()) return why;
    return to_error(f(), function);
  }
  error no_kernels() const {
    static_cast<void>(cudaGetLastError());
    int major = 0, minor = 0;
    static_cast<void>(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index_));
    static_cast<void>(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index_));
    return error(error_code::unimplemented, message{"GPU ", index_, " has the architecture ", 10 * major + minor,
                                                    ", for which flowgraph::cuda was not built (FLOWGRAPH_CUDA_ARCHITECTURES)"});
  }

  int index_;
  bool reads_pageable_ = false;  // the GPU reads pageable memory of the host itself
  cudaMemPool_t pool_ = nullptr;
};

}  // namespace

result<std::unique_ptr<driver>> open_driver(int index) {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (found == cudaErrorInsufficientDriver)
    return error(error_code::unavailable, message{"there is no CUDA driver, or it is older than CUDA ", CUDART_VERSION / 1000,
                                                  ".", CUDART_VERSION % 1000 / 10});
  if (found != cudaSuccess && found != cudaErrorNoDevice) return to_error(found, "cudaGetDeviceCount");
  if (index < 0 || index >= count)
    return error(error_code::not_found, message{"there is no GPU ", index, "; CUDA finds ", count});
  auto result = std::make_unique<runtime_driver>(index);
  if (error why = result->open()) return why;
  return std::unique_ptr<driver>(std::move(result));
}

}
}
}  // namespace flowgraph::cuda
