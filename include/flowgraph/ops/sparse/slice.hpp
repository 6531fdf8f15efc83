#pragma once
// Blocks of sparse tensors.
//
//     auto first = fg::sparse_slice(x, {0, 0}, {10, 100});          // the first 10 rows and 100 columns

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the gradient of the values of a SparseSlice: that of the slice for the elements inside of it, else 0.
struct sparse_slice_grad_op {
  static constexpr std::string_view name = "SparseSliceGrad";
  using types = numbers;
  static constexpr op_facts facts{.not_differentiable = true};
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& slopes, const flowgraph::shape& indices,
                         const flowgraph::shape& start, const flowgraph::shape& slice) const;
  template <class T>
  void operator()(cpu ctx, view<const T> slopes, view<const std::int64_t> indices, view<const std::int64_t> start,
                  view<const std::int64_t> slice, view<T> y) const;
};

// Returns the elements of a sparse tensor inside of a block that begins at `start` and has the extents `size`. A block that goes
// beyond the shape is cut off.
struct sparse_slice_op {
  static constexpr std::string_view name = "SparseSlice";
  using types = all_types;

  shape_list shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                   const flowgraph::shape& extents, const flowgraph::shape& start, const flowgraph::shape& size) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  view<const std::int64_t> start, view<const std::int64_t> size, unsized<std::int64_t> new_indices,
                  unsized<T> new_values, view<std::int64_t> new_extents) const;
  template <class T>
  gradients_of<T, 5> gradient(out<std::int64_t> indices, out<T>, out<std::int64_t>, out<std::int64_t> start, out<std::int64_t>,
                              out<std::int64_t> slice, out<T>, out<std::int64_t>, out<std::int64_t>, out<T> dvalues,
                              out<std::int64_t>) const {
    return {{none, apply(sparse_slice_grad_op{}, dvalues, indices, start, slice), none, none, none}};
  }
};

// Returns a block of a sparse tensor that begins at `start` and has the extents `size`. A block that goes beyond the shape is cut
// off.
template <class T>
sparse_tensor<T> sparse_slice(const sparse_tensor<T>& x, const out<std::int64_t>& start, const out<std::int64_t>& size,
                              site s = {}) {
  const auto [indices, values, extents] = apply(s, sparse_slice_op{}, x.indices, x.values, x.dense_shape, start, size);
  return {indices, values, extents};
}
template <class T>
sparse_tensor<T> sparse_slice(const sparse_tensor<T>& x, std::initializer_list<std::int64_t> start,
                              std::initializer_list<std::int64_t> size, site s = {}) {
  const auto vector = [&](std::initializer_list<std::int64_t> list) {
    return detail::constant_beside(x.indices, tensor<std::int64_t>({list.size()}, list));
  };
  return sparse_slice(x, vector(start), vector(size), s);
}

using sparse_slice_ops = type_list<sparse_slice_grad_op, sparse_slice_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/slice.hpp>
#endif
