#pragma once
// A graph for the eye: as text, a line a node, and as a drawing for Graphviz.
//
//     y = AddV2<float>(x, w:1, ^init) {beta=0.5} -> float[?,10] @/device:cpu:0

#include <flowgraph/graph/graph.hpp>

#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A node as above; what it does not have is left out. An output that carries a variable is marked as in float&[10].
std::string to_string(const node& n);

// All nodes in the order of their creation, each on its line.
std::string to_text(const graph& g);

// A digraph: control edges are dashed, edges say what travels along them, each loop is a box around its nodes.
std::string to_dot(const graph& g);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/print.hpp>
#endif
