#pragma once
// Reductions by segment that gather the rows in the same pass, for example for an embedding of several words per line.
//
//     auto lines = fg::sparse_segment_mean(table, words, line_of_word);      // line_of_word is ascending

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/reduction/segment.hpp>
#include <flowgraph/ops/shared/segment_scale.hpp>

#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

flowgraph::shape sparse_segment_shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& indices,
                                      const flowgraph::shape& ids, std::int64_t rows = -1);
// The shape rule if input 3 is num_segments.
flowgraph::shape sparse_segment_shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& indices,
                                      const flowgraph::shape& ids, const flowgraph::shape& count);
// The shape rule of gradients. Input 3 is the number of rows of the gathered data.
flowgraph::shape sparse_segment_gradient_shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& indices,
                                               const flowgraph::shape& ids, const flowgraph::shape& extent);
std::size_t sparse_segment_gradient_scratch(const flowgraph::shape& dy, const flowgraph::shape& indices);

template <class Dense, class Sliced, class T, class I, class S>
any_grad gradient_of_sparse_segments(bool sliced, const out<T>& data, const out<I>& indices, const out<S>& ids, const out<T>& dy);

}  // namespace detail

template <class Numbers>
using sparse_segment_types =
    type_attrs<type_attr<"T", Numbers>, type_attr<"Tidx", index_types>, type_attr<"Tsegmentids", index_types>>;
template <class Numbers>
using counted_sparse_segment_types = type_attrs<type_attr<"T", Numbers>, type_attr<"Tidx", index_types>,
                                                type_attr<"Tsegmentids", index_types>, type_attr<"Tnumsegments", index_types>>;

// ---- Gradients: row ids[i] of dy, divided as in the forward op, is added to row indices[i].

template <class Op> struct sparse_segment_gradient {
  using types = sparse_segment_types<floating>;
  static constexpr auto host_inputs = flowgraph::host_inputs(3);
  static constexpr op_facts base_facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& indices,
                         const flowgraph::shape& ids, const flowgraph::shape& extent) const {
    return detail::sparse_segment_gradient_shape(c, dy, indices, ids, extent);
  }
  std::size_t scratch(const flowgraph::shape& dy, const flowgraph::shape& indices, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::sparse_segment_gradient_scratch(dy, indices);
  }
  template <class T, class I, class S>
  void operator()(cpu ctx, view<const T> dy, index_view<I> indices, index_view<S> ids, view<const std::int32_t> extent,
                  view<T> dx) const;
};

// The base of gradients that contain only the rows that the indices name, in ascending order, and the indices of these rows.
template <class Op> struct sliced_sparse_segment_gradient {
  using types = sparse_segment_types<floating>;
  static constexpr auto host_inputs = flowgraph::host_inputs(3);
  static constexpr op_facts base_facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& indices, const flowgraph::shape& ids,
                   const flowgraph::shape& extent) const {
    flowgraph::shape values = detail::sparse_segment_gradient_shape(c, dy, indices, ids, extent);
    if (values.rank > 0) values[0] = -1;
    return {values, flowgraph::shape{-1}};
  }
  std::size_t scratch(const flowgraph::shape& dy, const flowgraph::shape& indices, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::sparse_segment_gradient_scratch(dy, indices);
  }
  template <class T, class I, class S>
  void operator()(cpu ctx, view<const T> dy, view<const I> indices, index_view<S> ids, view<const std::int32_t> extent,
                  unsized<T> values, unsized<I> rows) const;
};

