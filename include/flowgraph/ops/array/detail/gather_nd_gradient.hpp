#pragma once
// The gradient of GatherNd scatters: each op of the two is the other's gradient.

#include <flowgraph/ops/array/scatter_nd.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T, class I>
gradients_of<T, 2> gather_nd_op::gradient(out<T> params, out<I> indices, out<T>, out<T> dy) const {
  return {{detail::gather_nd_gradient(dy, params, indices, bad_indices), none}};
}

}  // namespace flowgraph
