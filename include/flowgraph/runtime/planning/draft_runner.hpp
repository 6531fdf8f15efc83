#pragma once
// Runs single nodes of a draft on constants, for the pass that folds them. It uses the calls of the ready queue, with a plan of
// one record.

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/runtime/queue/call.hpp>
#include <flowgraph/runtime/placement.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class draft_runner {
public:
  // Limit of the memory for outputs and scratch of a node in a plan. Folded nodes make at most 64 KiB, but if a kernel determines
  // the size of its output, the size is known only afterwards.
  static constexpr std::size_t most_of_plan = std::size_t{1} << 20;

  // A pass uses only the calling thread. Its values belong to a plan, which a pool's thread may release after the session has
  // ended. Therefore they are in heap memory, like the constants of a graph, and not in the session's memory. A node that needs
  // more than `limit` bytes fails.
  draft_runner(const run_services& services, std::size_t limit, const graph_state& g)
      : services_(services), limit_(limit), graph_(g) {
    services_.pool = nullptr;
  }

  // Runs a node. Precondition: all inputs are constants. On success the outputs own their elements, or share those of an input.
  error operator()(const draft_node& n, std::vector<any_tensor>& outputs) {
    const device_naming* const naming = n.device.empty() ? nullptr : naming_in(graph_);
    if ((naming && !naming->allows_cpu(n.device)) || !(n.table->kernel.run || n.table->alias))
      return error(error_code::unimplemented, "no kernel runs the node while its plan is made");
    plan p;
    for (const draft_edge& e : n.inputs) {
      p.inputs.push_back({static_cast<std::uint32_t>(p.constants.size()), true, false});
      p.constants.push_back({value_of_constant(e), nullptr});
    }
    const call_site site = site_of(n);
    plan_record r;
    r.site = &site;
    r.table = n.table;
    r.attributes = n.attributes;
    r.list_sizes = n.list_sizes;
    r.entry = &n.table->kernel;
    r.kernel = r.entry->run;
    r.input_count = p.max_inputs = static_cast<std::uint32_t>(n.inputs.size());
    r.output_count = p.max_outputs = static_cast<std::uint32_t>(n.outputs.size());
    sequence<slot> slots(r.output_count);
    const node_memory memory(limit_);
    services_.memory = memory.budget;
    services_.budget = memory.budget;
    call_frame f(p);
    if (f.prepare(p, r, slots.data(), slots.data(), services_) && r.kernel) f.invoke(r);
    f.finish();
    for (std::size_t k = 0; k < slots.size(); ++k) outputs[k] = std::move(slots[k].value.tensor);
    return f.take_failure();
  }

private:
  // Each node has its own limit, since the outputs that are kept count as long as they exist.
  struct node_memory {
    explicit node_memory(std::size_t limit) : budget(memory_budget::make(limit, std::pmr::new_delete_resource())) {}
    ~node_memory() { budget->close(); }
    node_memory(const node_memory&) = delete;
    node_memory& operator=(const node_memory&) = delete;

    memory_budget* const budget;
  };

  run_services services_;
  std::size_t limit_;
  const graph_state& graph_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
