#pragma once
// What a session runs for some fetches, as plain values: the nodes that are left once passes have done their work, as a graph of its own.
//
//     const fg::planned_record kept = fg::planned_record_of(s, {"x"}, {"y"}).value();   // io/graph_archive.hpp keeps it in a file
//     fg::planned_graph small = fg::planned_graph_of(kept, ops).value();
//     fg::session t{small.graph, {.passes = fg::pass_options::none()}};                // there is nothing left to improve
//     auto step = t.try_prepare(small.feeds, small.fetches, small.targets).value();
//
// Nodes keep their names and lines; what was folded is a constant of that name. Variables are nodes as before: their values are the
// container's, or a checkpoint's (freeze, in deploy/freeze.hpp, makes constants of them).

#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/runtime/session.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A graph_record, and what is fed, fetched and run of it. A fed edge that is no placeholder is one here.
struct planned_record {
  graph_record graph;
  std::vector<std::uint32_t> feeds;    // numbers of nodes, in the order of the request
  std::vector<edge_record> fetches;    // likewise
  std::vector<std::uint32_t> targets;  // likewise, but for those that are fed
  bool operator==(const planned_record&) const = default;
};

// What a run of these would do, as the session's options have it improved. Plans as `prepare` does; nothing else runs. Refuses, by name: a
// session on a cluster, devices whose memory the host does not touch, and constants that are handles.
result<planned_record> planned_record_of(const session& s, std::span<const edge_or_name> feeds,
                                         std::span<const edge_or_name> fetches, std::span<const target_or_name> targets);
result<planned_record> planned_record_of(const session& s, std::initializer_list<edge_or_name> feeds,
                                         std::initializer_list<edge_or_name> fetches,
                                         std::initializer_list<target_or_name> targets = {});

// A planned_record as a graph to run, with its edges in their order.
struct planned_graph {
  flowgraph::graph graph;
  std::vector<any_out> feeds, fetches;
  std::vector<target> targets;
};

// Refuses, naming node and op, what the registry lacks, and edges that are not there.
result<planned_graph> planned_graph_of(const planned_record& record, const registry& ops);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/io/impl/planned_record.hpp>
#endif
