#pragma once
// Prints a graph as text, with one line per node, or as a drawing for Graphviz.
//
//     y = AddV2<float>(x, w:1, ^init) {beta=0.5} -> float[?,10] @/device:cpu:0

#include <flowgraph/graph/graph.hpp>

#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns one line for the node, in the format above. Parts that the node does not have are omitted. The type of an output that
// carries a variable has an ampersand: float&[10].
std::string to_string(const node& n);

// Returns one line for each node, in the order of creation.
std::string to_text(const graph& g);

// Returns a digraph for Graphviz. Control edges are dashed, data edges are labelled with type and shape, and each loop is a box
// around its nodes.
std::string to_dot(const graph& g);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/print.hpp>
#endif
