#pragma once
// Updates of slices of variables. Index vectors select the slices: updates[i...] changes the slice variable[indices[i..., 0],
// indices[i..., 1], ...]. It replaces the slice, is added to it or subtracted from it, or the slice becomes the element-wise
// maximum or minimum of the two.
//
// If a slice is named several times, its updates are applied in the order of the index vectors. All vectors are checked before
// the first write.

#include <flowgraph/functors/arithmetic.hpp>
#include <flowgraph/functors/comparison.hpp>
#include <flowgraph/ops/array/scatter_nd.hpp>
#include <flowgraph/ops/state/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape scattered_variable_shape(shape_context& c, const shape& variable, const shape& indices, const shape& updates);

template <class F, class Types, bool UsesLocking = false> struct reference_scatter_nd {
  using types = type_attrs<type_attr<"T", Types>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  bool use_locking = UsesLocking;
  bad_indices_policy bad_indices = bad_indices_policy::unset;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &reference_scatter_nd::use_locking),
                                                 attr("bad_indices_policy", &reference_scatter_nd::bad_indices));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& v, const flowgraph::shape& i,
                         const flowgraph::shape& u) const {
    return scattered_variable_shape(c, v, i, u);
  }
  template <class T, class I>
  void operator()(cpu ctx, reference<T> ref, index_view<I> indices, view<const T> updates, reference_out<T> y) const;
};

template <class F, class Types> struct resource_scatter_nd {
  using types = type_attrs<type_attr<"T", Types>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  bool use_locking = true;
  bad_indices_policy bad_indices = bad_indices_policy::unset;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &resource_scatter_nd::use_locking),
                                                 attr("bad_indices_policy", &resource_scatter_nd::bad_indices));

  template <class T, class I> void operator()(cpu ctx, variable_handle<T> v, index_view<I> indices, view<const T> updates) const;
};

}  // namespace detail

// Replaces slices of a variable at the given index vectors.
struct scatter_nd_update_op : detail::reference_scatter_nd<detail::replaced, all_types, true> {
  static constexpr std::string_view name = "ScatterNdUpdate";
};
// Adds updates to slices of a variable at the given index vectors.
struct scatter_nd_add_op : detail::reference_scatter_nd<functor::add, numbers> {
  static constexpr std::string_view name = "ScatterNdAdd";
};
// Subtracts updates from slices of a variable at the given index vectors.
struct scatter_nd_sub_op : detail::reference_scatter_nd<functor::sub, numbers> {
  static constexpr std::string_view name = "ScatterNdSub";
};
// Replaces slices of a variable at the given index vectors by the element-wise maximum of the old slice and the update.
struct scatter_nd_max_op : detail::reference_scatter_nd<functor::larger, real_numbers> {
  static constexpr std::string_view name = "ScatterNdMax";
};
// Replaces slices of a variable at the given index vectors by the element-wise minimum of the old slice and the update.
struct scatter_nd_min_op : detail::reference_scatter_nd<functor::smaller, real_numbers> {
  static constexpr std::string_view name = "ScatterNdMin";
};

// ScatterNdUpdate for a variable that is identified by a handle.
struct resource_scatter_nd_update_op : detail::resource_scatter_nd<detail::replaced, all_types> {
  static constexpr std::string_view name = "ResourceScatterNdUpdate";
};
// ScatterNdAdd for a variable that is identified by a handle.
struct resource_scatter_nd_add_op : detail::resource_scatter_nd<functor::add, plain_types> {
  static constexpr std::string_view name = "ResourceScatterNdAdd";
};
// ScatterNdSub for a variable that is identified by a handle.
struct resource_scatter_nd_sub_op : detail::resource_scatter_nd<functor::sub, plain_types> {
  static constexpr std::string_view name = "ResourceScatterNdSub";
};
// ScatterNdMax for a variable that is identified by a handle.
struct resource_scatter_nd_max_op : detail::resource_scatter_nd<functor::larger, real_numbers> {
  static constexpr std::string_view name = "ResourceScatterNdMax";
};
// ScatterNdMin for a variable that is identified by a handle.
struct resource_scatter_nd_min_op : detail::resource_scatter_nd<functor::smaller, real_numbers> {
  static constexpr std::string_view name = "ResourceScatterNdMin";
};

// Returns the variable's reference edge, through which other nodes read the new value.
template <class T, class I>
out<T> scatter_nd_update(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_nd_update_op{}, v, indices, updates, s);
}
template <class T, class I>
out<T> scatter_nd_add(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_nd_add_op{}, v, indices, updates, s);
}
template <class T, class I>
out<T> scatter_nd_sub(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_nd_sub_op{}, v, indices, updates, s);
}

using variable_scatter_nd_ops = type_list<scatter_nd_update_op, scatter_nd_add_op, scatter_nd_sub_op, scatter_nd_max_op,
                                          scatter_nd_min_op, resource_scatter_nd_update_op, resource_scatter_nd_add_op,
                                          resource_scatter_nd_sub_op, resource_scatter_nd_max_op, resource_scatter_nd_min_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/scatter_nd.hpp>
#endif
