#pragma once
// The pass `loop_products` makes the products and gates of loops faster, such as those of recurrent networks. Every bit of the results is
// the same.
//
//     fg::session s{g, {.passes = {.further = {fg::passes::loop_products}}}};
//
// - *Sums.* The gradient of weights is a sum over all iterations: `sum = sum + matmul(a, b, {.transpose_a = true})`. Instead of
//   small products and additions to a large matrix, the loop lists all a and b, and one product after the loop computes the sum.
//   Nothing else may read the sum during the loop, or a product. The list needs memory for the a and b of all iterations.
// - *Packed matrices.* A product reads its right matrix in an order of its own. If a matrix is the same in all iterations, it is
//   brought into this order once, before the loop.
// - *Gates.* If a matrix is split along its last axis, or joined from parts, one kernel computes the element-wise nodes of these
//   parts row by row: the gates of a cell, forward and backward. It reads and writes the parts in place, and has several results.
//   The parts must have known shapes and at least 64 columns. The elements are float. Such nodes may also be outside of loops.
//
// Our cells and their gradients have loops of these forms, and so do imported loops. But the stacks of TensorFlow's own
// gradients do not declare shapes, so sums of imported gradients stay as they are. Requirements: the elements are float or
// double, the shapes of the sum, of the products and of the matrix are known, and the nodes are on the same device, which must be
// a CPU. `explain` and traces show the nodes as "_SumOfProducts", "_PackedMatMul" and "_Bundle(Sigmoid, Mul)".

#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t loop_products(const further_pass& self, draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass loop_products{"loop_products", pass_stage::after_placement, &detail::loop_products};

}  // namespace passes

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/loop_products.hpp>
#endif
