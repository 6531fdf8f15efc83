#pragma once
// A readable overview of a graph: its scopes as a tree, the variables in them, and their sizes.
//
//     std::fputs(fg::summary(g).c_str(), stdout);
//
//     scope      ops  shape     type   parameters  bytes
//     (all)       37                         7850  31400
//       dense     19                         7850  31400
//         w       10  [784,10]  float        7840  31360
//         b        8  [10]      float          10     40

#include <flowgraph/graph/graph.hpp>

#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct summary_options {
  int depth = 3;           // of scopes that have a line of their own; those below count in the ones around them
  bool constants = false;  // constants of more than one element have lines too, and are counted: those of a frozen graph
};

// A line a scope, with all that is below it, and a line a variable: every one, so that what optimizers keep beside a parameter counts.
// Parameters are elements. Of a variable whose shape only a run tells there are none, and a '+' says so.
std::string summary(const graph& g, const summary_options& options = {});

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/summary.hpp>
#endif
