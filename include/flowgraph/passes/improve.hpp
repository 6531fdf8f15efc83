#pragma once
// All passes over a draft, in their order: prune_identities, fold_constants, the further ones that are named, merge_common. A pass sees
// the draft alone. Where further ones are named, all go over the draft again as long as one of those finds something to do.

#include <flowgraph/core/function.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/passes/fold_constants.hpp>
#include <flowgraph/passes/options.hpp>

#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// What a further pass gets besides the draft.
struct pass_call {
  const pass_options& options;
  node_runner run;
  std::size_t too_large = 0;  // counted by the pass: nodes that it left alone because of a limit
};

// What each pass did, those that are off included.
std::vector<pass_report> improve(draft& d, const pass_options& options, node_runner run);

// Folds one node that reads constants alone. False: it is left to the runs, which also say what is wrong with it.
bool fold_node(constant_folding& folding, draft& d, draft_node& n, node_runner run);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/improve.hpp>
#endif
