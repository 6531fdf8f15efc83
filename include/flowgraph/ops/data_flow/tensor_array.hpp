#pragma once
// Arrays of tensors that a run fills and reads, for loops that collect results or process a tensor row by row.
//
//     fg::tensor_array<float> squares(g, 3);
//     squares = squares.write(0, x);                            // each write returns a new value, which orders the ops
//     squares = squares.write(1, x * x).write(2, x * x * x);
//     auto y = squares.stack();                                 // {3, ...}: reads run after the writes that made their value
//
// Each element can be written only once. Elements are shared instead of copied. An array exists at most until the end of the run
// that made it. TensorArrayGradV3 returns the gradient array of an array. In a gradient array, values that are written to the
// same element are added, and elements that were never written are zero.

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/data_flow/gradient_arrays.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The way in which an op refers to its array: a resource. The older ways are in tensor_array_by_name.hpp.
struct array_handle {
  using parameter = view<const resource>;
  using element = resource;
  static constexpr bool by_name = false;
};

// The ops that a gradient uses, selected by the way in which they refer to arrays.
template <class Handle> struct array_ops;

// The attributes of a new array.
struct array_declaration {
  dtype element = dtype::invalid;
  flowgraph::shape element_shape = flowgraph::shape::unknown();
  bool dynamic_size = false, clear_after_read = true;
  std::string tensor_array_name = {};
};

shape_list array_shapes(shape_context& c, const shape& size, const shape& handle);
shape scalar_flow(shape_context& c, const shape& flow);
shape written_flow(shape_context& c, const shape& index, const shape& flow);
shape scattered_flow(shape_context& c, const shape& indices, const shape& value, const shape& flow);
shape split_flow(shape_context& c, const shape& value, const shape& lengths, const shape& flow);
shape gathered_shape(shape_context& c, const shape& indices, const shape& element, const shape& flow);
shape_list concatenated_shapes(shape_context& c, const shape& element_except0, const shape& flow);

// The gradients of four pairs of ops. The gradient of a write reads the gradient array; the gradient of a read writes to it.
template <class Handle, class T, class E>
gradient_list written_gradient(const out<E>& handle, const out<std::int32_t>& index, const out<float>& after,
                               const out<float>& flow);
// The gradient of ops that read elements, which the op Write adds to the gradient array.
template <class Handle, class Write, class T, class E>
gradient_list read_gradient(const out<E>& handle, const out<std::int32_t>& index, const out<float>& after, const out<T>& dy);
template <class Handle, class T, class E>
gradient_list scattered_gradient(const out<E>& handle, const out<std::int32_t>& indices, const out<T>& value,
                                 const out<float>& after, const out<float>& flow);
template <class Handle, class T, class E>
gradient_list split_gradient(const out<E>& handle, const out<T>& value, const out<float>& after, const out<float>& flow);
template <class Handle, class T, class E>
gradient_list concatenated_gradient(const out<E>& handle, const out<std::int64_t>& lengths, const out<float>& after,
                                    const out<T>& dy);

// The bases of the ops, independent of the way in which they refer to their array.
template <class Handle> struct array_write {
  using types = edge_types;
  using element = typename Handle::element;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts base_facts{.stateful = true, .per_run = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& index, const flowgraph::shape&,
                         const flowgraph::shape& flow) const {
    return written_flow(c, index, flow);
  }
  template <class T>
  void operator()(cpu ctx, typename Handle::parameter array, view<const std::int32_t> index, view<const T> value,
                  view<const float> flow, unsized<float> flow_out) const;
  template <class T>
  gradient_list gradient(out<element> array, out<std::int32_t> index, out<T>, out<float>, out<float> after,
                         out<float> flow) const {
    return written_gradient<Handle, T>(array, index, after, flow);
  }
};

