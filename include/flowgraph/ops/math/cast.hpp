#pragma once
// Conversions between element types.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Converts elements to another type, as the processor does. Real numbers are rounded towards zero to integers; numbers that do
// not fit wrap or become the lowest integer. Complex numbers lose their imaginary part. If `truncate` is set, digits that do not
// fit in a narrower floating-point type are cut off instead of rounded.
struct cast_op {
  static constexpr std::string_view name = "Cast";
  static constexpr op_facts facts{.meaning = op_meaning::cast};
  using types = type_attrs<type_attr<"SrcT", plain_types>, type_attr<"DstT", plain_types>>;
  bool truncate = false;
  static constexpr auto attrs = flowgraph::attrs(attr("Truncate", &cast_op::truncate));

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class From, class To> void operator()(cpu ctx, view<const From> x, view<To> y) const;
  template <class From, class To> any_grad gradient(out<From>, out<To>, out<To> dy) const {
    if constexpr (is_differentiable(dtype_of<From>) && is_differentiable(dtype_of<To>)) return cast_to(out<From>(), dy);
    else return none;
  }
};

// If x already has the type To, x itself is returned.
template <class To, class From> out<To> cast(const out<From>& x, site s = {}) {
  if constexpr (std::is_same_v<To, From>) return x;
  else return apply_as<From, To>(s, cast_op{}, x);
}
template <class To, class From> out<To> cast_to(const out<To>&, const out<From>& x) { return cast<To>(x); }

using cast_ops = type_list<cast_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/cast.hpp>
#endif
