#pragma once
// The nodes that a session runs for given fetches, after its passes have changed the graph: as plain values and as a separate
// graph.
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

namespace flowgraph::inline FLOWGRAPH_ABI {

// A graph_record with its feeds, fetches and targets. If a fed edge is not a placeholder, it becomes a placeholder in the record.
struct planned_record {
  graph_record graph;                  // the nodes of the plan
  std::vector<std::uint32_t> feeds;    // ids of nodes, in the order of the request
  std::vector<edge_record> fetches;    // edges, in the order of the request
  std::vector<std::uint32_t> targets;  // ids of nodes, in the order of the request, without those that are fed
  bool operator==(const planned_record&) const = default;
};

// Returns the plan of a run with these feeds, fetches and targets, changed by the passes of the session. It plans in the same way
// as `prepare`, and runs no node that `prepare` would not run. If the session is on a cluster, if the host cannot access the
// memory of a device, or if a constant is a handle, returns an error that names the cause.
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

// Converts a record to a graph. If the registry does not have an op, or if an edge does not exist, returns an error that names
// the node and the op.
result<planned_graph> planned_graph_of(const planned_record& record, const registry& ops);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/io/impl/planned_record.hpp>
#endif