// The gradient of SparseSegmentSum with respect to its data.
struct sparse_segment_sum_grad_op : sparse_segment_gradient<sparse_segment_sum_grad_op> {
  static constexpr std::string_view name = "SparseSegmentSumGrad";
  static constexpr auto scale = detail::segment_scale::none;
};
// The gradient of SparseSegmentMean with respect to its data.
struct sparse_segment_mean_grad_op : sparse_segment_gradient<sparse_segment_mean_grad_op> {
  static constexpr std::string_view name = "SparseSegmentMeanGrad";
  static constexpr auto scale = detail::segment_scale::count;
};
// The gradient of SparseSegmentSqrtN with respect to its data.
struct sparse_segment_sqrt_n_grad_op : sparse_segment_gradient<sparse_segment_sqrt_n_grad_op> {
  static constexpr std::string_view name = "SparseSegmentSqrtNGrad";
  static constexpr auto scale = detail::segment_scale::root_of_count;
};
// The gradient of SparseSegmentSum with respect to its data, as slices: only the rows that are used.
struct sparse_segment_sum_grad_v2_op : sliced_sparse_segment_gradient<sparse_segment_sum_grad_v2_op> {
  static constexpr std::string_view name = "SparseSegmentSumGradV2";
  static constexpr auto scale = detail::segment_scale::none;
};
// The gradient of SparseSegmentMean with respect to its data, as slices: only the rows that are used.
struct sparse_segment_mean_grad_v2_op : sliced_sparse_segment_gradient<sparse_segment_mean_grad_v2_op> {
  static constexpr std::string_view name = "SparseSegmentMeanGradV2";
  static constexpr auto scale = detail::segment_scale::count;
};
// The gradient of SparseSegmentSqrtN with respect to its data, as slices: only the rows that are used.
struct sparse_segment_sqrt_n_grad_v2_op : sliced_sparse_segment_gradient<sparse_segment_sqrt_n_grad_v2_op> {
  static constexpr std::string_view name = "SparseSegmentSqrtNGradV2";
  static constexpr auto scale = detail::segment_scale::root_of_count;
};

// ---- Reductions: data[indices[i]] belongs to segment ids[i]. The ids must be ascending. Segments without rows are zeros.

// The base of the reductions. The members `dense` and `sliced` of Op are its gradient ops. If sparse_gradient is set, the
// gradient is sparse.
template <class Op> struct sparse_segment_reduction {
  bool sparse_gradient = false;
  static constexpr auto attrs = flowgraph::attrs(attr("sparse_gradient", &sparse_segment_reduction::sparse_gradient));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& indices,
                         const flowgraph::shape& ids) const {
    return detail::sparse_segment_shape(c, data, indices, ids);
  }
  template <class T, class I, class S>
  void operator()(cpu ctx, view<const T> data, index_view<I> indices, index_view<S> ids, unsized<T> y) const;
  template <class T, class I, class S>
  gradients_of<T, 3> gradient(out<T> data, out<I> indices, out<S> ids, out<T>, out<T> dy) const {
    return {
        {detail::gradient_of_sparse_segments<typename Op::dense, typename Op::sliced>(sparse_gradient, data, indices, ids, dy),
         none, none}};
  }
};
// The base of the reductions that take the number of segments as an input.
template <class Op> struct counted_sparse_segment_reduction {
  static constexpr auto host_inputs = flowgraph::host_inputs(3);
  bool sparse_gradient = false;
  static constexpr auto attrs = flowgraph::attrs(attr("sparse_gradient", &counted_sparse_segment_reduction::sparse_gradient));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& indices,
                         const flowgraph::shape& ids, const flowgraph::shape& count) const {
    return detail::sparse_segment_shape(c, data, indices, ids, count);
  }
  template <class T, class I, class S, class N>
  void operator()(cpu ctx, view<const T> data, index_view<I> indices, index_view<S> ids, index_view<N> count, view<T> y) const;
  template <class T, class I, class S, class N>
  gradients_of<T, 4> gradient(out<T> data, out<I> indices, out<S> ids, out<N>, out<T>, out<T> dy) const {
    return {
        {detail::gradient_of_sparse_segments<typename Op::dense, typename Op::sliced>(sparse_gradient, data, indices, ids, dy),
         none, none, none}};
  }
};

