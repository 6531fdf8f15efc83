#pragma once
// The tensor array ops of old graphs. Arrays are identified by two strings, or in the first version by a reference to these
// strings.
//
// Newer versions of graphs must not contain these ops. Use tensor_array.hpp to build graphs.

#include <flowgraph/ops/data_flow/tensor_array.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct array_reference {
  using parameter = reference_in<std::string>;
  using element = std::string;
  static constexpr bool by_name = true;
};
struct array_name {
  using parameter = view<const std::string>;
  using element = std::string;
  static constexpr bool by_name = true;
};

shape handle_by_name_shape(shape_context& c, const shape& size_or_flow);

}  // namespace detail

// Makes an array, and returns a reference to its handle.
struct tensor_array_op : detail::array_declaration {
  static constexpr std::string_view name = "TensorArray";
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.not_differentiable = true,
                                  .stateful = true,
                                  .per_run = true,
                                  .outputs_stay = true,
                                  .engine = {.step_rules = &detail::rules_of_flow}};
  static constexpr auto attrs = flowgraph::attrs(
      required("dtype", &array_declaration::element), attr("dynamic_size", &array_declaration::dynamic_size),
      attr("clear_after_read", &array_declaration::clear_after_read),
      attr("tensor_array_name", &array_declaration::tensor_array_name), attr("element_shape", &array_declaration::element_shape));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& size) const { return detail::handle_by_name_shape(c, size); }
  void operator()(cpu ctx, view<const std::int32_t> size, reference_out<std::string> handle) const;
};

// Makes an array whose handle consists of two strings.
struct tensor_array_v2_op : detail::array_declaration {
  static constexpr std::string_view name = "TensorArrayV2";
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.not_differentiable = true,
                                  .stateful = true,
                                  .per_run = true,
                                  .outputs_stay = true,
                                  .engine = {.step_rules = &detail::rules_of_flow}};
  static constexpr auto attrs = flowgraph::attrs(
      required("dtype", &array_declaration::element), attr("element_shape", &array_declaration::element_shape),
      attr("dynamic_size", &array_declaration::dynamic_size), attr("clear_after_read", &array_declaration::clear_after_read),
      attr("tensor_array_name", &array_declaration::tensor_array_name));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& size) const { return detail::handle_by_name_shape(c, size); }
  void operator()(cpu ctx, view<const std::int32_t> size, unsized<std::string> handle) const;
};

// Returns the gradient array of an array passed by reference.
struct tensor_array_grad_op {
  static constexpr std::string_view name = "TensorArrayGrad";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .per_run = true, .outputs_stay = true};
  std::string source = {};
  static constexpr auto attrs = flowgraph::attrs(required("source", &tensor_array_grad_op::source));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& flow) const {
    return detail::handle_by_name_shape(c, flow);
  }
  void operator()(cpu ctx, view<const std::string> array, view<const float> flow, reference_out<std::string> gradients) const;
};

// Returns the gradient array of an array whose handle consists of two strings.
struct tensor_array_grad_v2_op {
  static constexpr std::string_view name = "TensorArrayGradV2";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .per_run = true, .outputs_stay = true};
  std::string source = {};
  static constexpr auto attrs = flowgraph::attrs(required("source", &tensor_array_grad_v2_op::source));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& flow) const {
    return detail::handle_by_name_shape(c, flow);
  }
  void operator()(cpu ctx, view<const std::string> array, view<const float> flow, unsized<std::string> gradients) const;
};

// Writes an element of an array passed by reference.
struct tensor_array_write_op : detail::array_write<detail::array_reference> {
  static constexpr std::string_view name = "TensorArrayWrite";
};

// Reads an element of an array passed by reference.
struct tensor_array_read_op : detail::array_read<detail::array_reference> {
  static constexpr std::string_view name = "TensorArrayRead";
};

// Reads elements of an array passed by reference, and stacks them.
struct tensor_array_gather_op : detail::array_gather<detail::array_reference> {
  static constexpr std::string_view name = "TensorArrayGather";
};

// Writes the rows of a tensor to elements of an array passed by reference.
struct tensor_array_scatter_op : detail::array_scatter<detail::array_reference> {
  static constexpr std::string_view name = "TensorArrayScatter";
};

// Concatenates all elements of an array passed by reference.
struct tensor_array_concat_op : detail::array_concat<detail::array_reference> {
  static constexpr std::string_view name = "TensorArrayConcat";
};

// Splits a tensor and writes the parts to the elements of an array that is passed by reference.
struct tensor_array_split_op : detail::array_split<detail::array_reference> {
  static constexpr std::string_view name = "TensorArraySplit";
};

// Returns the number of elements of an array passed by reference.
struct tensor_array_size_op : detail::array_size<detail::array_reference> {
  static constexpr std::string_view name = "TensorArraySize";
};

// Frees the elements of an array before the run ends. The array is passed by reference.
struct tensor_array_close_op : detail::array_close<detail::array_reference> {
  static constexpr std::string_view name = "TensorArrayClose";
};

