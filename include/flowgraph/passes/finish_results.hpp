#pragma once
// Joins a convolution of floats and the nodes that follow it, if the kernel of the convolution can compute them for each part of its
// result: batch normalization of inference, BiasAdd, sums and products with constant rows, the addition of a tensor of the same
// shape, Relu and Relu6, in this order. Every bit of the results is the same. This is the first part of the pass
// `group_elementwise`, and `explain` shows the made node as a group: "_Group(Conv2D, FusedBatchNormV3, Relu6)".
//
// Only kernels with the fact `finishes` can begin such a group. Nothing else may need the intermediate values.

#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the number of nodes that were joined.
std::size_t finish_results(draft& d, const pass_call& call);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/finish_results.hpp>
#endif
