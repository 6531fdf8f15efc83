#pragma once
// Sparse tensors as three strings each: serialized TensorProto messages of the places, the elements and the extents.
//
//     auto texts = fg::serialize_many_sparse(x);                    // one row of three strings per row of x
//     auto same = fg::deserialize_sparse<float>(texts);

#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Converts a sparse tensor to a vector of three strings or variants: the places, the elements and the extents.
struct serialize_sparse_op {
  static constexpr std::string_view name = "SerializeSparse";
  using forms = type_list<std::string, variant>;
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"out_type", forms>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents) const;
  template <class T, class Form>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  view<Form> serialized) const;
};

// Converts each row of a sparse tensor to three strings or variants: the places without the first index, the elements, and the
// extents without the first. The places must be different and in row-major order.
struct serialize_many_sparse_op {
  static constexpr std::string_view name = "SerializeManySparse";
  using forms = type_list<std::string, variant>;
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"out_type", forms>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents) const;
  template <class T, class Form>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  unsized<Form> serialized) const;
};

// Converts strings or variants to a sparse tensor. The last axis of the input has three elements. The axes before it become the
// first axes of the result, and each of its other extents is the largest of all parts.
struct deserialize_sparse_op {
  static constexpr std::string_view name = "DeserializeSparse";
  using forms = type_list<std::string, variant>;
  using types = type_attrs<type_attr<"dtype", all_types>, type_attr<"Tserialized", forms>>;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& serialized) const;
  template <class T, class Form>
  void operator()(cpu ctx, view<const Form> serialized, unsized<std::int64_t> indices, unsized<T> values,
                  unsized<std::int64_t> extents) const;
};

// Converts strings to a sparse tensor, like DeserializeSparse.
struct deserialize_many_sparse_op {
  static constexpr std::string_view name = "DeserializeManySparse";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& serialized) const {
    return deserialize_sparse_op{}.shape(c, serialized);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::string> serialized, unsized<std::int64_t> indices, unsized<T> values,
                  unsized<std::int64_t> extents) const;
};

// Converts a sparse tensor to three strings: the places, the elements and the extents.
template <class T> out<std::string> serialize_sparse(const sparse_tensor<T>& x, site s = {}) {
  return apply_as<T, std::string>(s, serialize_sparse_op{}, x.indices, x.values, x.dense_shape);
}
// Converts each row of a sparse tensor to three strings. The places must be different and in row-major order.
template <class T> out<std::string> serialize_many_sparse(const sparse_tensor<T>& x, site s = {}) {
  return apply_as<T, std::string>(s, serialize_many_sparse_op{}, x.indices, x.values, x.dense_shape);
}
// Converts strings to a sparse tensor with elements of type T. The axes before the three strings become the first axes of the
// result.
template <class T> sparse_tensor<T> deserialize_sparse(const out<std::string>& serialized, site s = {}) {
  const auto [indices, values, extents] = apply_as<T, std::string>(s, deserialize_sparse_op{}, serialized);
  return {indices, values, extents};
}

using serialized_sparse_ops =
    type_list<serialize_sparse_op, serialize_many_sparse_op, deserialize_sparse_op, deserialize_many_sparse_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/serialized_sparse.hpp>
#endif
