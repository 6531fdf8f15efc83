#pragma once
// The distinct elements of a vector, or the distinct slices of a tensor along an axis, in the order of their first occurrence,
// and the number of occurrences of each.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using comparable_types = joined<real_numbers, type_list<bool, std::string>>;

}  // namespace detail

// Returns the distinct slices along an axis, and for each slice of x its index among the distinct slices. `axis` is a vector with
// one element. If x is a vector, `axis` may be empty.
struct unique_v2_op {
  static constexpr std::string_view name = "UniqueV2";
  using types =
      type_attrs<type_attr<"T", detail::comparable_types>, type_attr<"Taxis", index_types>, type_attr<"out_idx", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& axis) const;
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape& axis) const;
  template <class T, class A, class I>
  void operator()(cpu ctx, view<const T> x, index_view<A> axis, unsized<T> y, view<I> index) const;
};

// Returns the distinct elements of a vector, for each element of the vector its index among them, and the number of occurrences
// of each distinct element.
struct unique_with_counts_op {
  static constexpr std::string_view name = "UniqueWithCounts";
  using types = type_attrs<type_attr<"T", detail::comparable_types>, type_attr<"out_idx", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& x) const;
  std::size_t scratch(const flowgraph::shape& x) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, unsized<T> y, view<I> index, unsized<I> count) const;
};

// Returns the distinct slices along an axis as UniqueV2 does, and the number of occurrences of each.
struct unique_with_counts_v2_op {
  static constexpr std::string_view name = "UniqueWithCountsV2";
  using types =
      type_attrs<type_attr<"T", detail::comparable_types>, type_attr<"Taxis", index_types>, type_attr<"out_idx", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& axis) const;
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape& axis) const;
  template <class T, class A, class I>
  void operator()(cpu ctx, view<const T> x, index_view<A> axis, unsized<T> y, view<I> index, unsized<I> count) const;
};

// The results of `unique_with_counts`.
template <class T, class I> struct counted_elements {
  out<T> values;  // the distinct elements
  out<I> index;   // x[i] == values[index[i]]
  out<I> count;   // the number of occurrences of each
};
template <class I = std::int32_t, class T> counted_elements<T, I> unique_with_counts(const out<T>& x, site s = {}) {
  const auto [values, index, count] = apply_as<T, I>(s, unique_with_counts_op{}, x);
  return {values, index, count};
}

using unique_along_ops = type_list<unique_v2_op, unique_with_counts_op, unique_with_counts_v2_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/unique_along.hpp>
#endif
