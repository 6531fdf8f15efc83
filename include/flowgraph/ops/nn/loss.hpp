#pragma once
// The L2 loss of a tensor.

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Half the sum of the squares of all elements.
struct l2_loss_op {
  static constexpr std::string_view name = "L2Loss";
  using types = floating;

  constexpr flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  std::size_t scratch(const flowgraph::shape& t) const { return detail::reduction_scratch(t); }
  template <class T> void operator()(cpu ctx, view<const T> t, view<T> loss) const;
  template <class T> out<T> gradient(out<T> t, out<T>, out<T> dy) const { return t * dy; }
};

template <class T> out<T> l2_loss(const out<T>& t, site s = {}) { return apply(l2_loss_op{}, t, s); }

using loss_ops = type_list<l2_loss_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/loss.hpp>
#endif
