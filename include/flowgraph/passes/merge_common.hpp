#pragma once
// The pass merge_common: nodes that compute the same from the same are one, the first of them; so are equal constants.
//
// The same is the same op, attributes that agree to the bit, the same inputs and control inputs, and one device: such nodes stand
// in one frame and on one branch. The two operands of a sum or a product of integers may have changed places; of floating numbers with
// pass_options::fast_math, since of two NaNs the first gives the result its bits. Where nodes stand on several devices, those that are
// colocated with others stay. What draws random numbers, has state, reads a variable or a resource, makes a handle or answers later is
// never merged.

#include <flowgraph/passes/draft.hpp>
#include <flowgraph/passes/options.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

pass_report merge_common(draft& d, const pass_options& options);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/merge_common.hpp>
#endif
