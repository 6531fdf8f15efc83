#pragma once
// Updates of rows of a variable: updates[i...] replaces the row variable[indices[i...]], is added to it, or is subtracted from
// it. A scalar update applies to all rows that the indices name.
//
// If a row is named several times, its updates are applied in the order of the indices. All indices are checked before the first
// write.

#include <flowgraph/ops/state/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

flowgraph::shape scatter_shape(shape_context& c, const flowgraph::shape& variable, const flowgraph::shape& indices,
                               const flowgraph::shape& updates);

}  // namespace detail

// Replaces rows of a variable at the given indices.
struct scatter_update_op {
  static constexpr std::string_view name = "ScatterUpdate";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  bool use_locking = true;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &scatter_update_op::use_locking));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& v, const flowgraph::shape& i,
                         const flowgraph::shape& u) const {
    return detail::scatter_shape(c, v, i, u);
  }
  template <class T, class I>
  void operator()(cpu ctx, reference<T> ref, index_view<I> indices, view<const T> updates, reference_out<T> y) const;
};

// Adds updates to rows of a variable at the given indices.
struct scatter_add_op {
  static constexpr std::string_view name = "ScatterAdd";
  using types = type_attrs<type_attr<"T", numbers>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  bool use_locking = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &scatter_add_op::use_locking));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& v, const flowgraph::shape& i,
                         const flowgraph::shape& u) const {
    return detail::scatter_shape(c, v, i, u);
  }
  template <class T, class I>
  void operator()(cpu ctx, reference<T> ref, index_view<I> indices, view<const T> updates, reference_out<T> y) const;
};

// Subtracts updates from rows of a variable at the given indices.
struct scatter_sub_op {
  static constexpr std::string_view name = "ScatterSub";
  using types = type_attrs<type_attr<"T", numbers>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  bool use_locking = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &scatter_sub_op::use_locking));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& v, const flowgraph::shape& i,
                         const flowgraph::shape& u) const {
    return detail::scatter_shape(c, v, i, u);
  }
  template <class T, class I>
  void operator()(cpu ctx, reference<T> ref, index_view<I> indices, view<const T> updates, reference_out<T> y) const;
};

// Returns the variable's reference edge, through which other nodes read the new value.
template <class T, class I>
out<T> scatter_update(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_update_op{}, v, indices, updates, s);
}
template <class T, class I>
out<T> scatter_add(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_add_op{}, v, indices, updates, s);
}
template <class T, class I>
out<T> scatter_sub(const variable<T>& v, const out<I>& indices, const std::type_identity_t<out<T>>& updates, site s = {}) {
  return apply(scatter_sub_op{}, v, indices, updates, s);
}

using scatter_ops = type_list<scatter_update_op, scatter_add_op, scatter_sub_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/scatter.hpp>
#endif
