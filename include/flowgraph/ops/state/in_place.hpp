#pragma once
// Updates of rows in a copy of a tensor. Row i[k] of y is v[k], or row i[k] of x plus v[k] or minus v[k]. All other rows of y are
// equal to those of x.
//
// TensorFlow's ops write to x itself; here y is a new tensor, and x does not change. Indices are taken modulo the number of rows.

#include <flowgraph/functors/arithmetic.hpp>
#include <flowgraph/ops/array/scatter_nd.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape changed_rows_shape(shape_context& c, const shape& x, const shape& i, const shape& v);

template <class F, class Types> struct in_place_rows {
  using types = Types;
  static constexpr op_facts base_facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& i,
                         const flowgraph::shape& v) const {
    return changed_rows_shape(c, x, i, v);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const std::int32_t> i, view<const T> v, view<T> y) const;
};

}  // namespace detail

// Returns a copy of x with rows replaced.
struct inplace_update_op : detail::in_place_rows<detail::replaced, all_types> {
  static constexpr std::string_view name = "InplaceUpdate";
};
// Returns a copy of x with values added to rows.
struct inplace_add_op : detail::in_place_rows<functor::add, numbers> {
  static constexpr std::string_view name = "InplaceAdd";
};
// Returns a copy of x with values subtracted from rows.
struct inplace_sub_op : detail::in_place_rows<functor::sub, numbers> {
  static constexpr std::string_view name = "InplaceSub";
};

using in_place_ops = type_list<inplace_update_op, inplace_add_op, inplace_sub_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/in_place.hpp>
#endif
