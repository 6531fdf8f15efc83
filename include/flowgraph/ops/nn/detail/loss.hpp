#pragma once

#include <flowgraph/ops/reduction/detail/reduction.hpp>
#include <flowgraph/ops/nn/loss.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct half_of_sum {
  template <class T, class P> static T finished(P sum) { return T(sum / P(2)); }
};

}  // namespace detail

template <class T> void l2_loss_op::operator()(cpu ctx, view<const T> t, view<T> loss) const {
  flowgraph::shape axes;
  for (int i = 0; i < t.rank(); ++i) axes.push_back(i);
  detail::run_reduction(ctx, detail::square_reducer<T, detail::half_of_sum>::all, t.shape(), axes, t.data(), loss.data(), 1);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
