#pragma once
// Op tables for element types that are known only at run time, for constants and for the ops that pass values through. They add
// no kernels and no gradients for types that the program does not use.

#include <flowgraph/ops/control_flow/control_flow.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the table of the op that `does` selects: Switch, Merge, Enter, Exit or NextIteration, or Identity for
// control_flow::none. The element type is that of `x`. The graph owns the table.
const op_table* erased_table(graph_state& g, control_flow does, const any_out& x);

// Returns the table of Const for an element type. `sum` adds up the gradients of the constant; if `sum` is null, the constant has
// no gradient.
const op_table* erased_constant_table(graph_state& g, dtype type, op_table::sum_function sum);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/control_flow/impl/erased_tables.hpp>
#endif
