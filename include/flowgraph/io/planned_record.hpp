#pragma once
// The nodes that a session runs for some fetches after its passes, as plain values and as a separate graph.
//
//     const fg::planned_record kept = fg::planned_record_of(s, {"x"}, {"y"}).value();   // io/graph_archive.hpp keeps it in a file
//     fg::planned_graph small = fg::planned_graph_of(kept, ops).value();
//     fg::session t{small.graph, {.passes = fg::pass_options::none()}};                // the passes are already applied
//     auto step = t.try_prepare(small.feeds, small.fetches, small.targets).value();
//
// Nodes keep their names and lines; a folded node is a constant with the same name. Variables remain nodes: their values come
// from the container or a checkpoint (`freeze` in deploy/freeze.hpp converts them to constants).

#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/runtime/session.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A graph_record with its feeds, fetches and targets. A fed edge that is not a placeholder becomes one here.
struct planned_record {
  graph_record graph;                  // the nodes of the plan
  std::vector<std::uint32_t> feeds;    // ids of nodes, in the order of the request
  std::vector<edge_record> fetches;    // edges, in the order of the request
  std::vector<std::uint32_t> targets;  // ids of nodes, in the order of the request, without those that are fed
  bool operator==(const planned_record&) const = default;
};

// Returns the plan of such a run, changed by the passes of the session. It plans as `prepare` does, and runs no other node.
// Sessions on a cluster, devices whose memory the host cannot access, and constants that are handles are errors that name them.
result<planned_record> planned_record_of(const session& s, std::span<const edge_or_name> feeds,
                                         std::span<const edge_or_name> fetches, std::span<const target_or_name> targets);
result<planned_record> planned_record_of(const session& s, std::initializer_list<edge_or_name> feeds,
                                         std::initializer_list<edge_or_name> fetches,
                                         std::initializer_list<target_or_name> targets = {});

// A planned_record as a graph to run, with its edges in order.
struct planned_graph {
  flowgraph::graph graph;               // the graph
  std::vector<any_out> feeds, fetches;  // the edges to feed and to fetch
  std::vector<target> targets;          // the nodes to run
};

// Converts a record to a graph. An op that the registry does not have, and an edge that does not exist, are errors that name node
// and op.
result<planned_graph> planned_graph_of(const planned_record& record, const registry& ops);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/io/impl/planned_record.hpp>
#endif
