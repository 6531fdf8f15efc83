#pragma once
// DLPack: tensors of a GPU that libraries exchange without a copy. The structs have the layout of the published format, version 0:
// a pointer to `managed_tensor` is a pointer to DLManagedTensor, which for example a PyTorch capsule "dltensor" contains.

#include <flowgraph/cuda/device_tensor.hpp>

#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {
namespace dlpack {

enum class device_kind : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3 };
enum class number_kind : std::uint8_t {
  signed_integer = 0,
  unsigned_integer = 1,
  real = 2,
  handle = 3,
  bfloat = 4,
  complex = 5,
  boolean = 6
};

struct device_place {
  device_kind kind = device_kind::cuda;
  std::int32_t index = 0;
};
struct element_type {
  number_kind kind = number_kind::real;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};
// A tensor. If `strides` is null, the elements are in row-major order without gaps.
struct plain_tensor {
  void* data = nullptr;
  device_place device;
  std::int32_t rank = 0;
  element_type type;
  std::int64_t* extents = nullptr;
  std::int64_t* strides = nullptr;
  std::uint64_t byte_offset = 0;
};
// A tensor with the function that its last user calls once.
struct managed_tensor {
  plain_tensor tensor;
  void* context = nullptr;
  void (*deleter)(managed_tensor* self) = nullptr;
};

// Returns a tensor for another library, which calls the deleter. `consumer` is the cudaStream_t in which this library reads the
// elements: its later work waits for the kernels that compute them. If it is null, the function waits for these kernels.
result<managed_tensor*> to_dlpack(const any_tensor& t, void* consumer = nullptr);

// Takes over a tensor of another library, which must be on the GPU of `gpu`, in row-major order. `producer` is the cudaStream_t that
// computes the elements; null: the elements are computed. The library never changes the elements. It calls the deleter at the end of
// a run after the last reader. After an error, the tensor still belongs to the caller.
result<any_tensor> from_dlpack(managed_tensor* t, const device& gpu, void* producer = nullptr);

}

template <class T> result<dlpack::managed_tensor*> to_dlpack(const device_tensor<T>& t, void* consumer = nullptr) {
  return dlpack::to_dlpack(t.erased(), consumer);
}
template <class T> result<device_tensor<T>> from_dlpack(dlpack::managed_tensor* t, const device& gpu, void* producer = nullptr) {
  auto made = dlpack::from_dlpack(t, gpu, producer);
  if (!made) return made.error();
  return device_tensor<T>::from(*made);
}

}
}
}  // namespace flowgraph::cuda
