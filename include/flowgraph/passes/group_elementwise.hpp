#pragma once
// The pass `group_elementwise` replaces chains and trees of element-wise nodes by one node that calls their kernels one after
// another for a part of the elements at a time. Intermediate values stay in the cache, and no memory is allocated for them. Every
// bit of the results is the same. Operands may be vectors of the last axis, so batch normalization is in a group; so is BiasAdd.
//
//     fg::session s{g, {.passes = {.group_elementwise = false}}};                  // no groups
//     fg::session t{g, {.passes = {.further = {fg::passes::group_elementwise}}}};  // also groups of few elements
//
// A convolution and the nodes behind it also become one node: see finish_results.hpp.
//
// The pass is on by default, but leaves out groups whose intermediate values are known to have few elements. Traced and measured
// runs have plans without groups.
//
// A node joins the group of its reader if nothing else needs its value: no other node, no fetch, no target and no control edge.
// All nodes of a group are on the same device, which must be a CPU. Nodes that read a variable by reference are not grouped.
// `explain` shows a group as "_Group(Mul, Add, Tanh)", with the name of its last node and a list of its nodes. It also notes why
// other element-wise nodes are in no group.

#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t group_elementwise(const further_pass& self, draft& d, pass_call& call);

// The pass that pass_options::group_elementwise switches: it leaves out groups of few elements.
inline constexpr further_pass group_large{"group_elementwise", pass_stage::after_placement, &group_elementwise};

}  // namespace detail

namespace passes {

inline constexpr further_pass group_elementwise{"group_elementwise", pass_stage::after_placement, &detail::group_elementwise};

}  // namespace passes

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/group_elementwise.hpp>
#endif
