#pragma once
// Crosses of features: each combination of the features of a row becomes one feature.
//
//     auto pairs = fg::sparse_cross(fg::crossed_columns().add(cities).add(days), "_");   // "Rome_Monday", for each row

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape_list crossed_shapes(shape_context& c, std::span<const shape> indices, std::span<const shape> values,
                          std::span<const shape> extents, std::span<const shape> dense);

}  // namespace detail

// Crosses features as graphs of old versions do: joined by "_X_", or hashed with hash_key if the output type is int64. Columns
// are sparse or dense matrices of strings or integers.
struct sparse_cross_op {
  static constexpr std::string_view name = "SparseCross";
  using types = type_attrs<type_attr<"out_type", type_list<std::int64_t, std::string>>>;
  static constexpr op_facts facts{.not_differentiable = true};
  bool hashed_output = false;
  std::int64_t num_buckets = 0, hash_key = 0;
  dtype internal_type = dtype::string;
  static constexpr auto attrs = flowgraph::attrs(
      required("hashed_output", &sparse_cross_op::hashed_output), required("num_buckets", &sparse_cross_op::num_buckets),
      required("hash_key", &sparse_cross_op::hash_key), required("internal_type", &sparse_cross_op::internal_type));

  shape_list shape(shape_context& c, std::span<const flowgraph::shape> indices, std::span<const flowgraph::shape> values,
                   std::span<const flowgraph::shape> extents, std::span<const flowgraph::shape> dense) const;
  std::size_t scratch(std::span<const flowgraph::shape> indices, std::span<const flowgraph::shape>,
                      std::span<const flowgraph::shape>, std::span<const flowgraph::shape> dense) const;
  template <class T>
  void operator()(cpu ctx, view_list<const std::int64_t> indices, any_list values, view_list<const std::int64_t> shapes,
                  any_list dense_inputs, unsized<std::int64_t> output_indices, unsized<T> output_values,
                  view<std::int64_t> output_shape) const;
};

// Joins each combination of the features of a row, one of each column, by a separator. Columns are sparse or dense matrices of
// strings or integers; integers become decimal numbers.
struct sparse_cross_v2_op {
  static constexpr std::string_view name = "SparseCrossV2";
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, std::span<const flowgraph::shape> indices, std::span<const flowgraph::shape> values,
                   std::span<const flowgraph::shape> extents, std::span<const flowgraph::shape> dense,
                   const flowgraph::shape& sep) const;
  std::size_t scratch(std::span<const flowgraph::shape> indices, std::span<const flowgraph::shape>,
                      std::span<const flowgraph::shape>, std::span<const flowgraph::shape> dense, const flowgraph::shape&) const;
  void operator()(cpu ctx, view_list<const std::int64_t> indices, any_list values, view_list<const std::int64_t> shapes,
                  any_list dense_inputs, view<const std::string> sep, unsized<std::int64_t> output_indices,
                  unsized<std::string> output_values, view<std::int64_t> output_shape) const;
};

// Hashes each combination of the features of a row, one of each column, to a number below num_buckets, or below 2^63 if
// num_buckets is 0. Columns are sparse or dense matrices of strings or integers. With strong_hash, the salt is the key of the
// hash function; then dense columns must be strings.
struct sparse_cross_hashed_op {
  static constexpr std::string_view name = "SparseCrossHashed";
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, std::span<const flowgraph::shape> indices, std::span<const flowgraph::shape> values,
                   std::span<const flowgraph::shape> extents, std::span<const flowgraph::shape> dense,
                   const flowgraph::shape& num_buckets, const flowgraph::shape& strong_hash, const flowgraph::shape& salt) const;
  std::size_t scratch(std::span<const flowgraph::shape> indices, std::span<const flowgraph::shape>,
                      std::span<const flowgraph::shape>, std::span<const flowgraph::shape> dense, const flowgraph::shape&,
                      const flowgraph::shape&, const flowgraph::shape&) const;
  void operator()(cpu ctx, view_list<const std::int64_t> indices, any_list values, view_list<const std::int64_t> shapes,
                  any_list dense_inputs, view<const std::int64_t> num_buckets, view<const bool> strong_hash,
                  view<const std::int64_t> salt, unsized<std::int64_t> output_indices, unsized<std::int64_t> output_values,
                  view<std::int64_t> output_shape) const;
};

// The features to be crossed: sparse matrices, then dense matrices, of strings or 64-bit integers.
class crossed_columns {
public:
  // Adds a column: a sparse or a dense matrix.
  template <class T> crossed_columns& add(const sparse_tensor<T>& column) {
    static_assert(std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::string>, "flowgraph: features are int64 or strings");
    indices.push_back(column.indices);
    values.push_back(column.values);
    extents.push_back(column.dense_shape);
    return *this;
  }
  template <class T> crossed_columns& add(const out<T>& column) {
    static_assert(std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::string>, "flowgraph: features are int64 or strings");
    dense.push_back(column);
    return *this;
  }

  out_list<std::int64_t> indices, extents;  // of the sparse columns
  any_out_list values, dense;
};
// The options of `sparse_cross_hashed`.
struct hashed_cross_options {
  std::int64_t num_buckets = 0;               // the number of results; 0: 2^63 - 1
  bool strong_hash = false;                   // true: who does not know the salt cannot choose features that collide
  std::array<std::int64_t, 2> salt = {0, 0};  // the key of the strong hash function
};

// Joins each combination of the features of a row, one of each column. There must be at least one column.
sparse_tensor<std::string> sparse_cross(const crossed_columns& x, std::string_view separator = "_X_", site s = {});
// Hashes each combination of the features of a row, one of each column. There must be at least one column.
sparse_tensor<std::int64_t> sparse_cross_hashed(const crossed_columns& x, const hashed_cross_options& options = {}, site s = {});

using feature_cross_ops = type_list<sparse_cross_op, sparse_cross_v2_op, sparse_cross_hashed_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/cross.hpp>
#endif
