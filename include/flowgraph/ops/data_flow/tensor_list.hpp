#pragma once
// Tensor lists with value semantics: each op returns a new list, and lists share their elements. TensorFlow's current loops and
// their gradients use these lists.
//
//     fg::tensor_list<float> squares(g, 3, {.element_shape = {4}});  // three elements, none of them set
//     squares = squares.set(0, x).set(1, x * x);
//     auto y = squares.stack();                                      // {3, 4}: elements that are not set are zeros
//
// If no other node reads a list, an op changes the list in place. Therefore a loop that sets one element per iteration only takes
// the time for that element.

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using list_types = type_attrs<type_attr<"element_dtype", edge_types>>;
using shaped_list_types = type_attrs<type_attr<"element_dtype", edge_types>, type_attr<"shape_type", index_types>>;

// Shape rules. `elements` is the index of the input that contains the shape of elements: a vector with -1 for unknown extents, or
// the scalar -1 if the rank is unknown.
shape list_made(shape_context& c, std::size_t elements, const shape& found, const shape& number);
shape list_changed(shape_context& c, const shape& list);
shape list_item_changed(shape_context& c, const shape& list, const shape& index);
shape list_of_rows(shape_context& c, const shape& tensor, std::size_t elements, const shape& found);
shape list_element(shape_context& c, const shape& list, std::size_t elements, const shape& found);
shape list_elements_joined(shape_context& c, const shape& list, std::int64_t size, std::size_t elements, const shape& found);
shape_list list_concatenated(shape_context& c, const shape& list, const shape& element);
shape list_pushed_each(shape_context& c, const shape& lists, const shape& tensor);
shape same_lists(shape_context& c, const shape& a, const shape& b);

// Returns the shape that such an input contains.
result<shape> read_element_shape(const any_tensor& t);

// Returns the shape of the rows of x as an input for ops: a constant if the graph knows the shape.
template <class T> out<std::int32_t> shape_of_rows_of(const out<T>& x);
// Returns a known shape as a constant, with -1 for its unknown parts.
out<std::int32_t> declared_shape(const any_out& beside, const shape& known);

// The base of the ops that make a list of a declared shape of elements.
struct new_tensor_list {
  using types = type_attrs<type_attr<"shape_type", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  static constexpr op_facts base_facts{.not_differentiable = true};
  dtype element = dtype::invalid;
  static constexpr auto attrs = flowgraph::attrs(required("element_dtype", &new_tensor_list::element));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& element_shape, const flowgraph::shape& number) const {
    return list_made(c, 0, element_shape, number);
  }
};

}  // namespace detail

// Makes an empty list. If `max_num_elements` is not negative, it is the largest number of elements.
struct empty_tensor_list_op : detail::new_tensor_list {
  static constexpr std::string_view name = "EmptyTensorList";
  template <class I>
  void operator()(cpu ctx, index_view<I> element_shape, view<const std::int32_t> max_num_elements, view<variant> list) const;
};

// Makes a list whose elements are not set.
struct tensor_list_reserve_op : detail::new_tensor_list {
  static constexpr std::string_view name = "TensorListReserve";
  template <class I>
  void operator()(cpu ctx, index_view<I> element_shape, view<const std::int32_t> num_elements, view<variant> list) const;
};

// Returns the number of elements of a list.
struct tensor_list_length_op {
  static constexpr std::string_view name = "TensorListLength";
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& list) const { return detail::list_changed(c, list); }
  void operator()(cpu ctx, view<const variant> list, view<std::int32_t> length) const;
};

// Returns the shape that a list declares for its elements: -1 for unknown extents, the scalar -1 if the rank is unknown.
struct tensor_list_element_shape_op {
  static constexpr std::string_view name = "TensorListElementShape";
  using types = type_attrs<type_attr<"shape_type", index_types>>;
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& list) const {
    detail::list_changed(c, list);
    return flowgraph::shape::unknown();
  }
  template <class I> void operator()(cpu ctx, view<const variant> list, unsized<I> element_shape) const;
};

// Returns the list with another number of elements. Elements beyond the new end are dropped, and new elements are not set.
struct tensor_list_resize_op {
  static constexpr std::string_view name = "TensorListResize";
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& list, const flowgraph::shape& size) const {
    return detail::list_item_changed(c, list, size);
  }
  void operator()(cpu ctx, view<const variant> list, view<const std::int32_t> size, view<variant> resized) const;
  gradients_of<variant, 2> gradient(out<variant> list, out<std::int32_t>, out<variant>, out<variant> dlist) const {
    return {{apply(tensor_list_resize_op{}, dlist, apply(tensor_list_length_op{}, list)), none}};
  }
};

