#pragma once
// Reinterprets the bits of a tensor as another element type.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape bitcast_shape(shape_context& c, const shape& x, std::size_t from, std::size_t to);

}  // namespace detail

// Reinterprets the bits of a tensor as elements of another type. If the new type is smaller, each element becomes several
// elements along a new last axis. If it is larger, the elements along the last axis become one element.
struct bitcast_op {
  static constexpr std::string_view name = "Bitcast";
  using types = type_attrs<type_attr<"T", numbers>, type_attr<"type", numbers>>;
  static constexpr std::size_t moved_types = 2;
  static constexpr op_facts facts{.not_differentiable = true};

  template <class From, class To> flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::bitcast_shape(c, x, sizeof(From), sizeof(To));
  }
  template <class From, class To> void operator()(cpu ctx, view<const From> x, view<To> y) const;
};

template <class To, class From> out<To> bitcast(const out<From>& x, site s = {}) {
  return apply_as<From, To>(s, bitcast_op{}, x);
}

using bitcast_ops = type_list<bitcast_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/bitcast.hpp>
#endif
