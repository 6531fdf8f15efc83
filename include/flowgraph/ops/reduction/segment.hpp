#pragma once
// Reductions of rows by segment: each row belongs to a segment.
//
//     auto totals = fg::segment_sum(x, ids);                     // ids are ascending: {0, 0, 1, 3}; segment 2 is zeros
//     auto largest = fg::unsorted_segment_max(x, ids, 4);        // ids in any order; rows with negative ids are ignored
//
// unsorted_segment_sum is in ops/array/gather.hpp.

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct added_terms;
struct multiplied_terms;
struct largest_term;
struct smallest_term;

flowgraph::shape segment_shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& ids);

template <class T, class I>
out<T> segment_extreme_gradient(const out<T>& data, const out<I>& ids, const out<T>& y, const out<T>& dy);
template <class T, class I>
out<T> segment_product_gradient(const out<T>& data, const out<I>& ids, const out<T>& y, const out<T>& dy);
template <class T, class I>
out<T> unsorted_segment_extreme_gradient(const out<T>& data, const out<I>& ids, const out<std::int64_t>& count, const out<T>& y,
                                         const out<T>& dy);
template <class T, class I>
out<T> unsorted_segment_product_gradient(const out<T>& data, const out<I>& ids, const out<std::int64_t>& count, const out<T>& y,
                                         const out<T>& dy);

}  // namespace detail

// The base of ops in which row i of the data belongs to segment ids[i]. The ids must be ascending. The number of segments is the
// last id plus 1. The result for a segment without rows is 1 for products and 0 for other reductions.
template <class Op> struct segment_reduction {
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& ids) const {
    return detail::segment_shape(c, data, ids);
  }
  template <class T, class I> void operator()(cpu ctx, view<const T> data, index_view<I> ids, unsized<T> y) const;
};
template <class Numbers> using segment_types = type_attrs<type_attr<"T", Numbers>, type_attr<"Tindices", index_types>>;

// Sums the rows of each segment.
struct segment_sum_op : segment_reduction<segment_sum_op> {
  static constexpr std::string_view name = "SegmentSum";
  using types = segment_types<numbers>;
  using function = detail::added_terms;
  template <class T, class I> gradients_of<T, 2> gradient(out<T>, out<I> ids, out<T>, out<T> dy) const {
    return {{gather(dy, ids), none}};
  }
};

// Computes the mean of the rows of each segment.
struct segment_mean_op : segment_reduction<segment_mean_op> {
  static constexpr std::string_view name = "SegmentMean";
  using types = segment_types<numbers>;
  using function = detail::added_terms;
  static constexpr bool is_mean = true;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> data, out<I> ids, out<T>, out<T> dy) const;
};

// Multiplies the rows of each segment. The gradient is correct even if elements are zero.
struct segment_prod_op : segment_reduction<segment_prod_op> {
  static constexpr std::string_view name = "SegmentProd";
  using types = segment_types<numbers>;
  using function = detail::multiplied_terms;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> data, out<I> ids, out<T> y, out<T> dy) const {
    return {{detail::segment_product_gradient(data, ids, y, dy), none}};
  }
};

// Maximum over the rows of each segment. Elements that equal the maximum share the gradient evenly.
struct segment_max_op : segment_reduction<segment_max_op> {
  static constexpr std::string_view name = "SegmentMax";
  using types = segment_types<real_numbers>;
  using function = detail::largest_term;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> data, out<I> ids, out<T> y, out<T> dy) const {
    return {{detail::segment_extreme_gradient(data, ids, y, dy), none}};
  }
};
// Minimum over the rows of each segment.
struct segment_min_op : segment_reduction<segment_min_op> {
  static constexpr std::string_view name = "SegmentMin";
  using types = segment_types<real_numbers>;
  using function = detail::smallest_term;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> data, out<I> ids, out<T> y, out<T> dy) const {
    return {{detail::segment_extreme_gradient(data, ids, y, dy), none}};
  }
};

