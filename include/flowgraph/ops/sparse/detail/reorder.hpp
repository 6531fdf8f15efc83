#pragma once

#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/reorder.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

void reorder_places(cpu ctx, element_layout e, view<const std::int64_t> indices, const void* values,
                    std::int64_t* ordered_indices, void* ordered_values);

}  // namespace detail

template <class T>
void sparse_reorder_op::operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t>,
                                   view<std::int64_t> ordered_indices, view<T> ordered_values) const {
  detail::reorder_places(ctx, detail::layout_of<T>, indices, values.data(), ordered_indices.data(), ordered_values.data());
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/reorder.hpp>
#endif
