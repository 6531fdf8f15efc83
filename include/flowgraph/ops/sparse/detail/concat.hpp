#pragma once

#include <flowgraph/ops/sparse/concat.hpp>
#include <flowgraph/ops/sparse/detail/places.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Writes the places and the extents of the result. Returns the order of all elements in scratch memory; null after a failure.
const std::int64_t* join_places(cpu ctx, std::int64_t concat_dim, view_list<const std::int64_t> indices,
                                view_list<const std::int64_t> extents, view<std::int64_t> new_indices,
                                view<std::int64_t> new_extents);

// The parts into which an axis is cut.
struct axis_parts {
  std::int64_t axis = 0, size = 0, larger = 0;  // the first `larger` parts have size + 1 rows

  std::int64_t begin_of(std::int64_t part) const { return part * size + std::min(part, larger); }
  std::int64_t end_of(std::int64_t part) const { return begin_of(part + 1); }
};
// Checks the axis and all places.
axis_parts find_axis_parts(cpu ctx, std::int64_t axis, std::int64_t count, const places& p, view<const std::int64_t> extents);
std::int64_t count_part(const axis_parts& parts, std::int64_t part, const places& p);
void write_part(const axis_parts& parts, std::int64_t part, const places& p, element_layout e, const void* values,
                view<const std::int64_t> extents, std::int64_t* new_indices, void* new_values, view<std::int64_t> new_extents);

}  // namespace detail

template <class T>
void sparse_concat_op::operator()(cpu ctx, view_list<const std::int64_t> indices, view_list<const T> values,
                                  view_list<const std::int64_t> extents, view<std::int64_t> new_indices, view<T> new_values,
                                  view<std::int64_t> new_extents) const {
  const std::int64_t* order = detail::join_places(ctx, concat_dim, indices, extents, new_indices, new_extents);
  if (!order) return;
  // The number of an element counts through all inputs.
  for (std::size_t i = 0; i < new_values.size(); ++i) {
    auto from = static_cast<std::size_t>(order[i]);
    std::size_t input = 0;
    for (; from >= values[input].size(); ++input) from -= values[input].size();
    new_values[i] = values[input][from];
  }
}

template <class T>
void sparse_split_op::operator()(cpu ctx, view<const std::int64_t> axis, view<const std::int64_t> indices, view<const T> values,
                                 view<const std::int64_t> extents, unsized_list<std::int64_t> new_indices,
                                 unsized_list<T> new_values, view_list<std::int64_t> new_extents) const {
  const detail::places p(indices);
  const detail::axis_parts parts = detail::find_axis_parts(ctx, axis.scalar(), num_split, p, extents);
  for (std::int64_t part = 0; part < num_split && !ctx.failed(); ++part) {
    const auto at = static_cast<std::size_t>(part);
    const std::int64_t count = detail::count_part(parts, part, p);
    const view<std::int64_t> made_indices = new_indices.resize(at, {count, p.rank});
    const view<T> made_values = new_values.resize(at, {count});
    if (!ctx.failed())
      detail::write_part(parts, part, p, detail::layout_of<T>, values.data(), extents, made_indices.data(), made_values.data(),
                         new_extents[at]);
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/concat.hpp>
#endif
