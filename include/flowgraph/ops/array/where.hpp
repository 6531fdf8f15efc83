#pragma once
// Where the elements are that are not zero.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Finds the elements that are true or not zero: a row for each of them, its index along every axis, in row-major order.
struct where_op {
  static constexpr std::string_view name = "Where";
  using types = plain_types;
  static constexpr bool not_differentiable = true;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  std::size_t scratch(const flowgraph::shape& x) const;  // how many each block has
  template <class T> void operator()(cpu ctx, view<const T> x, unsized<std::int64_t> y) const;
};

template <class T> out<std::int64_t> where(const out<T>& x, site s = {}) { return apply(where_op{}, x, s); }

using where_ops = type_list<where_op>;

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/where.hpp>
#endif
