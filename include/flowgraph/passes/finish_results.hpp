#pragma once
// Joins a convolution or a matrix product of floats and the nodes that follow it, if the kernel of the first node can compute them for
// each part of its result: batch normalization of inference, BiasAdd, sums and products with constant rows, the addition of a tensor
// of the same shape, Relu and Relu6, in this order. Every bit of the results is the same. This is the first part of the pass
// `group_elementwise`, and `explain` shows the made node as a group: "_Group(Conv2D, FusedBatchNormV3, Relu6)".
//
// Only kernels with the fact `finishes` can begin such a group. Nothing else may need the intermediate values. If the weights of the
// kernel are constant, the group has a packed copy of them (op/packed_weights.hpp); then it may consist of only the first node, and
// `explain` shows "_Packed(Conv2D)".

#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the number of nodes that were joined.
std::size_t finish_results(draft& d, const pass_call& call);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/finish_results.hpp>
#endif
