#pragma once
// Rows selected by index, and rows added by index. Each op is the gradient of the other.

#include <flowgraph/ops/array/reshape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the index of a constant axis, counted from the first axis, or -1 if the axis is not known.
int known_axis(const any_tensor* axis, const shape& params);

// Returns the gradient of a gather as slices. Defined in detail/gather_gradient.hpp.
template <class T, class I> any_grad gathered_slices(const out<T>& dy, const out<T>& params, const out<I>& indices);
template <class T, class I, class A>
any_grad gather_gradient(const out<T>& dy, const out<T>& params, const out<I>& indices, const out<A>& axis,
                         std::int64_t batch_dims);
template <class T, class I> out<T> gather_segments(const out<T>& dy, const out<T>& data, const out<I>& ids);

}  // namespace detail

// Selects rows by index: y[i...] = params[indices[i...]].
struct gather_op {
  static constexpr std::string_view name = "Gather";
  using types = type_attrs<type_attr<"Tparams", all_types>, type_attr<"Tindices", index_types>>;
  static constexpr std::size_t moved_types = 1;
  bool validate_indices = true;
  static constexpr auto attrs = flowgraph::attrs(attr("validate_indices", &gather_op::validate_indices));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& params, const flowgraph::shape& indices) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> params, index_view<I> indices, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> params, out<I> indices, out<T>, out<T> dy) const {
    return {{detail::gathered_slices(dy, params, indices), none}};
  }
};

// Selects slices by index along any axis. The first `batch_dims` axes of params and indices are batch axes: each batch entry of
// `indices` selects from the same entry of `params`.
struct gather_v2_op {
  static constexpr std::string_view name = "GatherV2";
  using types = type_attrs<type_attr<"Tparams", edge_types>, type_attr<"Tindices", index_types>, type_attr<"Taxis", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr std::size_t moved_types = 1;
  std::int64_t batch_dims = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("batch_dims", &gather_v2_op::batch_dims));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& params, const flowgraph::shape& indices,
                         const flowgraph::shape& axis) const;
  template <class T, class I, class A>
  void operator()(cpu ctx, view<const T> params, index_view<I> indices, index_view<A> axis, view<T> y) const;
  template <class T, class I, class A>
  gradients_of<T, 3> gradient(out<T> params, out<I> indices, out<A> axis, out<T>, out<T> dy) const {
    return {{detail::gather_gradient(dy, params, indices, axis, batch_dims), none, none}};
  }
};

// Sums rows by segment: row k of y is the sum of all rows data[i...] with segment_ids[i...] == k. Rows with a negative id are
// ignored.
struct unsorted_segment_sum_op {
  static constexpr std::string_view name = "UnsortedSegmentSum";
  using types = type_attrs<type_attr<"T", numbers>, type_attr<"Tindices", index_types>, type_attr<"Tnumsegments", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& ids,
                         const flowgraph::shape& count) const;
  template <class T, class I, class N>
  void operator()(cpu ctx, view<const T> data, index_view<I> ids, index_view<N> count, view<T> y) const;
  template <class T, class I, class N> gradients_of<T, 3> gradient(out<T> data, out<I> ids, out<N>, out<T>, out<T> dy) const {
    return {{detail::gather_segments(dy, data, ids), none, none}};
  }
};

template <class T, class I, class A> out<T> gather(const out<T>& params, const out<I>& indices, const out<A>& axis, site s = {}) {
  return apply(gather_v2_op{}, params, indices, axis, s);
}
template <class T, class I> out<T> gather(const out<T>& params, const out<I>& indices, int axis = 0, site s = {}) {
  return gather(params, indices, detail::constant_beside(params, tensor<std::int32_t>(axis), detail::part_of(s, "GatherV2/axis")),
                s);
}
template <class T, class I, class N>
out<T> unsorted_segment_sum(const out<T>& data, const out<I>& ids, const out<N>& segments, site s = {}) {
  return apply(unsorted_segment_sum_op{}, data, ids, segments, s);
}
template <class T, class I> out<T> unsorted_segment_sum(const out<T>& data, const out<I>& ids, int segments, site s = {}) {
  return unsorted_segment_sum(data, ids, detail::constant_beside(data, tensor<std::int32_t>(segments)), s);
}

using gather_ops = type_list<gather_op, gather_v2_op, unsorted_segment_sum_op>;

}  // namespace flowgraph

#include <flowgraph/ops/shared/detail/gradients.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/gather.hpp>
#endif
