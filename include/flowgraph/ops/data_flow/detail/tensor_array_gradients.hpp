#pragma once
// The gradients of the ops on arrays of tensors.

#include <flowgraph/ops/data_flow/tensor_array.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class E> struct gradient_array {
  out<E> handle;
  out<float> flow;
};

// Returns the gradient array of an array. The gradient array is requested only after the elements have been written (`after`) and
// a gradient exists, since the array cannot grow after the request.
template <class Handle, class T, class E>
gradient_array<E> gradients_beside(const out<E>& array, const out<float>& after, const out<T>& gradient) {
  graph g = graph_of(*array.source);
  const auto ready = [&] {
    auto then = g.after(gradient);
    return apply(identity_op{}, after, site{"flow"});
  }();
  const auto [handle, flow] = array_ops<Handle>::gradients(g.state(), array, ready);
  return {handle, flow};
}

// Integers and strings have no gradient, but the flow has a gradient, which keeps the order of the ops.
template <class Handle, class T, class E>
gradient_list written_gradient(const out<E>& array, const out<std::int32_t>& index, const out<float>& after,
                               const out<float>& flow) {
  if constexpr (is_differentiable(dtype_of<T>)) {
    const auto beside = gradients_beside<Handle>(array, after, flow);
    return {none, none, apply_as<T>({}, typename array_ops<Handle>::read{}, beside.handle, index, flow), flow};
  } else {
    return {none, none, none, flow};
  }
}
template <class Handle, class Write, class T, class E>
gradient_list read_gradient(const out<E>& array, const out<std::int32_t>& index, const out<float>& after, const out<T>& dy) {
  if constexpr (is_differentiable(dtype_of<T>)) {
    const auto beside = gradients_beside<Handle>(array, after, dy);
    return {none, none, apply(Write{}, beside.handle, index, dy, beside.flow)};
  } else {
    return {none, none, none};
  }
}

template <class Handle, class T, class E>
gradient_list scattered_gradient(const out<E>& array, const out<std::int32_t>& indices, const out<T>& value,
                                 const out<float>& after, const out<float>& flow) {
  if constexpr (is_differentiable(dtype_of<T>)) {
    const auto beside = gradients_beside<Handle>(array, after, flow);
    typename array_ops<Handle>::gather gathering;
    gathering.element_shape = shape_of_rows(value.shape());
    return {none, none, apply_as<T>({}, gathering, beside.handle, indices, flow), flow};
  } else {
    return {none, none, none, flow};
  }
}
template <class Handle, class T, class E>
gradient_list split_gradient(const out<E>& array, const out<T>& value, const out<float>& after, const out<float>& flow) {
  if constexpr (is_differentiable(dtype_of<T>)) {
    const auto beside = gradients_beside<Handle>(array, after, flow);
    typename array_ops<Handle>::concat joining;
    joining.element_shape_except0 = shape_of_rows(value.shape());
    return {none, std::get<0>(apply_as<T>({}, joining, beside.handle, flow)), none, flow};
  } else {
    return {none, none, none, flow};
  }
}
template <class Handle, class T, class E>
gradient_list concatenated_gradient(const out<E>& array, const out<std::int64_t>& lengths, const out<float>& after,
                                    const out<T>& dy) {
  if constexpr (is_differentiable(dtype_of<T>)) {
    const auto beside = gradients_beside<Handle>(array, after, dy);
    return {none, apply(typename array_ops<Handle>::split{}, beside.handle, dy, lengths, beside.flow)};
  } else {
    return {none, none};
  }
}

}  // namespace flowgraph::detail