template <class Handle> struct array_read {
  using types = type_attrs<type_attr<"dtype", edge_types>>;
  using element = typename Handle::element;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts base_facts{.stateful = true, .per_run = Handle::by_name, .engine = {.in_array = array_role::read}};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& index,
                         const flowgraph::shape& flow) const {
    written_flow(c, index, flow);
    return flowgraph::shape::unknown();
  }
  template <class T>
  void operator()(cpu ctx, typename Handle::parameter array, view<const std::int32_t> index, view<const float> flow,
                  unsized<T> value) const;
  template <class T>
  gradient_list gradient(out<element> array, out<std::int32_t> index, out<float> after, out<T>, out<T> dy) const {
    return read_gradient<Handle, typename array_ops<Handle>::write>(array, index, after, dy);
  }
};

template <class Handle> struct array_gather {
  using types = type_attrs<type_attr<"dtype", joined<all_types, type_list<variant>>>>;
  using element = typename Handle::element;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts base_facts{.stateful = true, .per_run = Handle::by_name};
  flowgraph::shape element_shape = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(attr("element_shape", &array_gather::element_shape));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& indices,
                         const flowgraph::shape& flow) const {
    return gathered_shape(c, indices, element_shape, flow);
  }
  template <class T>
  void operator()(cpu ctx, typename Handle::parameter array, view<const std::int32_t> indices, view<const float> flow,
                  unsized<T> value) const;
  template <class T>
  gradient_list gradient(out<element> array, out<std::int32_t> indices, out<float> after, out<T>, out<T> dy) const {
    return read_gradient<Handle, typename array_ops<Handle>::scatter>(array, indices, after, dy);
  }
};

template <class Handle> struct array_scatter {
  using types = edge_types;
  using element = typename Handle::element;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts base_facts{.stateful = true, .per_run = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& indices,
                         const flowgraph::shape& value, const flowgraph::shape& flow) const {
    return scattered_flow(c, indices, value, flow);
  }
  template <class T>
  void operator()(cpu ctx, typename Handle::parameter array, view<const std::int32_t> indices, view<const T> value,
                  view<const float> flow, unsized<float> flow_out) const;
  template <class T>
  gradient_list gradient(out<element> array, out<std::int32_t> indices, out<T> value, out<float>, out<float> after,
                         out<float> flow) const {
    return scattered_gradient<Handle>(array, indices, value, after, flow);
  }
};

template <class Handle> struct array_concat {
  using types = type_attrs<type_attr<"dtype", all_types>>;
  using element = typename Handle::element;
  static constexpr auto host_outputs = flowgraph::host_outputs(1);
  static constexpr op_facts base_facts{.stateful = true, .per_run = Handle::by_name};
  flowgraph::shape element_shape_except0 = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(attr("element_shape_except0", &array_concat::element_shape_except0));

  shape_list shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& flow) const {
    return concatenated_shapes(c, element_shape_except0, flow);
  }
  template <class T>
  void operator()(cpu ctx, typename Handle::parameter array, view<const float> flow, unsized<T> value,
                  unsized<std::int64_t> lengths) const;
  template <class T>
  gradient_list gradient(out<element> array, out<float> after, out<T>, out<std::int64_t> lengths, out<T> dy,
                         out<std::int64_t>) const {
    return concatenated_gradient<Handle>(array, lengths, after, dy);
  }
};

template <class Handle> struct array_split {
  using types = edge_types;
  using element = typename Handle::element;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr op_facts base_facts{.stateful = true, .per_run = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& value,
                         const flowgraph::shape& lengths, const flowgraph::shape& flow) const {
    return split_flow(c, value, lengths, flow);
  }
  template <class T>
  void operator()(cpu ctx, typename Handle::parameter array, view<const T> value, view<const std::int64_t> lengths,
                  view<const float> flow, unsized<float> flow_out) const;
  template <class T>
  gradient_list gradient(out<element> array, out<T> value, out<std::int64_t>, out<float>, out<float> after,
                         out<float> flow) const {
    return split_gradient<Handle>(array, value, after, flow);
  }
};

