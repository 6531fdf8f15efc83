#pragma once
// Unions, intersections and differences of sets, for many rows at once. A set consists of the different elements of a row.
//
//     auto both = fg::set_intersection(a, b);                       // for each row, in ascending order

#include <flowgraph/ops/sparse/sparse_tensor.hpp>

#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

using set_types = type_list<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::string>;

// Computes "union", "intersection", "a-b" or "b-a" of the sets in the rows of two dense tensors, as a sparse tensor. The axes
// before the last must be equal.
struct dense_to_dense_set_operation_op {
  static constexpr std::string_view name = "DenseToDenseSetOperation";
  using types = set_types;
  static constexpr op_facts facts{.not_differentiable = true};
  std::string set_operation = {};
  bool validate_indices = true;
  static constexpr auto attrs = flowgraph::attrs(required("set_operation", &dense_to_dense_set_operation_op::set_operation),
                                                 attr("validate_indices", &dense_to_dense_set_operation_op::validate_indices));

  shape_list shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const;
  std::size_t scratch(const flowgraph::shape& a, const flowgraph::shape& b) const;
  template <class T>
  void operator()(cpu ctx, view<const T> a, view<const T> b, unsized<std::int64_t> indices, unsized<T> values,
                  unsized<std::int64_t> extents) const;
};

// Computes "union", "intersection", "a-b" or "b-a" of the sets in the rows of a dense and a sparse tensor, as a sparse tensor.
// The axes before the last must be equal.
struct dense_to_sparse_set_operation_op {
  static constexpr std::string_view name = "DenseToSparseSetOperation";
  using types = set_types;
  static constexpr op_facts facts{.not_differentiable = true};
  std::string set_operation = {};
  bool validate_indices = true;
  static constexpr auto attrs = flowgraph::attrs(required("set_operation", &dense_to_sparse_set_operation_op::set_operation),
                                                 attr("validate_indices", &dense_to_sparse_set_operation_op::validate_indices));

  shape_list shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b_indices,
                   const flowgraph::shape& b_values, const flowgraph::shape& b_extents) const;
  std::size_t scratch(const flowgraph::shape& a, const flowgraph::shape&, const flowgraph::shape& b_values,
                      const flowgraph::shape&) const;
  template <class T>
  void operator()(cpu ctx, view<const T> a, view<const std::int64_t> b_indices, view<const T> b_values,
                  view<const std::int64_t> b_extents, unsized<std::int64_t> indices, unsized<T> values,
                  unsized<std::int64_t> extents) const;
};

// Computes "union", "intersection", "a-b" or "b-a" of the sets in the rows of two sparse tensors, as a sparse tensor. The axes
// before the last must be equal.
struct sparse_to_sparse_set_operation_op {
  static constexpr std::string_view name = "SparseToSparseSetOperation";
  using types = set_types;
  static constexpr op_facts facts{.not_differentiable = true};
  std::string set_operation = {};
  bool validate_indices = true;
  static constexpr auto attrs = flowgraph::attrs(required("set_operation", &sparse_to_sparse_set_operation_op::set_operation),
                                                 attr("validate_indices", &sparse_to_sparse_set_operation_op::validate_indices));

  shape_list shape(shape_context& c, const flowgraph::shape& a_indices, const flowgraph::shape& a_values,
                   const flowgraph::shape& a_extents, const flowgraph::shape& b_indices, const flowgraph::shape& b_values,
                   const flowgraph::shape& b_extents) const;
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& a_values, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape& b_values, const flowgraph::shape&) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> a_indices, view<const T> a_values, view<const std::int64_t> a_extents,
                  view<const std::int64_t> b_indices, view<const T> b_values, view<const std::int64_t> b_extents,
                  unsized<std::int64_t> indices, unsized<T> values, unsized<std::int64_t> extents) const;
};

// Returns the number of different elements in each row of a sparse tensor. Rows without elements have the size 0.
struct set_size_op {
  static constexpr std::string_view name = "SetSize";
  using types = set_types;
  static constexpr op_facts facts{.not_differentiable = true};
  bool validate_indices = true;
  static constexpr auto attrs = flowgraph::attrs(attr("validate_indices", &set_size_op::validate_indices));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents) const;
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& values, const flowgraph::shape&) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  unsized<std::int32_t> sizes) const;
};

namespace detail {

template <class T> sparse_tensor<T> sets_of(const out<T>& a, const out<T>& b, const char* operation, site s) {
  const auto [indices, values, extents] = apply(s, dense_to_dense_set_operation_op{operation}, a, b);
  return {indices, values, extents};
}
template <class T> sparse_tensor<T> sets_of(const out<T>& a, const sparse_tensor<T>& b, const char* operation, site s) {
  const auto [indices, values, extents] =
      apply(s, dense_to_sparse_set_operation_op{operation}, a, b.indices, b.values, b.dense_shape);
  return {indices, values, extents};
}
template <class T> sparse_tensor<T> sets_of(const sparse_tensor<T>& a, const sparse_tensor<T>& b, const char* operation, site s) {
  const auto [indices, values, extents] = apply(s, sparse_to_sparse_set_operation_op{operation}, a.indices, a.values,
                                                a.dense_shape, b.indices, b.values, b.dense_shape);
  return {indices, values, extents};
}

}  // namespace detail

// The functions return a sparse tensor with the elements of each row in ascending order. `a` and `b` are both dense, both sparse,
// or only `b` is sparse.

// Returns the elements of each row that are in a, in b, or in both.
template <class A, class B> auto set_union(const A& a, const B& b, site s = {}) { return detail::sets_of(a, b, "union", s); }
// Returns the elements of each row that are in a and in b.
template <class A, class B> auto set_intersection(const A& a, const B& b, site s = {}) {
  return detail::sets_of(a, b, "intersection", s);
}
// Returns the elements of each row that are in a and not in b.
template <class A, class B> auto set_difference(const A& a, const B& b, site s = {}) { return detail::sets_of(a, b, "a-b", s); }
// Returns the number of different elements in each row of a sparse tensor.
template <class T> out<std::int32_t> set_size(const sparse_tensor<T>& x, site s = {}) {
  return apply(set_size_op{}, x.indices, x.values, x.dense_shape, s);
}

using set_ops =
    type_list<dense_to_dense_set_operation_op, dense_to_sparse_set_operation_op, sparse_to_sparse_set_operation_op, set_size_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/sets.hpp>
#endif
