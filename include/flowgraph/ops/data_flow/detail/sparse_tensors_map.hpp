#pragma once

#include <flowgraph/ops/data_flow/sparse_tensors_map.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The kernels, with the inputs and outputs of the call.
void add_sparse_tensor(cpu ctx, const sparse_map_attributes& a, std::int64_t& handle);
void add_sparse_rows(cpu ctx, const sparse_map_attributes& a);
void take_sparse_tensors(cpu ctx, const sparse_map_attributes& a, dtype type);

}  // namespace detail

template <class T>
void add_sparse_to_tensors_map_op::operator()(cpu ctx, view<const std::int64_t>, view<const T>, view<const std::int64_t>,
                                              view<std::int64_t> handle) const {
  detail::add_sparse_tensor(ctx, *this, handle.scalar());
}
template <class T>
void add_many_sparse_to_tensors_map_op::operator()(cpu ctx, view<const std::int64_t>, view<const T>, view<const std::int64_t>,
                                                   unsized<std::int64_t>) const {
  detail::add_sparse_rows(ctx, *this);
}
template <class T>
void take_many_sparse_from_tensors_map_op::operator()(cpu ctx, view<const std::int64_t>, unsized<std::int64_t>, unsized<T>,
                                                      unsized<std::int64_t>) const {
  detail::take_sparse_tensors(ctx, *this, dtype_of<T>);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/sparse_tensors_map.hpp>
#endif