template <class Handle> struct array_size {
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true, .per_run = Handle::by_name};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& flow) const {
    return scalar_flow(c, flow);
  }
  void operator()(cpu ctx, typename Handle::parameter array, view<const float> flow, view<std::int32_t> size) const;
};

template <class Handle> struct array_close {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true, .per_run = Handle::by_name};

  void operator()(cpu ctx, typename Handle::parameter array) const;
};

}  // namespace detail

// Makes an array of `size` elements that are not written yet. The second output is the flow, which orders the ops on the array.
struct tensor_array_v3_op : detail::array_declaration {
  static constexpr std::string_view name = "TensorArrayV3";
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.not_differentiable = true,
                                  .stateful = true,
                                  .per_run = true,
                                  .engine = {.in_array = array_role::declares, .step_rules = &detail::rules_of_flow}};
  bool identical_element_shapes = false;
  static constexpr auto attrs = flowgraph::attrs(
      required("dtype", &array_declaration::element), attr("element_shape", &array_declaration::element_shape),
      attr("dynamic_size", &array_declaration::dynamic_size), attr("clear_after_read", &array_declaration::clear_after_read),
      attr("identical_element_shapes", &tensor_array_v3_op::identical_element_shapes),
      attr("tensor_array_name", &array_declaration::tensor_array_name));

  shape_list shape(shape_context& c, const flowgraph::shape& size) const { return detail::array_shapes(c, size, {}); }
  void operator()(cpu ctx, view<const std::int32_t> size, unsized<resource> handle, view<float> flow) const;
};

// Returns the gradient array of an array. The gradient array is made when the name `source` is used for the first time.
struct tensor_array_grad_v3_op {
  static constexpr std::string_view name = "TensorArrayGradV3";
  static constexpr op_facts facts{.stateful = true, .per_run = true, .engine = {.in_array = array_role::gradient}};
  std::string source = {};
  static constexpr auto attrs = flowgraph::attrs(required("source", &tensor_array_grad_v3_op::source));

  shape_list shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& flow) const {
    return detail::gradient_array_shapes(c, {}, flow);
  }
  void operator()(cpu ctx, view<const resource> array, view<const float> flow, unsized<resource> gradients,
                  view<float> flow_out) const;
  // The ops on the gradient array have their own gradients, in another array. This gradient only keeps the order of the ops.
  gradient_list gradient(out<resource>, out<float>, out<resource>, out<float>, out<resource>, out<float> after) const {
    return {none, after};
  }
};

// Returns the gradient array of an array. The gradients have additional leading extents before the shape of their element.
struct tensor_array_grad_with_shape_op {
  static constexpr std::string_view name = "TensorArrayGradWithShape";
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .per_run = true};
  std::string source = {};
  static constexpr auto attrs = flowgraph::attrs(required("source", &tensor_array_grad_with_shape_op::source));

  shape_list shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& flow, const flowgraph::shape&) const {
    return detail::gradient_array_shapes(c, {}, flow);
  }
  void operator()(cpu ctx, view<const resource> array, view<const float> flow, view<const std::int32_t> shape_to_prepend,
                  unsized<resource> gradients, view<float> flow_out) const;
};

// Writes an element that was not written before.
struct tensor_array_write_v3_op : detail::array_write<detail::array_handle> {
  static constexpr std::string_view name = "TensorArrayWriteV3";
};

// Reads an element. If the array was made with `clear_after_read`, the element is removed.
struct tensor_array_read_v3_op : detail::array_read<detail::array_handle> {
  static constexpr std::string_view name = "TensorArrayReadV3";
};

// Reads elements of equal shape and stacks them along a new first axis.
struct tensor_array_gather_v3_op : detail::array_gather<detail::array_handle> {
  static constexpr std::string_view name = "TensorArrayGatherV3";
};

