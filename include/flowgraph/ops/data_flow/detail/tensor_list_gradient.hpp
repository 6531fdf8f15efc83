#pragma once
// The gradients of lists: lists of gradients, made by the ops of lists.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/data_flow/tensor_list.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> out<std::int32_t> detail::shape_of_rows_of(const out<T>& x) {
  const shape rows = detail::shape_of_rows(x.shape());
  return rows.is_known() ? declared_shape(x, rows) : slice(shape_of(x), {1}, {-1});
}

namespace detail {

// Returns a list like `list` in which no element is set, which means zero.
template <class T> out<variant> no_gradients_of(const out<variant>& list) {
  return apply(tensor_list_reserve_op{{dtype_of<T>}}, apply_as<std::int32_t>({}, tensor_list_element_shape_op{}, list),
               apply(tensor_list_length_op{}, list));
}

}  // namespace detail

template <class T>
gradient_list tensor_list_push_back_op::gradient(out<variant>, out<T> tensor, out<variant>, out<variant> dlist) const {
  const auto [before, last] = apply_as<T>({}, tensor_list_pop_back_op{}, dlist, shape_like(tensor));
  if constexpr (carries_gradient(dtype_of<T>)) return {before, last};
  else return {before, none};
}

template <class T, class I>
gradient_list tensor_list_get_item_op::gradient(out<variant> list, out<std::int32_t> index, out<I>, out<T>, out<T> ditem) const {
  if constexpr (carries_gradient(dtype_of<T>))
    return {apply(tensor_list_set_item_op{}, detail::no_gradients_of<T>(list), index, ditem), none, none};
  else return {none, none, none};
}

// The zeros depend on the element's gradient, so they are made after it is read: then no reader of the list is left when it
// changes.
template <class T>
gradient_list tensor_list_set_item_op::gradient(out<variant> list, out<std::int32_t> index, out<T> item, out<variant>,
                                                out<variant> dlist) const {
  out<variant> others = dlist;
  any_grad ditem;
  if constexpr (carries_gradient(dtype_of<T>)) {
    const out<T> element = apply_as<T, std::int32_t>({}, tensor_list_get_item_op{}, dlist, index, shape_like(item));
    others = apply(tensor_list_set_item_op{}, dlist, index, zeros_like(element));
    ditem = element;
  }
  if (resizes) others = apply(tensor_list_resize_op{}, others, apply(tensor_list_length_op{}, list));
  return {others, none, ditem};
}

template <class T>
gradient_list tensor_list_stack_op::gradient(out<variant>, out<std::int32_t>, out<T> tensor, out<T> dtensor) const {
  if constexpr (carries_gradient(dtype_of<T>)) {
    const out<std::int32_t> rows = detail::declared_shape(dtensor, detail::shape_of_rows(tensor.shape()));
    return {apply(tensor_list_from_tensor_op{}, dtensor, rows), none};
  } else {
    return {none, none};
  }
}

template <class T>
gradient_list tensor_list_gather_op::gradient(out<variant> list, out<std::int32_t> indices, out<std::int32_t>, out<T>,
                                              out<T> dvalues) const {
  if constexpr (carries_gradient(dtype_of<T>))
    return {apply(tensor_list_scatter_into_existing_list_op{}, detail::no_gradients_of<T>(list), dvalues, indices), none, none};
  else return {none, none, none};
}

template <class T>
gradient_list tensor_list_scatter_into_existing_list_op::gradient(out<variant>, out<T> tensor, out<std::int32_t> indices,
                                                                  out<variant>, out<variant> dlist) const {
  if constexpr (carries_gradient(dtype_of<T>)) {
    const out<T> rows = apply_as<T>({}, tensor_list_gather_op{}, dlist, indices, detail::shape_of_rows_of(tensor));
    return {apply(tensor_list_scatter_into_existing_list_op{}, dlist, zeros_like(rows), indices), rows, none};
  } else {
    return {dlist, none, none};
  }
}

template <class T, class I>
gradient_list tensor_list_scatter_op::gradient(out<T> tensor, out<std::int32_t> indices, out<I>, out<variant>,
                                               out<variant> dlist) const {
  if constexpr (carries_gradient(dtype_of<T>))
    return {apply_as<T>({}, tensor_list_gather_op{}, dlist, indices, detail::shape_of_rows_of(tensor)), none, none};
  else return {none, none, none};
}

template <class T>
gradient_list tensor_list_concat_op::gradient(out<variant> list, out<T>, out<std::int64_t> lengths, out<T> dtensor,
                                              out<std::int64_t>) const {
  if constexpr (carries_gradient(dtype_of<T>)) {
    const out<std::int32_t> elements = apply_as<std::int32_t>({}, tensor_list_element_shape_op{}, list);
    return {apply(tensor_list_split_op{}, dtensor, elements, lengths)};
  } else {
    return {none};
  }
}

template <class T, class I>
gradient_list tensor_list_split_op::gradient(out<T> tensor, out<I>, out<std::int64_t> lengths, out<variant>,
                                             out<variant> dlist) const {
  if constexpr (carries_gradient(dtype_of<T>)) {
    const out<std::int32_t> any_length = detail::constant_beside(tensor, flowgraph::tensor<std::int32_t>({1}, {-1}));
    const out<std::int32_t> elements = concat<std::int32_t>({any_length, detail::shape_of_rows_of(tensor)}, 0);
    return {std::get<0>(apply_as<T, std::int32_t>({}, tensor_list_concat_v2_op{}, dlist, elements, lengths)), none, none};
  } else {
    return {none, none, none};
  }
}

}  // namespace flowgraph
