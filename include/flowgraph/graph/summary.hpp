#pragma once
// A readable overview of a graph: a tree of its scopes, with the variables in each scope and their sizes.
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

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of summary.
struct summary_options {
  int depth = 3;  // number of levels of scopes that have their own line; deeper scopes are counted in their parents
  // True: constants with more than one element also have a line and are counted. This is needed for frozen graphs.
  bool constants = false;
};

// Returns one line for each scope, with the totals of all nodes below it, and one line for each variable, including the variables
// of optimizers. The number of parameters is the number of elements. Variables whose shape is known only at run time are not
// counted, and a '+' marks the totals that they are missing from.
std::string summary(const graph& g, const summary_options& options = {});

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/summary.hpp>
#endif
