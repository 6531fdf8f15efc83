#pragma once
// Computes a node that reads constants alone, for the pass that folds.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/shape_rule.hpp>
#include <flowgraph/passes/fold_constants.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the shapes of the outputs of a node that reads constants. A shape is unknown if only the kernel computes it.
inline error infer_from_constants(const draft_node& n, sequence<shape>& result) {
  result.assign(n.outputs.size(), shape::unknown());
  if (!n.table->infer) return {};
  sequence<const shape*> shapes;
  sequence<const any_tensor*> tensors;
  for (const draft_edge& e : n.inputs) {
    tensors.push_back(&value_of_constant(e));
    shapes.push_back(&tensors.back()->shape());
  }
  shape_context context(tensors.data(), tensors.size());
  context.set_output_count(result.size());
  n.table->infer(n.attributes, context, {shapes, n.list_sizes}, result);
  return context.failed() ? error(error_code::invalid_argument, context.message()) : error();
}

// Returns false if the node is not computed here, but in each run.
inline bool compute_node(constant_folding& folding, const draft_node& n, node_runner run, std::vector<any_tensor>& values) {
  return folding.fold({site_of(n), static_cast<std::uint32_t>(n.inputs.size()),
                       [&](std::uint32_t k) {
                         return known_input{&value_of_constant(n.inputs[k]), true, true, false};
                       },
                       [&](sequence<shape>& shapes) { return infer_from_constants(n, shapes); }, [&] { return run(n, values); },
                       [&](std::uint32_t k) -> any_tensor& { return values[k]; }});
}

}  // namespace flowgraph::detail