// Reads all elements of an array passed by reference, and stacks them.
struct tensor_array_pack_op {
  static constexpr std::string_view name = "TensorArrayPack";
  using types = detail::array_gather<detail::array_reference>::types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .per_run = true};
  flowgraph::shape element_shape = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(attr("element_shape", &tensor_array_pack_op::element_shape));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& flow) const {
    return detail::gathered_shape(c, {-1}, element_shape, flow);
  }
  template <class T> void operator()(cpu ctx, reference_in<std::string> array, view<const float> flow, unsized<T> value) const;
};

// Writes the rows of a tensor to all elements of an array passed by reference.
struct tensor_array_unpack_op {
  static constexpr std::string_view name = "TensorArrayUnpack";
  using types = edge_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .per_run = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& value,
                         const flowgraph::shape& flow) const {
    return detail::scattered_flow(c, {-1}, value, flow);
  }
  template <class T>
  void operator()(cpu ctx, reference_in<std::string> array, view<const T> value, view<const float> flow,
                  unsized<float> flow_out) const;
};

// Writes an element of an array whose handle consists of two strings.
struct tensor_array_write_v2_op : detail::array_write<detail::array_name> {
  static constexpr std::string_view name = "TensorArrayWriteV2";
};

// Reads an element of an array whose handle consists of two strings.
struct tensor_array_read_v2_op : detail::array_read<detail::array_name> {
  static constexpr std::string_view name = "TensorArrayReadV2";
};

// Reads elements of an array whose handle consists of two strings, and stacks the elements.
struct tensor_array_gather_v2_op : detail::array_gather<detail::array_name> {
  static constexpr std::string_view name = "TensorArrayGatherV2";
};

// Writes the rows of a tensor to elements of an array whose handle consists of two strings.
struct tensor_array_scatter_v2_op : detail::array_scatter<detail::array_name> {
  static constexpr std::string_view name = "TensorArrayScatterV2";
};

// Concatenates all elements of an array whose handle consists of two strings.
struct tensor_array_concat_v2_op : detail::array_concat<detail::array_name> {
  static constexpr std::string_view name = "TensorArrayConcatV2";
};

// Splits a tensor and writes the parts to the elements of an array whose handle consists of two strings.
struct tensor_array_split_v2_op : detail::array_split<detail::array_name> {
  static constexpr std::string_view name = "TensorArraySplitV2";
};

// Returns the number of elements of an array whose handle consists of two strings.
struct tensor_array_size_v2_op : detail::array_size<detail::array_name> {
  static constexpr std::string_view name = "TensorArraySizeV2";
};

// Frees the elements of an array before the run ends. The handle of the array consists of two strings.
struct tensor_array_close_v2_op : detail::array_close<detail::array_name> {
  static constexpr std::string_view name = "TensorArrayCloseV2";
};

namespace detail {

template <> struct array_ops<array_reference> {
  using write = tensor_array_write_op;
  using read = tensor_array_read_op;
  using gather = tensor_array_gather_op;
  using scatter = tensor_array_scatter_op;
  using concat = tensor_array_concat_op;
  using split = tensor_array_split_op;

  // The gradient array depends on the array through its handle, so the flow is returned unchanged.
  static auto gradients(graph_state& g, const out<std::string>& array, const out<float>& flow) {
    refuse_array_outside(g, array);
    return std::tuple{apply(tensor_array_grad_op{gradient_source(g)}, array, flow), flow};
  }
};
template <> struct array_ops<array_name> {
  using write = tensor_array_write_v2_op;
  using read = tensor_array_read_v2_op;
  using gather = tensor_array_gather_v2_op;
  using scatter = tensor_array_scatter_v2_op;
  using concat = tensor_array_concat_v2_op;
  using split = tensor_array_split_v2_op;

  // The gradient array depends on the array through its handle, so the flow is returned unchanged.
  static auto gradients(graph_state& g, const out<std::string>& array, const out<float>& flow) {
    refuse_array_outside(g, array);
    return std::tuple{apply(tensor_array_grad_v2_op{gradient_source(g)}, array, flow), flow};
  }
};

}  // namespace detail

using tensor_array_by_name_ops =
    type_list<tensor_array_op, tensor_array_v2_op, tensor_array_grad_op, tensor_array_grad_v2_op, tensor_array_write_op,
              tensor_array_read_op, tensor_array_gather_op, tensor_array_scatter_op, tensor_array_concat_op,
              tensor_array_split_op, tensor_array_size_op, tensor_array_close_op, tensor_array_pack_op, tensor_array_unpack_op,
              tensor_array_write_v2_op, tensor_array_read_v2_op, tensor_array_gather_v2_op, tensor_array_scatter_v2_op,
              tensor_array_concat_v2_op, tensor_array_split_v2_op, tensor_array_size_v2_op, tensor_array_close_v2_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/tensor_array.hpp>
#include <flowgraph/ops/data_flow/detail/tensor_array_by_name.hpp>
#endif