// Writes the rows of a tensor to the elements at the given indices.
struct tensor_array_scatter_v3_op : detail::array_scatter<detail::array_handle> {
  static constexpr std::string_view name = "TensorArrayScatterV3";
};

// Concatenates all elements along their first axis, and returns the length of each element.
struct tensor_array_concat_v3_op : detail::array_concat<detail::array_handle> {
  static constexpr std::string_view name = "TensorArrayConcatV3";
};

// Splits a tensor along its first axis into parts of the given lengths, and writes one part to each element.
struct tensor_array_split_v3_op : detail::array_split<detail::array_handle> {
  static constexpr std::string_view name = "TensorArraySplitV3";
};

// Returns the number of elements of an array.
struct tensor_array_size_v3_op : detail::array_size<detail::array_handle> {
  static constexpr std::string_view name = "TensorArraySizeV3";
};

// Frees the elements before the run ends. The array cannot be used afterwards.
struct tensor_array_close_v3_op : detail::array_close<detail::array_handle> {
  static constexpr std::string_view name = "TensorArrayCloseV3";
};

// Options of a tensor_array.
struct tensor_array_options {
  flowgraph::shape element_shape = flowgraph::shape::unknown();  // the known part of the elements' shape
  bool dynamic_size = false;                                     // a write beyond the end enlarges the array
  bool clear_after_read = true;                                  // an element can be read only once
  bool infer_shape = true;                                       // all elements must have the shape of the first element
  std::string name = {};                                         // the array's name in error messages
};

// The state of an array after certain writes. Each write returns a new state.
template <class T> struct tensor_array {
  out<resource> handle;                                          // the array
  out<float> flow;                                               // orders the ops on the array; a loop passes it on as a variable
  flowgraph::shape element_shape = flowgraph::shape::unknown();  // the known part of the elements' shape
  bool infers_shape = true;                                      // all elements must have the shape of the first element

  tensor_array() = default;
  tensor_array(const out<resource>& named, const out<float>& order) : handle(named), flow(order) {}
  explicit tensor_array(const out<std::int32_t>& size, const tensor_array_options& o = {}, const site& s = {})
      : element_shape(o.element_shape), infers_shape(o.infer_shape) {
    tensor_array_v3_op result;
    result.element = dtype_of<T>;
    result.element_shape = o.element_shape;
    result.dynamic_size = o.dynamic_size;
    result.clear_after_read = o.clear_after_read;
    result.identical_element_shapes = o.infer_shape;
    result.tensor_array_name = o.name;
    std::tie(handle, flow) = apply(result, size, s);
  }
  tensor_array(const graph& g, std::int32_t size, const tensor_array_options& o = {}, const site& s = {})
      : tensor_array(detail::constant_in(g.state(), tensor<std::int32_t>(size), detail::part_of(s, "size")), o, s) {}

  // Writes an element that was not written before, and returns the array after the write.
  tensor_array write(const out<std::int32_t>& index, const out<T>& value, const site& s = {}) const {
    return after(apply(tensor_array_write_v3_op{}, handle, index, value, flow, s), value.shape());
  }
  tensor_array write(std::int32_t index, const out<T>& value, const site& s = {}) const {
    return write(scalar(index, "index", s), value, s);
  }
  // Returns an element.
  out<T> read(const out<std::int32_t>& index, const site& s = {}) const {
    return apply_as<T>(s, tensor_array_read_v3_op{}, handle, index, flow);
  }
  out<T> read(std::int32_t index, const site& s = {}) const { return read(scalar(index, "index", s), s); }

  // Returns elements of equal shape, stacked along a new first axis.
  out<T> gather(const out<std::int32_t>& indices, const site& s = {}) const {
    tensor_array_gather_v3_op gathering;
    gathering.element_shape = element_shape;
    return apply_as<T>(s, gathering, handle, indices, flow);
  }
  // Writes the rows of a tensor to the elements at the given indices, and returns the array after the writes.
  tensor_array scatter(const out<std::int32_t>& indices, const out<T>& value, const site& s = {}) const {
    return after(apply(tensor_array_scatter_v3_op{}, handle, indices, value, flow, s), detail::shape_of_rows(value.shape()));
  }
  // Returns all elements, stacked along a new first axis.
  out<T> stack(const site& s = {}) const { return gather(first_indices(size(detail::part_of(s, "size")), s), s); }
  // Writes the rows of a tensor to all elements, and returns the array after the writes.
  tensor_array unstack(const out<T>& value, const site& s = {}) const {
    return scatter(first_indices(detail::extent_of(value, 0, detail::part_of(s, "rows")), s), value, s);
  }

  // Splits a tensor along its first axis into parts of the given lengths, writes a part to each element, and returns the array.
  tensor_array split(const out<T>& value, const out<std::int64_t>& lengths, const site& s = {}) const {
    flowgraph::shape part = value.shape();
    if (part.rank > 0) part[0] = -1;
    return after(apply(tensor_array_split_v3_op{}, handle, value, lengths, flow, s), part);
  }
  // Returns all elements, concatenated along their first axis.
  out<T> concat(const site& s = {}) const {
    tensor_array_concat_v3_op joining;
    joining.element_shape_except0 = detail::shape_of_rows(element_shape);
    return std::get<0>(apply_as<T>(s, joining, handle, flow));
  }

  // Returns the number of elements.
  out<std::int32_t> size(const site& s = {}) const { return apply(tensor_array_size_v3_op{}, handle, flow, s); }
  // Frees the elements before the run ends.
  target close(const site& s = {}) const { return apply(tensor_array_close_v3_op{}, handle, s); }

private:
  out<std::int32_t> scalar(std::int32_t value, std::string_view name, const site& s) const {
    return detail::constant_beside(handle, tensor<std::int32_t>(value), detail::part_of(s, name));
  }
  out<std::int32_t> first_indices(const out<std::int32_t>& count, const site& s) const {
    return range(scalar(0, "start", s), count, scalar(1, "delta", s), detail::part_of(s, "range"));
  }
  // Returns the array after a write. Its element shape includes the known shape of the written value.
  tensor_array after(const out<float>& written, const flowgraph::shape& found) const {
    tensor_array next = *this;
    next.flow = written;
    if (infers_shape && fits(found, element_shape)) next.element_shape = merged(element_shape, found);
    return next;
  }
};

