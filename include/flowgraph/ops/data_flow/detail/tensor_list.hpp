#pragma once

#include <flowgraph/ops/data_flow/tensor_list.hpp>
#include <flowgraph/ops/shared/detail/variant_value.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// ---- kernels, for all element types: the node's inputs and outputs have the type

void make_list(cpu ctx, dtype element, view<const std::int32_t> number, bool is_most, view<variant> list);
void measure_list(cpu ctx, view<std::int32_t> length);
// Returns the shape that a list declares. Fails if the input declares none.
shape list_element_shape(cpu ctx);
void resize_list(cpu ctx, view<const std::int32_t> size, view<variant> resized);
void push_to_list(cpu ctx, view<variant> longer);
void pop_from_list(cpu ctx, view<variant> shorter);
void get_from_list(cpu ctx, view<const std::int32_t> index);
void set_in_list(cpu ctx, view<const std::int32_t> index, bool resizes, view<variant> changed);
void stack_list(cpu ctx, std::int64_t num_elements);
void list_rows(cpu ctx, view<variant> list);
void gather_from_list(cpu ctx, view<const std::int32_t> indices);
void scatter_into_list(cpu ctx, view<const std::int32_t> indices, view<variant> changed);
// `most` is the number of elements; -1: as many as the indices require.
void scatter_rows(cpu ctx, view<const std::int32_t> indices, std::int64_t size, view<variant> list);
// `lengths` are the lengths of elements that are not set; null: the same as those of the others.
void concat_list(cpu ctx, const shape& element_shape, const view<const std::int64_t>* lengths);
void split_to_list(cpu ctx, view<const std::int64_t> lengths, view<variant> list);
void join_lists(cpu ctx, dtype element, view<const variant> a, view<const variant> b, view<variant> joined);
void push_to_each(cpu ctx, view<const variant> lists, view<variant> longer);

template <class I> void show_element_shape(cpu ctx, const unsized<I>& y) {
  const shape s = list_element_shape(ctx);
  if (ctx.failed()) return;
  const view<I> extents = y.resize(s.has_rank() ? shape{s.rank} : shape{});
  if (ctx.failed()) return;
  if (!s.has_rank()) extents[0] = I(-1);
  for (int i = 0; i < s.rank; ++i) extents[static_cast<std::size_t>(i)] = static_cast<I>(s[i]);
}

}  // namespace detail

template <class I>
void empty_tensor_list_op::operator()(cpu ctx, index_view<I>, view<const std::int32_t> max_num_elements,
                                      view<variant> list) const {
  detail::make_list(ctx, element, max_num_elements, true, list);
}
template <class I>
void tensor_list_reserve_op::operator()(cpu ctx, index_view<I>, view<const std::int32_t> num_elements, view<variant> list) const {
  detail::make_list(ctx, element, num_elements, false, list);
}
FLOWGRAPH_KERNEL_INLINE void tensor_list_length_op::operator()(cpu ctx, view<const variant>, view<std::int32_t> length) const {
  detail::measure_list(ctx, length);
}
template <class I> void tensor_list_element_shape_op::operator()(cpu ctx, view<const variant>, unsized<I> element_shape) const {
  detail::show_element_shape(ctx, element_shape);
}
FLOWGRAPH_KERNEL_INLINE void tensor_list_resize_op::operator()(cpu ctx, view<const variant>, view<const std::int32_t> size,
                                                               view<variant> resized) const {
  detail::resize_list(ctx, size, resized);
}
template <class T>
void tensor_list_push_back_op::operator()(cpu ctx, view<const variant>, view<const T>, view<variant> longer) const {
  detail::push_to_list(ctx, longer);
}
template <class T>
void tensor_list_pop_back_op::operator()(cpu ctx, view<const variant>, view<const std::int32_t>, view<variant> shorter,
                                         unsized<T>) const {
  detail::pop_from_list(ctx, shorter);
}
template <class T, class I>
void tensor_list_get_item_op::operator()(cpu ctx, view<const variant>, view<const std::int32_t> index, index_view<I>,
                                         unsized<T>) const {
  detail::get_from_list(ctx, index);
}
template <class T>
void tensor_list_set_item_op::operator()(cpu ctx, view<const variant>, view<const std::int32_t> index, view<const T>,
                                         view<variant> changed) const {
  detail::set_in_list(ctx, index, resizes, changed);
}
template <class T>
void tensor_list_stack_op::operator()(cpu ctx, view<const variant>, view<const std::int32_t>, unsized<T>) const {
  detail::stack_list(ctx, num_elements);
}
template <class T, class I>
void tensor_list_from_tensor_op::operator()(cpu ctx, view<const T>, index_view<I>, view<variant> list) const {
  detail::list_rows(ctx, list);
}
template <class T>
void tensor_list_gather_op::operator()(cpu ctx, view<const variant>, view<const std::int32_t> indices, view<const std::int32_t>,
                                       unsized<T>) const {
  detail::gather_from_list(ctx, indices);
}
template <class T>
void tensor_list_scatter_into_existing_list_op::operator()(cpu ctx, view<const variant>, view<const T>,
                                                           view<const std::int32_t> indices, view<variant> changed) const {
  detail::scatter_into_list(ctx, indices, changed);
}
template <class T, class I>
void tensor_list_scatter_op::operator()(cpu ctx, view<const T>, view<const std::int32_t> indices, index_view<I>,
                                        view<variant> list) const {
  detail::scatter_rows(ctx, indices, -1, list);
}
template <class T, class I>
void tensor_list_scatter_v2_op::operator()(cpu ctx, view<const T>, view<const std::int32_t> indices, index_view<I>,
                                           view<const std::int32_t> num_elements, view<variant> list) const {
  detail::scatter_rows(ctx, indices, num_elements.scalar(), list);
}
template <class T> void tensor_list_concat_op::operator()(cpu ctx, view<const variant>, unsized<T>, unsized<std::int64_t>) const {
  detail::concat_list(ctx, element_shape, nullptr);
}
template <class T, class I>
void tensor_list_concat_v2_op::operator()(cpu ctx, view<const variant>, index_view<I>, view<const std::int64_t> leading_dims,
                                          unsized<T>, unsized<std::int64_t>) const {
  detail::concat_list(ctx, {}, &leading_dims);
}
template <class T, class I>
void tensor_list_split_op::operator()(cpu ctx, view<const T>, index_view<I>, view<const std::int64_t> lengths,
                                      view<variant> list) const {
  detail::split_to_list(ctx, lengths, list);
}
FLOWGRAPH_KERNEL_INLINE void tensor_list_concat_lists_op::operator()(cpu ctx, view<const variant> a, view<const variant> b,
                                                                     view<variant> joined) const {
  detail::join_lists(ctx, element, a, b, joined);
}
template <class T>
void tensor_list_push_back_batch_op::operator()(cpu ctx, view<const variant> lists, view<const T>, view<variant> longer) const {
  detail::push_to_each(ctx, lists, longer);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/tensor_list.hpp>
#endif
