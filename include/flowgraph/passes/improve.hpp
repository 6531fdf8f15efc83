#pragma once
// Runs all passes on a draft, in order: prune_identities, fold_constants, the further passes that are listed, and merge_common. A
// pass only sees the draft. If further passes are listed, all passes run again as long as one of the further passes changes
// something.

#include <flowgraph/core/function.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/passes/fold_constants.hpp>
#include <flowgraph/passes/options.hpp>

#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Data for a further pass, in addition to the draft.
struct pass_call {
  const pass_options& options;
  node_runner run;
  std::size_t too_large = 0;  // set by the pass: number of nodes that it skipped because of a limit
};

// Runs the passes, and returns the report of each, including those that are off.
std::vector<pass_report> improve(draft& d, const pass_options& options, node_runner run);

// Folds one node that reads only constants. Returns false if it is left to the runs, which then also report its errors.
bool fold_node(constant_folding& folding, draft& d, draft_node& n, node_runner run);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/improve.hpp>
#endif