// Sums the rows that the indices select for each segment.
struct sparse_segment_sum_op : sparse_segment_reduction<sparse_segment_sum_op> {
  static constexpr std::string_view name = "SparseSegmentSum";
  using types = sparse_segment_types<real_numbers>;
  static constexpr auto scale = detail::segment_scale::none;
  using dense = sparse_segment_sum_grad_op;
  using sliced = sparse_segment_sum_grad_v2_op;
};
// Computes the mean of the rows that the indices select for each segment.
struct sparse_segment_mean_op : sparse_segment_reduction<sparse_segment_mean_op> {
  static constexpr std::string_view name = "SparseSegmentMean";
  using types = sparse_segment_types<floating>;
  static constexpr auto scale = detail::segment_scale::count;
  using dense = sparse_segment_mean_grad_op;
  using sliced = sparse_segment_mean_grad_v2_op;
};
// Sums the rows that the indices select for each segment, and divides the sums by the square root of the number of these rows.
struct sparse_segment_sqrt_n_op : sparse_segment_reduction<sparse_segment_sqrt_n_op> {
  static constexpr std::string_view name = "SparseSegmentSqrtN";
  using types = sparse_segment_types<floating>;
  static constexpr auto scale = detail::segment_scale::root_of_count;
  using dense = sparse_segment_sqrt_n_grad_op;
  using sliced = sparse_segment_sqrt_n_grad_v2_op;
};
// SparseSegmentSum, with the number of segments as an input.
struct sparse_segment_sum_with_num_segments_op : counted_sparse_segment_reduction<sparse_segment_sum_with_num_segments_op> {
  static constexpr std::string_view name = "SparseSegmentSumWithNumSegments";
  using types = counted_sparse_segment_types<real_numbers>;
  static constexpr auto scale = detail::segment_scale::none;
  using dense = sparse_segment_sum_grad_op;
  using sliced = sparse_segment_sum_grad_v2_op;
};
// SparseSegmentMean, with the number of segments as an input.
struct sparse_segment_mean_with_num_segments_op : counted_sparse_segment_reduction<sparse_segment_mean_with_num_segments_op> {
  static constexpr std::string_view name = "SparseSegmentMeanWithNumSegments";
  using types = counted_sparse_segment_types<floating>;
  static constexpr auto scale = detail::segment_scale::count;
  using dense = sparse_segment_mean_grad_op;
  using sliced = sparse_segment_mean_grad_v2_op;
};
// SparseSegmentSqrtN, with the number of segments as an input.
struct sparse_segment_sqrt_n_with_num_segments_op : counted_sparse_segment_reduction<sparse_segment_sqrt_n_with_num_segments_op> {
  static constexpr std::string_view name = "SparseSegmentSqrtNWithNumSegments";
  using types = counted_sparse_segment_types<floating>;
  static constexpr auto scale = detail::segment_scale::root_of_count;
  using dense = sparse_segment_sqrt_n_grad_op;
  using sliced = sparse_segment_sqrt_n_grad_v2_op;
};

namespace detail {

template <class Dense, class Sliced, class T, class I, class S>
any_grad gradient_of_sparse_segments(bool sliced, const out<T>& data, const out<I>& indices, const out<S>& ids,
                                     const out<T>& dy) {
  const out<std::int32_t> extent = extent_of(data, 0);
  if (!sliced) return apply(Dense{}, dy, indices, ids, extent);
  const auto [values, rows] = apply(Sliced{}, dy, indices, ids, extent);
  return any_slices(cast<std::int64_t>(rows), values, shape_of<std::int64_t>(data));
}

}  // namespace detail

template <class T, class I, class S>
out<T> sparse_segment_sum(out<T> data, const out<I>& indices, const out<S>& ids, bool sparse_gradient = false, site s = {}) {
  return apply(sparse_segment_sum_op{{sparse_gradient}}, data, indices, ids, s);
}
template <class T, class I, class S>
out<T> sparse_segment_mean(out<T> data, const out<I>& indices, const out<S>& ids, bool sparse_gradient = false, site s = {}) {
  return apply(sparse_segment_mean_op{{sparse_gradient}}, data, indices, ids, s);
}
template <class T, class I, class S>
out<T> sparse_segment_sqrt_n(out<T> data, const out<I>& indices, const out<S>& ids, bool sparse_gradient = false, site s = {}) {
  return apply(sparse_segment_sqrt_n_op{{sparse_gradient}}, data, indices, ids, s);
}

using sparse_segment_ops =
    type_list<sparse_segment_sum_op, sparse_segment_mean_op, sparse_segment_sqrt_n_op, sparse_segment_sum_with_num_segments_op,
              sparse_segment_mean_with_num_segments_op, sparse_segment_sqrt_n_with_num_segments_op, sparse_segment_sum_grad_op,
              sparse_segment_mean_grad_op, sparse_segment_sqrt_n_grad_op, sparse_segment_sum_grad_v2_op,
              sparse_segment_mean_grad_v2_op, sparse_segment_sqrt_n_grad_v2_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/reduction/detail/sparse_segment.hpp>
#endif
