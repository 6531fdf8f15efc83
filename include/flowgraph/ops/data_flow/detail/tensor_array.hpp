#pragma once

#include <flowgraph/ops/data_flow/tensor_array.hpp>
#include <flowgraph/ops/data_flow/detail/tensor_array_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// ---- kernels, for all element types and all ways to name the array

resource make_array(cpu ctx, const array_declaration& d, bool identical_shapes, view<const std::int32_t> size);
resource make_gradient_array(cpu ctx, const std::string& source, const flowgraph::shape& prepended);
resource held_gradient_array(cpu ctx, const resource& holder);
void write_array(cpu ctx);
void read_array(cpu ctx, dtype type);
void gather_array(cpu ctx, dtype type, const flowgraph::shape& element_shape, bool all);
void scatter_array(cpu ctx, bool all);
void concat_array(cpu ctx, dtype type, const flowgraph::shape& element_shape_except0);
void split_array(cpu ctx);
std::int32_t array_size_of(cpu ctx);
void close_array(cpu ctx);

template <class Handle>
template <class T>
void array_write<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const std::int32_t>, view<const T>,
                                     view<const float>, unsized<float>) const {
  write_array(ctx);
}
template <class Handle>
template <class T>
void array_read<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const std::int32_t>, view<const float>,
                                    unsized<T>) const {
  read_array(ctx, dtype_of<T>);
}
template <class Handle>
template <class T>
void array_gather<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const std::int32_t>, view<const float>,
                                      unsized<T>) const {
  gather_array(ctx, dtype_of<T>, element_shape, false);
}
template <class Handle>
template <class T>
void array_scatter<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const std::int32_t>, view<const T>,
                                       view<const float>, unsized<float>) const {
  scatter_array(ctx, false);
}
template <class Handle>
template <class T>
void array_concat<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const float>, unsized<T>,
                                      unsized<std::int64_t>) const {
  concat_array(ctx, dtype_of<T>, element_shape_except0);
}
template <class Handle>
template <class T>
void array_split<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const T>, view<const std::int64_t>,
                                     view<const float>, unsized<float>) const {
  split_array(ctx);
}
template <class Handle>
void array_size<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const float>, view<std::int32_t> size) const {
  size.scalar() = array_size_of(ctx);
}
template <class Handle> void array_close<Handle>::operator()(cpu ctx, typename Handle::parameter) const { close_array(ctx); }

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/tensor_array.hpp>
#endif
