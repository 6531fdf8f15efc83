#pragma once
// Sparse tensors as dense tensors.
//
//     auto y = fg::sparse_to_dense(x);                              // zeros elsewhere

#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Makes a dense tensor of the default value, with the given values at the given places. The places must be different and in
// row-major order; if `validate_indices` is false, they may have any order, and the last value of a place counts.
struct sparse_to_dense_op {
  static constexpr std::string_view name = "SparseToDense";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tindices", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;
  bool validate_indices = true;
  static constexpr auto attrs = flowgraph::attrs(attr("validate_indices", &sparse_to_dense_op::validate_indices));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& extents,
                         const flowgraph::shape& values, const flowgraph::shape& default_value) const;
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> indices, index_view<I> extents, view<const T> values, view<const T> default_value,
                  view<T> y) const;
  template <class T, class I> gradients_of<T, 4> gradient(out<I> indices, out<I>, out<T> values, out<T>, out<T>, out<T> dy) const;
};

// Makes a dense tensor of a sparse tensor, with the default value at all other places. The places must be different and in
// row-major order.
template <class T> out<T> sparse_to_dense(const sparse_tensor<T>& x, const out<T>& default_value, site s = {}) {
  return apply(sparse_to_dense_op{}, x.indices, x.dense_shape, x.values, default_value, s);
}
template <class T> out<T> sparse_to_dense(const sparse_tensor<T>& x, site s = {}) {
  return sparse_to_dense(x, detail::constant_beside(x.values, tensor<T>(T())), s);
}

using sparse_to_dense_ops = type_list<sparse_to_dense_op>;

template <class T, class I>
gradients_of<T, 4> sparse_to_dense_op::gradient(out<I> indices, out<I>, out<T> values, out<T>, out<T>, out<T> dy) const {
  // Old graphs name the places in a vector by a scalar or a vector.
  const out<I> rows = indices.shape().rank == 0 || indices.shape().rank == 1 ? reshape(indices, {-1, 1}) : indices;
  const out<T> taken = gather_nd(dy, rows), all = sum(taken);
  return {{none, none, values.shape().rank == 0 ? all : taken, sum(dy) - all}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/to_dense.hpp>
#endif
