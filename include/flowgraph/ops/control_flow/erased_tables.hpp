#pragma once
// Tables for element types that only the run of the program tells: of the ops that hand values on, and of constants. They bring no kernels
// and no gradients of types that the program does not name.

#include <flowgraph/ops/control_flow/control_flow.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Switch, Merge, Enter, Exit or NextIteration, by what it does; Identity for control_flow::none. Of the type of `x`. Kept by the graph.
const op_table* erased_table(graph_state& g, control_flow does, const any_out& x);

// Const. Its gradients are summed as `sum` does; null: it gets none.
const op_table* erased_constant_table(graph_state& g, dtype type, op_table::sum_function sum);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/control_flow/impl/erased_tables.hpp>
#endif
