#pragma once
// The indices of the elements that are true or not zero.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the indices of the elements that are true or not zero: one row per element, in row-major order, with an index for every
// axis.
struct where_op {
  static constexpr std::string_view name = "Where";
  using types = plain_types;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  std::size_t scratch(const flowgraph::shape& x) const;  // the number of such elements in each block
  template <class T> void operator()(cpu ctx, view<const T> x, unsized<std::int64_t> y) const;
};

template <class T> out<std::int64_t> where(const out<T>& x, site s = {}) { return apply(where_op{}, x, s); }

using where_ops = type_list<where_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/where.hpp>
#endif