// Returns the list with an element appended.
struct tensor_list_push_back_op {
  static constexpr std::string_view name = "TensorListPushBack";
  using types = detail::list_types;
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& list, const flowgraph::shape&) const {
    return detail::list_changed(c, list);
  }
  template <class T> void operator()(cpu ctx, view<const variant> list, view<const T> tensor, view<variant> longer) const;
  template <class T> gradient_list gradient(out<variant> list, out<T> tensor, out<variant>, out<variant> dlist) const;
};

// Returns the list without its last element, and also the last element. If that element is not set, zeros are returned for it.
struct tensor_list_pop_back_op {
  static constexpr std::string_view name = "TensorListPopBack";
  using types = detail::list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.in_place = true};

  shape_list shape(shape_context& c, const flowgraph::shape& list, const flowgraph::shape& element_shape) const {
    return {{}, detail::list_element(c, list, 1, element_shape)};
  }
  template <class T>
  void operator()(cpu ctx, view<const variant> list, view<const std::int32_t> element_shape, view<variant> shorter,
                  unsized<T> tensor) const;
  template <class T>
  gradient_list gradient(out<variant>, out<std::int32_t>, out<variant>, out<T> tensor, out<variant> dlist, out<T> dtensor) const {
    if constexpr (carries_gradient(dtype_of<T>)) return {apply(tensor_list_push_back_op{}, dlist, dtensor), none};
    else return {apply(tensor_list_push_back_op{}, dlist, tensor), none};
  }
};

// Returns an element of a list. If the element is not set, returns zeros in the shape of elements.
struct tensor_list_get_item_op {
  static constexpr std::string_view name = "TensorListGetItem";
  using types = type_attrs<type_attr<"element_dtype", edge_types>, type_attr<"Tshape", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& list, const flowgraph::shape& index,
                         const flowgraph::shape& element_shape) const {
    detail::list_item_changed(c, list, index);
    return detail::list_element(c, list, 2, element_shape);
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const variant> list, view<const std::int32_t> index, index_view<I> element_shape,
                  unsized<T> item) const;
  template <class T, class I>
  gradient_list gradient(out<variant> list, out<std::int32_t> index, out<I>, out<T>, out<T> ditem) const;
};

// Returns the list with one element replaced.
struct tensor_list_set_item_op {
  static constexpr std::string_view name = "TensorListSetItem";
  using types = detail::list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.in_place = true};
  bool resizes = false;
  static constexpr auto attrs = flowgraph::attrs(attr("resize_if_index_out_of_bounds", &tensor_list_set_item_op::resizes));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& list, const flowgraph::shape& index,
                         const flowgraph::shape&) const {
    return detail::list_item_changed(c, list, index);
  }
  template <class T>
  void operator()(cpu ctx, view<const variant> list, view<const std::int32_t> index, view<const T> item,
                  view<variant> changed) const;
  template <class T>
  gradient_list gradient(out<variant> list, out<std::int32_t> index, out<T> item, out<variant>, out<variant> dlist) const;
};

// Stacks the elements of a list along a new first axis. Elements that are not set are zeros.
struct tensor_list_stack_op {
  static constexpr std::string_view name = "TensorListStack";
  using types = detail::list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;
  std::int64_t num_elements = -1;  // the required number of elements; -1: any number
  static constexpr auto attrs = flowgraph::attrs(attr("num_elements", &tensor_list_stack_op::num_elements));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& list, const flowgraph::shape& element_shape) const {
    return detail::list_elements_joined(c, list, num_elements, 1, element_shape);
  }
  template <class T>
  void operator()(cpu ctx, view<const variant> list, view<const std::int32_t> element_shape, unsized<T> tensor) const;
  template <class T> gradient_list gradient(out<variant>, out<std::int32_t>, out<T> tensor, out<T> dtensor) const;
};

// Returns a list whose elements are the rows of a tensor.
struct tensor_list_from_tensor_op {
  static constexpr std::string_view name = "TensorListFromTensor";
  using types = detail::shaped_list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tensor, const flowgraph::shape& element_shape) const {
    return detail::list_of_rows(c, tensor, 1, element_shape);
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const T> tensor, index_view<I> element_shape, view<variant> list) const;
  template <class T, class I> gradient_list gradient(out<T> tensor, out<I>, out<variant>, out<variant> dlist) const {
    if constexpr (carries_gradient(dtype_of<T>)) {
      tensor_list_stack_op stacking;
      if (const flowgraph::shape known = tensor.shape(); known.rank > 0) stacking.num_elements = known[0];
      return {apply_as<T>({}, stacking, dlist, detail::shape_of_rows_of(tensor)), none};
    } else {
      return {none, none};
    }
  }
};

