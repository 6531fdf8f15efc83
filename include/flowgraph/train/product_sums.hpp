#pragma once
// The pass `product_sums` computes the gradients of weights that a loop uses, such as the matrix of a recurrent cell, with one
// product after the backward loop. Without the pass, each iteration multiplies small matrices and adds the product to a sum as large
// as the weights. Every bit of the results is the same.
//
//     fg::session s{g, {.passes = {.further = {fg::passes::product_sums}}}};
//
// In a loop, `sum = sum + matmul(a, b, {.transpose_a = true})` becomes a list of all a and b. The gradients of our cells have this
// form, and so have imported graphs of TensorFlow. Requirements: the elements are float or double, the sum has a known shape,
// nothing else reads the sum during the loop or the product, and all nodes are on the same device, which must be a CPU. The list
// needs memory for the a and b of all iterations. `explain` and traces show the product as "_SumOfProducts".

#include <flowgraph/passes/options.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

std::size_t product_sums(const further_pass& self, draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass product_sums{"product_sums", pass_stage::after_placement, &detail::product_sums};

}  // namespace passes

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/product_sums.hpp>
#endif
