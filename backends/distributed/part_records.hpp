#pragma once
// A run's plan cut between tasks, each part as a graph of its own: what a master makes, and workers run.

#include "bytes.hpp"

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/runtime/parts/partitions.hpp>

#include <span>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// A node of the part that sends or receives.
struct exchange_record {
  std::uint32_t node = 0, edge = 0;  // the edge's number in the whole
  std::uint32_t task = 0;            // at its other end
  dtype type = dtype::invalid;
};

// How a part is joined to the whole: all of its record that is needed once it is planned.
struct part_ends {
  std::uint32_t task = 0;              // that runs the part
  std::uint32_t edges = 0;             // of the whole
  std::vector<std::uint32_t> feeds;    // nodes, in the order in which values come
  std::vector<edge_record> fetches;    // in the order in which they go
  std::vector<std::uint32_t> counted;  // nodes that are told how often they have run, in the order of the numbers
  std::vector<exchange_record> exchanges;
  std::uint64_t pushed_up_to = connect_options().pushed_up_to;
};

struct part_record : part_ends {
  graph_record graph;
  std::vector<std::uint32_t> whole_feeds;  // of each feed: which one of the whole; stays with the master
  std::vector<std::string> counted_nodes;  // names of nodes of the whole graph; stays with the master
  // Of the nodes that name resources, or draw random numbers: stays with the master, too.
  struct node_state {
    bool is_random;
    std::string text;  // "variable 'w'"
  };
  std::vector<node_state> states;
};

// The parts of a plan, which nobody runs here.
class task_parts final : public detail::plan_parts {
public:
  detail::parts_report report() const override { return {}; }

  std::vector<part_record> parts;
  std::vector<detail::partitions::fetched> fetches;  // of the whole
};

// Which float values travel as 16 bits.
struct narrowing {
  narrowed_floats which = narrowed_floats::off;
  std::uint64_t large_from = 0;

  bool applies_to(const output_info& o) const {
    if (which == narrowed_floats::off || o.type != dtype::float32) return false;
    return which == narrowed_floats::all || (o.shape.is_known() && static_cast<std::uint64_t>(o.shape.size()) >= large_from);
  }
};

// What cut_by_task is asked.
struct task_plan_request : detail::plan_request {
  narrowing narrows;
  std::uint64_t pushed_up_to = connect_options().pushed_up_to;
};

// A detail::divide_function: places are tasks. The request is a task_plan_request.
result<std::shared_ptr<const detail::plan_parts>> cut_by_task(const detail::graph_state& g, const detail::plan_request& request,
                                                              const detail::draft& d, const detail::plan& whole);

void write_part(byte_writer& to, recycled_tensors& tensors, const part_record& part);
part_record read_part(byte_reader& from, std::span<const any_tensor> tensors);

}
}
}  // namespace flowgraph::distributed