// Stacks some elements of a list along a new first axis. Elements that are not set are zeros.
struct tensor_list_gather_op {
  static constexpr std::string_view name = "TensorListGather";
  using types = detail::list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& list, const flowgraph::shape& indices,
                         const flowgraph::shape& element_shape) const {
    if (!fits(indices, {-1})) return c.fail("the indices must be a vector");
    return detail::list_elements_joined(c, list, indices.rank == 1 ? indices[0] : -1, 2, element_shape);
  }
  template <class T>
  void operator()(cpu ctx, view<const variant> list, view<const std::int32_t> indices, view<const std::int32_t> element_shape,
                  unsized<T> values) const;
  template <class T>
  gradient_list gradient(out<variant> list, out<std::int32_t> indices, out<std::int32_t>, out<T>, out<T> dvalues) const;
};

// Returns the list with elements replaced by the rows of a tensor. The list grows if an index is beyond its end.
struct tensor_list_scatter_into_existing_list_op {
  static constexpr std::string_view name = "TensorListScatterIntoExistingList";
  using types = detail::list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& list, const flowgraph::shape& tensor,
                         const flowgraph::shape& indices) const {
    if (tensor.rank == 0) return c.fail("the tensor must have rows, at least a vector");
    if (!fits(indices, {tensor.rank > 0 ? tensor[0] : -1})) return c.fail("expected a vector with one index per row");
    return detail::list_changed(c, list);
  }
  template <class T>
  void operator()(cpu ctx, view<const variant> list, view<const T> tensor, view<const std::int32_t> indices,
                  view<variant> changed) const;
  template <class T>
  gradient_list gradient(out<variant>, out<T> tensor, out<std::int32_t> indices, out<variant>, out<variant> dlist) const;
};

// Returns a new list whose elements at the given indices are the rows of a tensor.
struct tensor_list_scatter_op {
  static constexpr std::string_view name = "TensorListScatter";
  using types = detail::shaped_list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tensor, const flowgraph::shape& indices,
                         const flowgraph::shape& element_shape) const {
    if (!fits(indices, {tensor.rank > 0 ? tensor[0] : -1})) return c.fail("expected a vector with one index per row");
    return detail::list_of_rows(c, tensor, 2, element_shape);
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const T> tensor, view<const std::int32_t> indices, index_view<I> element_shape,
                  view<variant> list) const;
  template <class T, class I>
  gradient_list gradient(out<T> tensor, out<std::int32_t> indices, out<I>, out<variant>, out<variant> dlist) const;
};

// Returns a new list whose elements at the given indices are the rows of a tensor. If `num_elements` is not -1, the list has
// `num_elements` elements.
struct tensor_list_scatter_v2_op {
  static constexpr std::string_view name = "TensorListScatterV2";
  using types = detail::shaped_list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2, 3);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tensor, const flowgraph::shape& indices,
                         const flowgraph::shape& element_shape, const flowgraph::shape& num_elements) const {
    if (!fits(num_elements, {})) return c.fail("num_elements must be a scalar");
    return tensor_list_scatter_op{}.shape(c, tensor, indices, element_shape);
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const T> tensor, view<const std::int32_t> indices, index_view<I> element_shape,
                  view<const std::int32_t> num_elements, view<variant> list) const;
  template <class T, class I>
  gradient_list gradient(out<T> tensor, out<std::int32_t> indices, out<I> element_shape, out<std::int32_t>, out<variant> list,
                         out<variant> dlist) const {
    gradient_list gradients = tensor_list_scatter_op{}.gradient<T, I>(tensor, indices, element_shape, list, dlist);
    gradients.push_back(none);
    return gradients;
  }
};

// Concatenates the elements of a list along their first axis, and returns the length of each element.
struct tensor_list_concat_op {
  static constexpr std::string_view name = "TensorListConcat";
  using types = detail::list_types;
  static constexpr auto host_outputs = flowgraph::host_outputs(1);
  static constexpr std::size_t moved_types = 1;
  flowgraph::shape element_shape = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(attr("element_shape", &tensor_list_concat_op::element_shape));

  shape_list shape(shape_context& c, const flowgraph::shape& list) const {
    return detail::list_concatenated(c, list, element_shape);
  }
  template <class T> void operator()(cpu ctx, view<const variant> list, unsized<T> tensor, unsized<std::int64_t> lengths) const;
  template <class T>
  gradient_list gradient(out<variant> list, out<T>, out<std::int64_t> lengths, out<T> dtensor, out<std::int64_t>) const;
};

