#pragma once
// Ops that search in sorted values, compute the difference of two vectors, and convert flat indices to indices per axis.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape bound_shape(shape_context& c, const shape& sorted, const shape& values);

}  // namespace detail

// Returns the first position at which each value could be inserted into its row of the sorted inputs: the number of elements of
// the row that are less than the value.
struct lower_bound_op {
  static constexpr std::string_view name = "LowerBound";
  using types = type_attrs<type_attr<"T", real_numbers>, type_attr<"out_type", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sorted, const flowgraph::shape& values) const {
    return detail::bound_shape(c, sorted, values);
  }
  template <class T, class I> void operator()(cpu ctx, view<const T> sorted, view<const T> values, view<I> y) const;
};

// Returns the last position at which each value could be inserted into its row of the sorted inputs: the number of elements of
// the row that are not greater than the value.
struct upper_bound_op {
  static constexpr std::string_view name = "UpperBound";
  using types = type_attrs<type_attr<"T", real_numbers>, type_attr<"out_type", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sorted, const flowgraph::shape& values) const {
    return detail::bound_shape(c, sorted, values);
  }
  template <class T, class I> void operator()(cpu ctx, view<const T> sorted, view<const T> values, view<I> y) const;
};

// Returns the bucket of each element: the number of sorted boundaries that are not greater than the element.
struct bucketize_op {
  static constexpr std::string_view name = "Bucketize";
  using types = type_list<std::int32_t, std::int64_t, float, double>;
  static constexpr op_facts facts{.not_differentiable = true};
  std::vector<float> boundaries;
  static constexpr auto attrs = flowgraph::attrs(required("boundaries", &bucketize_op::boundaries));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<std::int32_t> y) const;
};

// Converts flat indices into a tensor of shape `dims` to indices along each axis, one row per axis.
struct unravel_index_op {
  static constexpr std::string_view name = "UnravelIndex";
  using types = type_attrs<type_attr<"Tidx", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& dims) const;
  template <class I> void operator()(cpu ctx, view<const I> indices, view<const I> dims, view<I> y) const;
};

// Returns the elements of x that are not in y, in order, and their positions in x.
struct list_diff_op {
  static constexpr std::string_view name = "ListDiff";
  using types = type_attrs<type_attr<"T", joined<real_numbers, type_list<std::string>>>, type_attr<"out_idx", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y) const;
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape& y) const;
  template <class T, class I>
  void operator()(cpu ctx, view<const T> x, view<const T> y, unsized<T> values, unsized<I> index) const;
};

template <class I = std::int32_t, class T> out<I> lower_bound(const out<T>& sorted, const out<T>& values, site s = {}) {
  return apply_as<T, I>(s, lower_bound_op{}, sorted, values);
}
template <class I = std::int32_t, class T> out<I> upper_bound(const out<T>& sorted, const out<T>& values, site s = {}) {
  return apply_as<T, I>(s, upper_bound_op{}, sorted, values);
}
template <class T> out<std::int32_t> bucketize(const out<T>& x, std::vector<float> boundaries, site s = {}) {
  return apply(bucketize_op{std::move(boundaries)}, x, s);
}
template <class I> out<I> unravel_index(const out<I>& indices, const out<I>& dims, site s = {}) {
  return apply(unravel_index_op{}, indices, dims, s);
}
// Returns the elements of x that are not in y, in order, and their positions in x.
template <class I = std::int32_t, class T> std::tuple<out<T>, out<I>> setdiff1d(const out<T>& x, const out<T>& y, site s = {}) {
  return apply_as<T, I>(s, list_diff_op{}, x, y);
}

using search_ops = type_list<lower_bound_op, upper_bound_op, bucketize_op, unravel_index_op, list_diff_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/search.hpp>
#endif
