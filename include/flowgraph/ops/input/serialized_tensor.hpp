#pragma once
// Tensors as strings: serialized TensorProto messages of TensorFlow.
//
//     auto text = fg::serialize_tensor(x);             // out<std::string>
//     auto same = fg::parse_tensor<float>(text);

#include <flowgraph/formats/serialized_tensor.hpp>
#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Converts a string to a tensor. The tensor must have the type `out_type`.
struct parse_tensor_op {
  static constexpr std::string_view name = "ParseTensor";
  using types = type_attrs<type_attr<"out_type", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& serialized) const {
    return fits(serialized, {}) ? flowgraph::shape::unknown() : c.fail("serialized must be a scalar");
  }
  template <class T> void operator()(cpu ctx, view<const std::string> serialized, unsized<T> tensor) const;
};

// Converts a tensor to a string.
struct serialize_tensor_op {
  static constexpr std::string_view name = "SerializeTensor";
  using types = all_types;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  template <class T> void operator()(cpu ctx, view<const T> tensor, view<std::string> serialized) const;
};

using serialized_tensor_ops = type_list<parse_tensor_op, serialize_tensor_op>;

template <class T> out<T> parse_tensor(const out<std::string>& serialized, site s = {}) {
  return apply_as<T>(s, parse_tensor_op{}, serialized);
}
template <class T> out<std::string> serialize_tensor(const out<T>& x, site s = {}) { return apply(serialize_tensor_op{}, x, s); }

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/serialized_tensor.hpp>
#endif