// Concatenates the elements of a list along their first axis. Elements that are not set are replaced by zeros with the lengths in
// `leading_dims`. Also returns the length of each element.
struct tensor_list_concat_v2_op {
  static constexpr std::string_view name = "TensorListConcatV2";
  using types = detail::shaped_list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr auto host_outputs = flowgraph::host_outputs(1);
  static constexpr std::size_t moved_types = 1;

  shape_list shape(shape_context& c, const flowgraph::shape& list, const flowgraph::shape& element_shape,
                   const flowgraph::shape& leading_dims) const {
    if (!fits(leading_dims, {-1})) c.fail("leading_dims must be a vector");
    return detail::list_concatenated(c, list, detail::list_element(c, list, 1, element_shape));
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const variant> list, index_view<I> element_shape, view<const std::int64_t> leading_dims,
                  unsized<T> tensor, unsized<std::int64_t> lengths) const;
  template <class T, class I>
  gradient_list gradient(out<variant> list, out<I>, out<std::int64_t>, out<T> tensor, out<std::int64_t> lengths, out<T> dtensor,
                         out<std::int64_t> none_arrived) const {
    gradient_list gradients = tensor_list_concat_op{}.gradient<T>(list, tensor, lengths, dtensor, none_arrived);
    gradients.insert(gradients.end(), 2, none);
    return gradients;
  }
};

// Splits a tensor along its first axis into parts of the given lengths, and returns a list of the parts.
struct tensor_list_split_op {
  static constexpr std::string_view name = "TensorListSplit";
  using types = detail::shaped_list_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tensor, const flowgraph::shape&,
                         const flowgraph::shape& lengths) const {
    if (tensor.rank == 0) return c.fail("the tensor must have rows, at least a vector");
    return fits(lengths, {-1}) ? flowgraph::shape{} : c.fail("the lengths must be a vector");
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const T> tensor, index_view<I> element_shape, view<const std::int64_t> lengths,
                  view<variant> list) const;
  template <class T, class I>
  gradient_list gradient(out<T> tensor, out<I>, out<std::int64_t> lengths, out<variant>, out<variant> dlist) const;
};

// Appends the elements of one list to another list. If the inputs are tensors of lists, does this for each pair of lists.
struct tensor_list_concat_lists_op {
  static constexpr std::string_view name = "TensorListConcatLists";
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true};
  dtype element = dtype::invalid;
  static constexpr auto attrs = flowgraph::attrs(required("element_dtype", &tensor_list_concat_lists_op::element));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    return detail::same_lists(c, a, b);
  }
  void operator()(cpu ctx, view<const variant> a, view<const variant> b, view<variant> joined) const;
};

// Appends one row of a tensor to each of several lists.
struct tensor_list_push_back_batch_op {
  static constexpr std::string_view name = "TensorListPushBackBatch";
  using types = detail::list_types;
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& lists, const flowgraph::shape& tensor) const {
    return detail::list_pushed_each(c, lists, tensor);
  }
  template <class T> void operator()(cpu ctx, view<const variant> lists, view<const T> tensor, view<variant> longer) const;
};

// Options of a tensor_list.
struct tensor_list_options {
  flowgraph::shape element_shape = flowgraph::shape::unknown();  // the known part of the elements' shape
};

