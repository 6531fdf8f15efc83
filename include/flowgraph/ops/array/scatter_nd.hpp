#pragma once
// Ops that write or add slices, which index vectors name, in a copy of a tensor: y[indices[i..., 0], indices[i..., 1], ...] is
// combined with updates[i...]. ScatterNd, which adds to zeros, is in gather_nd.hpp.
//
// If a slice is named several times, its updates are applied in the order of the index vectors. Unlike in TensorFlow, `indices`
// may be a single index vector, and index vectors may be empty or have more than seven elements.

#include <flowgraph/functors/arithmetic.hpp>
#include <flowgraph/functors/comparison.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/operators.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Takes the place of a functor that combines an update with an element: the update replaces the element.
struct replaced;

shape scattered_shape(shape_context& c, const shape& target, const shape& indices, const shape& updates);

// The base of ops that apply updates to a copy of a tensor.
template <class F, class Types> struct tensor_scatter {
  using types = type_attrs<type_attr<"T", Types>, type_attr<"Tindices", index_types>>;
  bad_indices_policy bad_indices = bad_indices_policy::unset;
  static constexpr auto attrs = flowgraph::attrs(attr("bad_indices_policy", &tensor_scatter::bad_indices));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& indices,
                         const flowgraph::shape& updates) const {
    return scattered_shape(c, x, indices, updates);
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const T> x, index_view<I> indices, view<const T> updates, view<T> y) const;
};

// Returns the gradient of the maximum or minimum: elements that are equally large share the gradient evenly.
template <class T, class I>
gradients_of<T, 3> scattered_extreme_gradient(const out<T>& x, const out<I>& indices, const out<T>& updates, const out<T>& y,
                                              const out<T>& dy, bad_indices_policy policy) {
  const gather_nd_op pick{policy};
  const out<T> from_x = cast<T>(equal(x, y)), from_updates = cast<T>(equal(updates, apply(pick, y, indices)));
  const out<T> share = dy / (from_x + apply(scatter_nd_op{policy}, indices, from_updates, shape_of<I>(x)));
  return {{share * from_x, none, apply(pick, share, indices) * from_updates}};
}

}  // namespace detail

// Returns a copy of the tensor in which the slices that index vectors name are replaced by updates.
struct tensor_scatter_update_op : detail::tensor_scatter<detail::replaced, all_types> {
  static constexpr std::string_view name = "TensorScatterUpdate";
  template <class T, class I> gradients_of<T, 3> gradient(out<T>, out<I> indices, out<T> updates, out<T>, out<T> dy) const {
    return {{apply(tensor_scatter_update_op{*this}, dy, indices, zeros_like(updates)), none,
             apply(gather_nd_op{bad_indices}, dy, indices)}};
  }
};

// Returns a copy of the tensor with updates added to the slices that index vectors name.
struct tensor_scatter_add_op : detail::tensor_scatter<functor::add, numbers> {
  static constexpr std::string_view name = "TensorScatterAdd";
  template <class T, class I> gradients_of<T, 3> gradient(out<T>, out<I> indices, out<T>, out<T>, out<T> dy) const {
    return {{dy, none, apply(gather_nd_op{bad_indices}, dy, indices)}};
  }
};

// Returns a copy of the tensor with updates subtracted from the slices that index vectors name.
struct tensor_scatter_sub_op : detail::tensor_scatter<functor::sub, numbers> {
  static constexpr std::string_view name = "TensorScatterSub";
  template <class T, class I> gradients_of<T, 3> gradient(out<T>, out<I> indices, out<T>, out<T>, out<T> dy) const {
    return {{dy, none, -apply(gather_nd_op{bad_indices}, dy, indices)}};
  }
};

// Returns a copy of the tensor in which the slices that index vectors name are the element-wise maximum of their old value and
// the update.
struct tensor_scatter_max_op : detail::tensor_scatter<functor::larger, real_numbers> {
  static constexpr std::string_view name = "TensorScatterMax";
  template <class T, class I> gradients_of<T, 3> gradient(out<T> x, out<I> indices, out<T> updates, out<T> y, out<T> dy) const {
    return detail::scattered_extreme_gradient(x, indices, updates, y, dy, bad_indices);
  }
};

// Returns a copy of the tensor in which the slices that index vectors name are the element-wise minimum of their old value and
// the update.
struct tensor_scatter_min_op : detail::tensor_scatter<functor::smaller, real_numbers> {
  static constexpr std::string_view name = "TensorScatterMin";
  template <class T, class I> gradients_of<T, 3> gradient(out<T> x, out<I> indices, out<T> updates, out<T> y, out<T> dy) const {
    return detail::scattered_extreme_gradient(x, indices, updates, y, dy, bad_indices);
  }
};

// TensorScatterAdd under an older name. It also supports bool, where addition is a logical or.
struct scatter_nd_non_aliasing_add_op : detail::tensor_scatter<functor::add, plain_types> {
  static constexpr std::string_view name = "ScatterNdNonAliasingAdd";
  template <class T, class I> gradients_of<T, 3> gradient(out<T>, out<I> indices, out<T>, out<T>, out<T> dy) const {
    return {{dy, none, apply(gather_nd_op{bad_indices}, dy, indices)}};
  }
};

template <class T, class I>
out<T> tensor_scatter_nd_update(const out<T>& x, const out<I>& indices, const out<T>& updates, site s = {}) {
  return apply(tensor_scatter_update_op{}, x, indices, updates, s);
}
template <class T, class I>
out<T> tensor_scatter_nd_add(const out<T>& x, const out<I>& indices, const out<T>& updates, site s = {}) {
  return apply(tensor_scatter_add_op{}, x, indices, updates, s);
}
template <class T, class I>
out<T> tensor_scatter_nd_sub(const out<T>& x, const out<I>& indices, const out<T>& updates, site s = {}) {
  return apply(tensor_scatter_sub_op{}, x, indices, updates, s);
}
template <class T, class I>
out<T> tensor_scatter_nd_max(const out<T>& x, const out<I>& indices, const out<T>& updates, site s = {}) {
  return apply(tensor_scatter_max_op{}, x, indices, updates, s);
}
template <class T, class I>
out<T> tensor_scatter_nd_min(const out<T>& x, const out<I>& indices, const out<T>& updates, site s = {}) {
  return apply(tensor_scatter_min_op{}, x, indices, updates, s);
}

using scatter_nd_ops = type_list<scatter_nd_non_aliasing_add_op, tensor_scatter_update_op, tensor_scatter_add_op,
                                 tensor_scatter_sub_op, tensor_scatter_max_op, tensor_scatter_min_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/scatter_nd.hpp>
#endif
