#pragma once

#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/to_dense.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Writes the values to their places in y, which contains the default value.
void write_places(cpu ctx, element_layout e, any_indices indices, const shape& extents, const void* values, bool one_value,
                  bool validate, void* y);

}  // namespace detail

template <class T, class I>
void sparse_to_dense_op::operator()(cpu ctx, index_view<I> indices, index_view<I>, view<const T> values,
                                    view<const T> default_value, view<T> y) const {
  constexpr detail::element_layout e = detail::layout_of<T>;
  detail::fill_elements(ctx, e, default_value.data(), y.data(), static_cast<std::int64_t>(y.size()));
  detail::write_places(ctx, e, indices, y.shape(), values.data(), values.rank() == 0, validate_indices, y.data());
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/to_dense.hpp>
#endif