// A list after certain ops. In a loop, use its `handle` as the loop variable.
template <class T> struct tensor_list {
  out<variant> handle;                                           // the list
  flowgraph::shape element_shape = flowgraph::shape::unknown();  // the known part of the elements' shape

  tensor_list() = default;
  explicit tensor_list(const out<variant>& list, const tensor_list_options& o = {})
      : handle(list), element_shape(o.element_shape) {}
  // Makes a list of `size` elements that are not set.
  explicit tensor_list(const out<std::int32_t>& size, const tensor_list_options& o = {}, const site& s = {})
      : element_shape(o.element_shape) {
    handle = apply(tensor_list_reserve_op{{dtype_of<T>}}, declared(size, s), size, s);
  }
  tensor_list(const graph& g, std::int32_t size, const tensor_list_options& o = {}, const site& s = {})
      : tensor_list(detail::constant_in(g.state(), tensor<std::int32_t>(size), detail::part_of(s, "size")), o, s) {}
  // Makes a list of the rows of a tensor.
  static tensor_list of_rows(const out<T>& rows, const site& s = {}) {
    tensor_list result(out<variant>{}, {detail::shape_of_rows(rows.shape())});
    result.handle = apply(tensor_list_from_tensor_op{}, rows, result.declared(rows, s), s);
    return result;
  }
  // Splits a tensor along its first axis into parts of the given lengths, and makes a list of the parts.
  static tensor_list of_parts(const out<T>& whole, const out<std::int64_t>& lengths, const site& s = {}) {
    tensor_list result(out<variant>{}, {whole.shape()});
    if (result.element_shape.rank > 0) result.element_shape[0] = -1;
    result.handle = apply(tensor_list_split_op{}, whole, result.declared(whole, s), lengths, s);
    return result;
  }

  // Returns an element. If the element is not set, returns zeros; this requires that the shape of elements is known.
  out<T> get(const out<std::int32_t>& index, const site& s = {}) const {
    return apply_as<T, std::int32_t>(s, tensor_list_get_item_op{}, handle, index, declared(handle, s));
  }
  out<T> get(std::int32_t index, const site& s = {}) const { return get(scalar(index, s), s); }
  // Returns the list with one element replaced.
  tensor_list set(const out<std::int32_t>& index, const out<T>& item, const site& s = {}) const {
    return after(apply(tensor_list_set_item_op{}, handle, index, item, s));
  }
  tensor_list set(std::int32_t index, const out<T>& item, const site& s = {}) const { return set(scalar(index, s), item, s); }
  // Returns the list with an element appended.
  tensor_list push_back(const out<T>& item, const site& s = {}) const {
    return after(apply(tensor_list_push_back_op{}, handle, item, s));
  }
  // Returns the list without its last element, and also the last element.
  std::pair<tensor_list, out<T>> pop_back(const site& s = {}) const {
    const auto [shorter, last] = apply_as<T>(s, tensor_list_pop_back_op{}, handle, declared(handle, s));
    return {after(shorter), last};
  }
  // Returns the list with its number of elements changed to `size`.
  tensor_list resize(const out<std::int32_t>& size, const site& s = {}) const {
    return after(apply(tensor_list_resize_op{}, handle, size, s));
  }

  // Returns all elements, stacked along a new first axis.
  out<T> stack(const site& s = {}) const { return apply_as<T>(s, tensor_list_stack_op{}, handle, declared(handle, s)); }
  // Returns the elements at the given indices, stacked along a new first axis.
  out<T> gather(const out<std::int32_t>& indices, const site& s = {}) const {
    return apply_as<T>(s, tensor_list_gather_op{}, handle, indices, declared(handle, s));
  }
  // Returns all elements, concatenated along their first axis.
  out<T> concat(const site& s = {}) const {
    const auto no_lengths = detail::constant_beside(handle, tensor<std::int64_t>({0}, {}), detail::part_of(s, "leading_dims"));
    return std::get<0>(apply_as<T, std::int32_t>(s, tensor_list_concat_v2_op{}, handle, declared(handle, s), no_lengths));
  }
  // Returns the list with the elements at the given indices replaced by the rows of a tensor.
  tensor_list scatter(const out<std::int32_t>& indices, const out<T>& rows, const site& s = {}) const {
    return after(apply(tensor_list_scatter_into_existing_list_op{}, handle, rows, indices, s));
  }
  // Returns the number of elements.
  out<std::int32_t> size(const site& s = {}) const { return apply(tensor_list_length_op{}, handle, s); }

private:
  out<std::int32_t> scalar(std::int32_t value, const site& s) const {
    return detail::constant_beside(handle, tensor<std::int32_t>(value), detail::part_of(s, "index"));
  }
  out<std::int32_t> declared(const any_out& beside, const site&) const { return detail::declared_shape(beside, element_shape); }
  tensor_list after(const out<variant>& list) const { return tensor_list(list, {element_shape}); }
};

using tensor_list_ops =
    type_list<empty_tensor_list_op, tensor_list_reserve_op, tensor_list_length_op, tensor_list_element_shape_op,
              tensor_list_resize_op, tensor_list_push_back_op, tensor_list_pop_back_op, tensor_list_get_item_op,
              tensor_list_set_item_op, tensor_list_stack_op, tensor_list_from_tensor_op, tensor_list_gather_op,
              tensor_list_scatter_into_existing_list_op, tensor_list_scatter_op, tensor_list_scatter_v2_op, tensor_list_concat_op,
              tensor_list_concat_v2_op, tensor_list_split_op, tensor_list_concat_lists_op, tensor_list_push_back_batch_op>;

}  // namespace flowgraph

#include <flowgraph/ops/data_flow/detail/tensor_list_gradient.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/tensor_list_shapes.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/tensor_list.hpp>
#endif
