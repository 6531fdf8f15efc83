#pragma once
// Updates of rows of a variable: the row variable[indices[i...]] is multiplied by updates[i...], divided by it, or replaced by
// the element-wise maximum or minimum of the two. A scalar update applies to all rows that the indices name.
//
// If a row is named several times, its updates are applied in the order of the indices. All indices are checked before the first
// write.

#include <flowgraph/functors/arithmetic.hpp>
#include <flowgraph/functors/comparison.hpp>
#include <flowgraph/ops/array/scatter_nd.hpp>
#include <flowgraph/ops/state/scatter.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class F, class Types> struct reference_scatter {
  using types = type_attrs<type_attr<"T", Types>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  bool use_locking = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &reference_scatter::use_locking));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& v, const flowgraph::shape& i,
                         const flowgraph::shape& u) const {
    return scatter_shape(c, v, i, u);
  }
  template <class T, class I>
  void operator()(cpu ctx, reference<T> ref, index_view<I> indices, view<const T> updates, reference_out<T> y) const;
};

template <class F, class Types> struct resource_scatter {
  using types = type_attrs<type_attr<"dtype", Types>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  template <class T, class I> void operator()(cpu ctx, variable_handle<T> v, index_view<I> indices, view<const T> updates) const;
};

using ordered_scatter_types = joined<floating, index_types>;

}  // namespace detail

// Multiplies rows of a variable at the given indices by updates.
struct scatter_mul_op : detail::reference_scatter<functor::mul, numbers> {
  static constexpr std::string_view name = "ScatterMul";
};
// Divides rows of a variable at the given indices by updates.
struct scatter_div_op : detail::reference_scatter<functor::div, numbers> {
  static constexpr std::string_view name = "ScatterDiv";
};
// Replaces rows of a variable at the given indices by the element-wise maximum of the old row and the update.
struct scatter_max_op : detail::reference_scatter<functor::larger, detail::ordered_scatter_types> {
  static constexpr std::string_view name = "ScatterMax";
};
// Replaces rows of a variable at the given indices by the element-wise minimum of the old row and the update.
struct scatter_min_op : detail::reference_scatter<functor::smaller, detail::ordered_scatter_types> {
  static constexpr std::string_view name = "ScatterMin";
};

// ScatterMul for a variable that is identified by a handle.
struct resource_scatter_mul_op : detail::resource_scatter<functor::mul, numbers> {
  static constexpr std::string_view name = "ResourceScatterMul";
};
// ScatterDiv for a variable that is identified by a handle.
struct resource_scatter_div_op : detail::resource_scatter<functor::div, numbers> {
  static constexpr std::string_view name = "ResourceScatterDiv";
};
// ScatterMax for a variable that is identified by a handle.
struct resource_scatter_max_op : detail::resource_scatter<functor::larger, real_numbers> {
  static constexpr std::string_view name = "ResourceScatterMax";
};
// ScatterMin for a variable that is identified by a handle.
struct resource_scatter_min_op : detail::resource_scatter<functor::smaller, real_numbers> {
  static constexpr std::string_view name = "ResourceScatterMin";
};

// Returns the variable's reference edge, through which other nodes read the new value.
template <class T, class I>
out<T> scatter_mul(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_mul_op{}, v, indices, updates, s);
}
template <class T, class I>
out<T> scatter_div(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_div_op{}, v, indices, updates, s);
}
template <class T, class I>
out<T> scatter_max(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_max_op{}, v, indices, updates, s);
}
template <class T, class I>
out<T> scatter_min(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_min_op{}, v, indices, updates, s);
}

using scatter_arithmetic_ops = type_list<scatter_mul_op, scatter_div_op, scatter_max_op, scatter_min_op, resource_scatter_mul_op,
                                         resource_scatter_div_op, resource_scatter_max_op, resource_scatter_min_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/scatter_arithmetic.hpp>
#endif
