#pragma once

#include <flowgraph/ops/nn/detail/bias.hpp>
#include <flowgraph/ops/nn/bias_v1.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void bias_add_v1_op::operator()(cpu ctx, view<const T> x, view<const T> bias, view<T> y) const {
  bias_add_op{}(ctx, x, bias, y);
}

}  // namespace flowgraph