// The base of ops in which row k of the result combines all rows data[i...] with ids[i...] == k. The result for a segment without
// rows is 1 for products, the lowest finite number for maxima, and the highest finite number for minima. An infinity beyond one
// of these numbers is replaced by this number: for example, the maximum of -infinity is the lowest finite number.
template <class Op> struct unsorted_segment_reduction {
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& ids,
                         const flowgraph::shape& count) const {
    return unsorted_segment_sum_op{}.shape(c, data, ids, count);
  }
  template <class T, class I, class N>
  void operator()(cpu ctx, view<const T> data, index_view<I> ids, index_view<N> count, view<T> y) const;
};
template <class Numbers>
using unsorted_segment_types =
    type_attrs<type_attr<"T", Numbers>, type_attr<"Tindices", index_types>, type_attr<"Tnumsegments", index_types>>;

// Multiplies the rows of each segment, with rows in any order.
struct unsorted_segment_prod_op : unsorted_segment_reduction<unsorted_segment_prod_op> {
  static constexpr std::string_view name = "UnsortedSegmentProd";
  using types = unsorted_segment_types<numbers>;
  using function = detail::multiplied_terms;
  template <class T, class I, class N>
  gradients_of<T, 3> gradient(out<T> data, out<I> ids, out<N> count, out<T> y, out<T> dy) const {
    return {{detail::unsorted_segment_product_gradient(data, ids, cast<std::int64_t>(count), y, dy), none, none}};
  }
};
// Maximum over the rows of each segment, with rows in any order.
struct unsorted_segment_max_op : unsorted_segment_reduction<unsorted_segment_max_op> {
  static constexpr std::string_view name = "UnsortedSegmentMax";
  using types = unsorted_segment_types<real_numbers>;
  using function = detail::largest_term;
  template <class T, class I, class N>
  gradients_of<T, 3> gradient(out<T> data, out<I> ids, out<N> count, out<T> y, out<T> dy) const {
    return {{detail::unsorted_segment_extreme_gradient(data, ids, cast<std::int64_t>(count), y, dy), none, none}};
  }
};
// Minimum over the rows of each segment, with rows in any order.
struct unsorted_segment_min_op : unsorted_segment_reduction<unsorted_segment_min_op> {
  static constexpr std::string_view name = "UnsortedSegmentMin";
  using types = unsorted_segment_types<real_numbers>;
  using function = detail::smallest_term;
  template <class T, class I, class N>
  gradients_of<T, 3> gradient(out<T> data, out<I> ids, out<N> count, out<T> y, out<T> dy) const {
    return {{detail::unsorted_segment_extreme_gradient(data, ids, cast<std::int64_t>(count), y, dy), none, none}};
  }
};

template <class T, class I> out<T> segment_sum(out<T> data, const out<I>& ids, site s = {}) {
  return apply(segment_sum_op{}, data, ids, s);
}
template <class T, class I> out<T> segment_mean(out<T> data, const out<I>& ids, site s = {}) {
  return apply(segment_mean_op{}, data, ids, s);
}
template <class T, class I> out<T> segment_prod(out<T> data, const out<I>& ids, site s = {}) {
  return apply(segment_prod_op{}, data, ids, s);
}
template <class T, class I> out<T> segment_max(out<T> data, const out<I>& ids, site s = {}) {
  return apply(segment_max_op{}, data, ids, s);
}
template <class T, class I> out<T> segment_min(out<T> data, const out<I>& ids, site s = {}) {
  return apply(segment_min_op{}, data, ids, s);
}

template <class T, class I> out<T> unsorted_segment_prod(out<T> data, const out<I>& ids, int segments, site s = {}) {
  return apply(unsorted_segment_prod_op{}, data, ids, detail::constant_beside(data, tensor<std::int32_t>(segments)), s);
}
template <class T, class I> out<T> unsorted_segment_max(out<T> data, const out<I>& ids, int segments, site s = {}) {
  return apply(unsorted_segment_max_op{}, data, ids, detail::constant_beside(data, tensor<std::int32_t>(segments)), s);
}
template <class T, class I> out<T> unsorted_segment_min(out<T> data, const out<I>& ids, int segments, site s = {}) {
  return apply(unsorted_segment_min_op{}, data, ids, detail::constant_beside(data, tensor<std::int32_t>(segments)), s);
}

using segment_ops = type_list<segment_sum_op, segment_mean_op, segment_prod_op, segment_max_op, segment_min_op,
                              unsorted_segment_prod_op, unsorted_segment_max_op, unsorted_segment_min_op>;

}  // namespace flowgraph

#include <flowgraph/ops/reduction/detail/segment_gradient.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/reduction/detail/segment.hpp>
#endif
