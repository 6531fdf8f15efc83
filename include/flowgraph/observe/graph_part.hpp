#pragma once
// A part of a graph as a graph of its own, to be run alone: what some outputs need, from some edges on that are fed.
//
//     const fg::graph_part part = fg::cut_part(g, {loss}, {{hidden, {32, 128}}}).value();
//     fg::session alone{part.graph};
//     alone.initialize();
//     auto made = alone.try_run({.feeds = {{part.feeds[0], activations}}, .fetches = part.fetches});
//
// Nodes keep their names, variables their initializers: the part begins as the whole does, or has the values of a session that has trained,
// fg::session alone{part.graph, {.resources = &s.resources()}}, where only names count.

#include <flowgraph/runtime/session.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct graph_part {
  flowgraph::graph graph;
  std::vector<any_out> fetches;  // the outputs, in their order
  std::vector<any_out> feeds;    // the placeholders that stand for the fed edges, in their order
};

// `feeds`: edges that become placeholders of their names, "scope/op" or, of output 1, "scope/op_1"; a shape that is given says more than the
// graph knows, and all shapes behind it are worked out anew. What stands before them is left out, unless something else needs it.
// Refused: edges that carry variables or handles, and edges inside of loops.
result<graph_part> cut_part(const graph& g, std::span<const any_out> outputs, std::span<const fed_shape> feeds = {});
inline result<graph_part> cut_part(const graph& g, std::initializer_list<any_out> outputs,
                                   std::initializer_list<fed_shape> feeds = {}) {
  return cut_part(g, std::span(outputs.begin(), outputs.size()), std::span(feeds.begin(), feeds.size()));
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/graph_part.hpp>
#endif
