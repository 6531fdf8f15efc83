#pragma once
// Tensors in the memory of a GPU. Runs can take and return them without a copy to the host:
//
//     auto fed = g.placeholder<fg::variant>("fed", {});
//     auto y = model(fg::values_of<float>(fed));                     // ops/data_flow/optional.hpp; these nodes run on the GPU
//     auto kept = fg::optional_of(y);
//
//     auto x = fg::cuda::device_tensor<float>::copy_of(host, *gpu).value();
//     auto made = s.run(fg::fetch(kept), {{fed, x.to_feed()}});
//     auto z = fg::cuda::device_tensor<float>::from(made.erased()).value();    // z.data() is an address of the GPU
//
// The elements of a tensor never change. If a node of another device reads a fed tensor, the tensor is copied to that device.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/op/device.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

result<any_tensor> copied_to_device(const any_tensor& host, const device& gpu);
result<any_tensor> copied_from_device(const any_tensor& there);
// Returns the tensor of a device in a fetched optional, or the tensor itself.
result<any_tensor> fetched_device_tensor(const any_tensor& fetched, dtype type);
any_tensor fed_device_tensor(const any_tensor& there);

}  // namespace detail

namespace cuda {

// A tensor in the memory of a device that the host cannot access. Copies share the elements. The device must outlive them.
template <class T> class device_tensor {
public:
  device_tensor() = default;
  // Copies a tensor of the host to the memory of a device.
  static result<device_tensor> copy_of(const tensor<T>& host, const device& gpu) {
    auto result = detail::copied_to_device(host.erased(), gpu);
    if (!result) return result.error();
    return device_tensor(*std::move(result));
  }
  // Converts a fetched value: an optional with one tensor of a device, or such a tensor.
  static result<device_tensor> from(const any_tensor& fetched) {
    auto result = detail::fetched_device_tensor(fetched, dtype_of<T>);
    if (!result) return result.error();
    return device_tensor(*std::move(result));
  }

  // Returns the shape, and the number of elements.
  const flowgraph::shape& shape() const noexcept { return base_.shape(); }
  std::size_t size() const noexcept { return base_.size(); }
  // Returns the address on the device. Kernels that compute the elements may still wait in the device's stream.
  const T* data() const noexcept { return static_cast<const T*>(base_.data()); }
  // Returns the elements on the host, after all work that computes them.
  result<tensor<T>> to_host() const {
    auto result = detail::copied_from_device(base_);
    if (!result) return result.error();
    return tensor<T>::from(*std::move(result));
  }
  // Returns a value for a placeholder of type variant. In the graph, values_of<T>() of the placeholder is this tensor.
  tensor<variant> to_feed() const { return tensor<variant>::from(detail::fed_device_tensor(base_)).value(); }
  // Returns the same tensor without its static element type.
  const any_tensor& erased() const noexcept { return base_; }

private:
  explicit device_tensor(any_tensor base) : base_(std::move(base)) {}

  any_tensor base_;
};

}  // namespace cuda
}  // namespace flowgraph