using tensor_array_ops = type_list<tensor_array_v3_op, tensor_array_grad_v3_op, tensor_array_grad_with_shape_op,
                                   gradient_arrays_op, held_gradient_array_op, tensor_array_write_v3_op, tensor_array_read_v3_op,
                                   tensor_array_gather_v3_op, tensor_array_scatter_v3_op, tensor_array_concat_v3_op,
                                   tensor_array_split_v3_op, tensor_array_size_v3_op, tensor_array_close_v3_op>;

namespace detail {

// Returns the name of the gradient arrays of the current request for gradients. The name differs from the names of earlier
// requests, including the requests in a file from which the graph was read.
std::string gradient_source(graph_state& g);
template <> struct array_ops<array_handle> {
  using write = tensor_array_write_v3_op;
  using read = tensor_array_read_v3_op;
  using gather = tensor_array_gather_v3_op;
  using scatter = tensor_array_scatter_v3_op;
  using concat = tensor_array_concat_v3_op;
  using split = tensor_array_split_v3_op;

  static auto gradients(graph_state& g, const out<resource>& array, const out<float>& flow) {
    if (const out<resource> holder = gradient_holder(g, array); holder.source)
      return apply(held_gradient_array_op{}, array, flow, holder);
    return apply(tensor_array_grad_v3_op{gradient_source(g)}, array, flow);
  }
};

}  // namespace detail

}  // namespace flowgraph

#include <flowgraph/ops/data_flow/detail/tensor_array_gradients.hpp>
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/tensor_array.hpp>
#endif
#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/flow_rules.hpp>
#endif
