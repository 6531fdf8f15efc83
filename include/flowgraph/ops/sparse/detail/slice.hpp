#pragma once

#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/slice.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A block of a sparse tensor.
struct sparse_block {
  places all;
  view<const std::int64_t> start, size;

  bool contains(std::int64_t i) const;
  std::int64_t count() const;
};
// Checks all places and writes the extents of the block.
bool begin_slice(cpu ctx, const sparse_block& b, view<const std::int64_t> extents, view<std::int64_t> new_extents);
void write_block(const sparse_block& b, element_layout e, const void* values, std::int64_t* new_indices, void* new_values);
void write_slice_gradient(cpu ctx, element_layout e, const void* slopes, const places& p, view<const std::int64_t> start,
                          const places& slice, void* y);

}  // namespace detail

template <class T>
void sparse_slice_op::operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values,
                                 view<const std::int64_t> extents, view<const std::int64_t> start, view<const std::int64_t> size,
                                 unsized<std::int64_t> new_indices, unsized<T> new_values, view<std::int64_t> new_extents) const {
  const detail::sparse_block b{detail::places(indices), start, size};
  if (!detail::begin_slice(ctx, b, extents, new_extents)) return;
  const std::int64_t count = b.count();
  const view<std::int64_t> made_indices = new_indices.resize({count, b.all.rank});
  const view<T> made_values = new_values.resize({count});
  if (!ctx.failed()) detail::write_block(b, detail::layout_of<T>, values.data(), made_indices.data(), made_values.data());
}

template <class T>
void sparse_slice_grad_op::operator()(cpu ctx, view<const T> slopes, view<const std::int64_t> indices,
                                      view<const std::int64_t> start, view<const std::int64_t> slice, view<T> y) const {
  std::fill(y.begin(), y.end(), T());
  detail::write_slice_gradient(ctx, detail::layout_of<T>, slopes.data(), detail::places(indices), start, detail::places(slice),
                               y.data());
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/slice.hpp>
#endif
