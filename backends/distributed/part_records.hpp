#pragma once
// The plan of a run, cut by task. Each part is a graph of its own, which the master creates and a worker runs.

#include "bytes.hpp"

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/runtime/parts/partitions.hpp>

#include <span>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// A node of the part that sends or receives.
struct exchange_record {
  std::uint32_t node = 0, edge = 0;  // the number of the edge in the whole plan
  std::uint32_t task = 0;            // the task at the other end
  dtype type = dtype::invalid;
};

// The interface of a part to the whole plan: the only section of its record that is needed after the part was planned.
struct part_ends {
  std::uint32_t task = 0;              // the task that runs the part
  std::uint32_t edges = 0;             // number of edges in the whole plan
  std::vector<std::uint32_t> feeds;    // nodes, in the order of the values
  std::vector<edge_record> fetches;    // in the order in which they are returned
  std::vector<std::uint32_t> counted;  // nodes that receive their number of runs, in the order of the numbers
  std::vector<exchange_record> exchanges;
  std::uint64_t pushed_up_to = connect_options().pushed_up_to;
};

struct part_record : part_ends {
  graph_record graph;
  std::vector<std::uint32_t> whole_feeds;  // the position of each feed among the feeds of the whole plan; not sent to the worker
  std::vector<std::string> counted_nodes;  // names of nodes of the whole graph; not sent to the worker
  // The nodes that name resources or draw random numbers; not sent to the worker.
  struct node_state {
    bool is_random;
    std::string text;  // "variable 'w'"
  };
  std::vector<node_state> states;
};

// The parts of a plan that this process does not run itself.
class task_parts final : public detail::plan_parts {
public:
  detail::parts_report report() const override { return {}; }

  std::vector<part_record> parts;
  std::vector<detail::partitions::fetched> fetches;  // of the whole plan
};

// Selects the float values that travel as 16 bits.
struct narrowing {
  narrowed_floats which = narrowed_floats::off;
  std::uint64_t large_from = 0;

  bool applies_to(const output_info& o) const {
    if (which == narrowed_floats::off || o.type != dtype::float32) return false;
    return which == narrowed_floats::all || (o.shape.is_known() && static_cast<std::uint64_t>(o.shape.size()) >= large_from);
  }
};

// The argument of cut_by_task.
struct task_plan_request : detail::plan_request {
  narrowing narrows;
  std::uint64_t pushed_up_to = connect_options().pushed_up_to;
};

// Cuts a plan by task. This is a detail::divide_function whose places are tasks; the request must be a task_plan_request.
result<std::shared_ptr<const detail::plan_parts>> cut_by_task(const detail::graph_state& g, const detail::plan_request& request,
                                                              const detail::draft& d, const detail::plan& whole);

void write_part(byte_writer& to, recycled_tensors& tensors, const part_record& part);
part_record read_part(byte_reader& from, std::span<const any_tensor> tensors);

}  // namespace flowgraph::distributed
