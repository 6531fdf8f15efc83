#pragma once
// The softmax of the stored elements of each row of a sparse tensor.

#include <flowgraph/ops/sparse/elementwise.hpp>
#include <flowgraph/ops/sparse/reduce.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the softmax of the stored elements along the last axis, in row-major order: the elements that are not stored count as
// minus infinity.
struct sparse_softmax_op {
  static constexpr std::string_view name = "SparseSoftmax";
  using types = type_list<half, float, double>;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents) const;
  std::size_t scratch(const flowgraph::shape& indices, const flowgraph::shape&, const flowgraph::shape&) const {
    return static_cast<std::size_t>(indices[0]) * sizeof(std::int64_t);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  view<T> y) const;
  template <class T>
  gradients_of<T, 3> gradient(out<std::int64_t> indices, out<T>, out<std::int64_t> extents, out<T> y, out<T> dy) const;
};

// Returns the softmax of the stored elements of each row: a row consists of the elements that differ only along the last axis.
// The places must be in row-major order.
template <class T> sparse_tensor<T> sparse_softmax(const sparse_tensor<T>& x, site s = {}) {
  return x.with_values(out<T>(apply(sparse_softmax_op{}, x.indices, x.values, x.dense_shape, s)));
}

using sparse_softmax_ops = type_list<sparse_softmax_op>;

template <class T>
gradients_of<T, 3> sparse_softmax_op::gradient(out<std::int64_t> indices, out<T>, out<std::int64_t> extents, out<T> y,
                                               out<T> dy) const {
  const sparse_tensor<T> slopes{indices, dy, extents};
  const out<T> total = sparse_reduce_sum(slopes.with_values(out<T>(dy * y)), {-1}, true);
  return {{none, sparse_dense_cwise_add(slopes, negative(total)).values * y, none}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/softmax.hpp>
#endif
