#pragma once
// DLPack is a format in which libraries exchange tensors of a GPU without a copy. The structs have the layout of its version 0,
// so a pointer to `managed_tensor` is a pointer to DLManagedTensor. For example, a PyTorch capsule "dltensor" contains such a
// pointer.

#include <flowgraph/cuda/device_tensor.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::cuda {
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
// A tensor with a deleter, which the last user of the tensor calls once.
struct managed_tensor {
  plain_tensor tensor;
  void* context = nullptr;
  void (*deleter)(managed_tensor* self) = nullptr;
};

// Returns a tensor for another library, which must call the deleter. `consumer` is the cudaStream_t in which that library reads
// the elements: later work of the stream waits for the kernels that compute the elements. The stream must exist until the deleter
// has returned: the memory is used again after the work that the stream has received by then. If `consumer` is null, this function
// waits for the kernels, and the elements must have been read when the deleter is called.
result<managed_tensor*> to_dlpack(const any_tensor& t, void* consumer = nullptr);

// Takes over a tensor of another library. The tensor must be on the GPU of `gpu`, in row-major order. `producer` is the
// cudaStream_t that computes the elements; null: the elements are already computed. flowgraph never changes the elements, and
// calls the deleter at the end of a run after the last reader. After an error, the tensor still belongs to the caller.
result<any_tensor> from_dlpack(managed_tensor* t, const device& gpu, void* producer = nullptr);

}

template <class T> result<dlpack::managed_tensor*> to_dlpack(const device_tensor<T>& t, void* consumer = nullptr) {
  return dlpack::to_dlpack(t.erased(), consumer);
}
template <class T> result<device_tensor<T>> from_dlpack(dlpack::managed_tensor* t, const device& gpu, void* producer = nullptr) {
  auto result = dlpack::from_dlpack(t, gpu, producer);
  if (!result) return result.error();
  return device_tensor<T>::from(*result);
}

}  // namespace flowgraph::cuda
