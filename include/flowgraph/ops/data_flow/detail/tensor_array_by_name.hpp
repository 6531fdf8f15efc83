#pragma once

#include <flowgraph/ops/data_flow/tensor_array_by_name.hpp>
#include <flowgraph/ops/data_flow/detail/tensor_array.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_KERNEL_INLINE shape handle_by_name_shape(shape_context& c, const shape& size_or_flow) {
  return fits(size_or_flow, {}) ? shape{2} : c.fail("the size and the flow must be scalars");
}

// Sets `y` to the name of an array: two strings, of which the second is its own name.
inline void share_name(cpu ctx, const unsized<std::string>& y, const resource& array, const char* section) {
  if (!array.base) return;
  any_tensor handle = handle_by_name(ctx, array, section);
  if (!ctx.failed()) y.share(std::move(handle));
}
inline void share_reference(cpu ctx, const reference_out<std::string>& y, const resource& array, const char* section) {
  if (!array.base) return;
  if (variable_state* v = reference_by_name(ctx, array, section)) y.set(v);
}

inline constexpr const char* arrays_section = "_tensor_arrays";
inline constexpr const char* gradients_section = "_tensor_array_grads";

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void tensor_array_op::operator()(cpu ctx, view<const std::int32_t> size,
                                                         reference_out<std::string> handle) const {
  detail::share_reference(ctx, handle, detail::make_array(ctx, *this, false, size), detail::arrays_section);
}
FLOWGRAPH_KERNEL_INLINE void tensor_array_v2_op::operator()(cpu ctx, view<const std::int32_t> size,
                                                            unsized<std::string> handle) const {
  detail::share_name(ctx, handle, detail::make_array(ctx, *this, false, size), detail::arrays_section);
}
FLOWGRAPH_KERNEL_INLINE void tensor_array_grad_op::operator()(cpu ctx, view<const std::string>, view<const float>,
                                                              reference_out<std::string> gradients) const {
  detail::share_reference(ctx, gradients, detail::make_gradient_array(ctx, source, {}), detail::gradients_section);
}
FLOWGRAPH_KERNEL_INLINE void tensor_array_grad_v2_op::operator()(cpu ctx, view<const std::string>, view<const float>,
                                                                 unsized<std::string> gradients) const {
  detail::share_name(ctx, gradients, detail::make_gradient_array(ctx, source, {}), detail::gradients_section);
}

template <class T>
void tensor_array_pack_op::operator()(cpu ctx, reference_in<std::string>, view<const float>, unsized<T>) const {
  detail::gather_array(ctx, dtype_of<T>, element_shape, true);
}
template <class T>
void tensor_array_unpack_op::operator()(cpu ctx, reference_in<std::string>, view<const T>, view<const float>,
                                        unsized<float>) const {
  detail::scatter_array(ctx, true);
}

}  // namespace flowgraph
