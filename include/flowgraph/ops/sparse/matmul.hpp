#pragma once
// Products of a sparse and a dense matrix.
//
//     auto y = fg::sparse_tensor_dense_matmul(x, w);                // x is sparse, w and y are dense
//     auto z = fg::sparse_tensor_dense_matmul(x, y, {.adjoint_a = true});

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Multiplies a sparse matrix by a dense matrix. Each matrix can be replaced by its adjoint, the conjugate transpose. The places
// may have any order, and the values of a repeated place are added.
struct sparse_tensor_dense_mat_mul_op {
  static constexpr std::string_view name = "SparseTensorDenseMatMul";
  using numbers = type_list<half, bfloat16, float, double, std::int32_t, complex64, complex128>;
  using types = type_attrs<type_attr<"T", numbers>, type_attr<"Tindices", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  bool adjoint_a = false, adjoint_b = false;
  static constexpr auto attrs = flowgraph::attrs(attr("adjoint_a", &sparse_tensor_dense_mat_mul_op::adjoint_a),
                                                 attr("adjoint_b", &sparse_tensor_dense_mat_mul_op::adjoint_b));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents, const flowgraph::shape& b) const;
  std::size_t scratch(const flowgraph::shape& indices, const flowgraph::shape& values, const flowgraph::shape& extents,
                      const flowgraph::shape& b) const;
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> indices, view<const T> values, view<const std::int64_t> extents, view<const T> b,
                  view<T> y) const;
  template <class T, class I>
  gradients_of<T, 4> gradient(out<I> indices, out<T> values, out<std::int64_t> extents, out<T> b, out<T>, out<T> dy) const;
};

// The options of `sparse_tensor_dense_matmul`.
struct sparse_matmul_options {
  bool adjoint_a = false;  // multiplies by the adjoint of the sparse matrix
  bool adjoint_b = false;  // multiplies by the adjoint of the dense matrix
};

// Multiplies a sparse matrix by a dense matrix. The places may have any order, and the values of a repeated place are added.
template <class T>
out<T> sparse_tensor_dense_matmul(const sparse_tensor<T>& a, const std::type_identity_t<out<T>>& b,
                                  sparse_matmul_options options = {}, site s = {}) {
  return apply(s, sparse_tensor_dense_mat_mul_op{options.adjoint_a, options.adjoint_b}, a.indices, a.values, a.dense_shape, b);
}

using sparse_matmul_ops = type_list<sparse_tensor_dense_mat_mul_op>;

template <class T, class I>
gradients_of<T, 4> sparse_tensor_dense_mat_mul_op::gradient(out<I> indices, out<T> values, out<std::int64_t> extents, out<T> b,
                                                            out<T>, out<T> dy) const {
  const out<T> product = apply(site{}, sparse_tensor_dense_mat_mul_op{!adjoint_a, false}, indices, values, extents, dy);
  const out<T> db = adjoint_b ? conjugate_transpose(product, {1, 0}) : product;
  // The element of row r and column c multiplies row c of b and is added to row r of y; of the adjoint, the other way around.
  const out<I> first = squeeze(slice(indices, {0, 0}, {-1, 1}), {1}), second = squeeze(slice(indices, {0, 1}, {-1, 1}), {1});
  const out<T> rows = gather(dy, adjoint_a ? second : first);
  const out<T> factors = gather(adjoint_b ? conjugate_transpose(b, {1, 0}) : b, adjoint_a ? first : second);
  const out<T> slopes = adjoint_a ? detail::conjugated(rows) * factors : rows * detail::conjugated(factors);
  return {{none, sum(slopes, 1), none, db}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/matmul.hpp>
#endif
