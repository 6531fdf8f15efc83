#pragma once
// A part of a graph as a separate graph: the nodes that are needed to compute given outputs from fed edges.
//
//     const fg::graph_part part = fg::cut_part(g, {loss}, {{hidden, {32, 128}}}).value();
//     fg::session alone{part.graph};
//     alone.initialize();
//     auto made = alone.try_run({.feeds = {{part.feeds[0], activations}}, .fetches = part.fetches});
//
// Nodes keep their names, and variables keep their initializers. So the part can start with the same initial values as the whole
// graph. It can also share the variables of a trained session, which are found by name:
// `fg::session alone{part.graph, {.resources = &s.resources()}}`.

#include <flowgraph/runtime/session.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The result of cut_part.
struct graph_part {
  flowgraph::graph graph;        // the part as a separate graph
  std::vector<any_out> fetches;  // the outputs, in order
  std::vector<any_out> feeds;    // the placeholders that replace the fed edges, in order
};

// Copies the nodes that the outputs need. Each fed edge becomes a placeholder with the name "scope/op", or "scope/op_1" for
// output 1. If a feed specifies a shape, this shape replaces the known shape, and the shapes of all following nodes are inferred
// again. Nodes before the fed edges are omitted, unless other nodes need them. Edges that carry variables or handles, and edges
// inside loops, cannot be fed; for such a feed, returns an error.
result<graph_part> cut_part(const graph& g, std::span<const any_out> outputs, std::span<const fed_shape> feeds = {});
inline result<graph_part> cut_part(const graph& g, std::initializer_list<any_out> outputs,
                                   std::initializer_list<fed_shape> feeds = {}) {
  return cut_part(g, std::span(outputs.begin(), outputs.size()), std::span(feeds.begin(), feeds.size()));
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/graph_part.hpp>
#endif
