#pragma once
// The pass `merge_common` merges nodes that compute the same value from the same inputs into the first of them, and merges equal
// constants.
//
// Nodes are equal if they have the same op, the same attributes bit by bit, the same inputs and control inputs, and the same
// device; they are then in the same frame and branch. The operands of an integer sum or product may be swapped. For
// floating-point numbers this requires pass_options::fast_math, because if both are NaN, the first determines the bits of the
// result. If the session has several devices, colocated nodes are kept. Nodes that draw random numbers, have state, read a
// variable or a resource, make a handle or are asynchronous are never merged.

#include <flowgraph/passes/draft.hpp>
#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

pass_report merge_common(draft& d, const pass_options& options);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/merge_common.hpp>
#endif
