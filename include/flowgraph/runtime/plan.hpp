#pragma once
// The plan of a run: the nodes that its fetches need, as records side by side, with their edges in compressed rows.
//
// A plan is made once for a set of feeds, fetches and targets and then shared, unchanged, by every run of it. The ready queue walks
// its records, and schedules are made from them.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/op/table.hpp>
#include <flowgraph/passes/improve.hpp>
#include <flowgraph/runtime/body_plan.hpp>
#include <flowgraph/runtime/cut.hpp>
#include <flowgraph/runtime/placement.hpp>
#include <flowgraph/runtime/transfers.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Where a record finds an input: a slot of the frame it runs in, or a constant of the plan.
struct input_ref {
  std::uint32_t index;
  bool is_constant;
  bool dereference;             // the edge carries a variable, the kernel wants its value
  bool is_foreign = false;      // lies, or may lie, in other memory than the outputs of the record that reads it
  dtype type = dtype::invalid;  // of an input of a record
};

// Where an output goes. A control edge has no port. Says enough of the consumer to count its inputs without looking at it.
struct consumer {
  std::uint32_t record;
  std::uint32_t local;       // plan_record::local
  std::uint32_t port;        // of the producer; or control_port, order_port
  std::uint32_t input : 31;  // of the consumer
  std::uint32_t merges : 1;  // a data edge into a Merge
};
inline constexpr std::uint32_t control_port = no_index;
inline constexpr std::uint32_t order_port = no_index - 1;  // waits like a control edge, but a dead producer does not make it dead

enum class record_kind : std::uint8_t {
  feed,
  op,
  loop,  // stands for a whole loop, in plan::loops
};

struct plan_record {
  const call_site* site = nullptr;  // what kernels and messages see of it, in plan::sites; of a loop, that of its first Enter
  const op_table* table = nullptr;  // null: a feed
  const void* attributes = nullptr;
  const std::uint32_t* list_sizes = nullptr;
  op_table::kernel_function kernel = nullptr;      // of the device it is placed on; null for what the executor does itself
  const device* on = nullptr;                      // that device, whose memory its outputs lie in; null for the session's CPU
  std::uint32_t first_input = 0, input_count = 0;  // in plan::inputs
  std::uint32_t first_slot = 0, output_count = 0;  // in the slots of `output_frame`
  std::uint32_t first_consumer = 0, consumer_count = 0;  // in plan::consumers
  std::uint32_t pending = 0;                             // edges to wait for; of a Merge: control edges and one for the data
  std::uint32_t data_inputs = 0;                         // of a Merge: edges of which one is enough
  std::uint32_t frame = 0;                               // where it runs
  std::uint32_t output_frame = 0;                        // where its outputs are: of Enter the child, of Exit the parent
  std::uint32_t local = 0;                               // its place among the records of its frame
  std::uint32_t ordinal = no_index;                      // of an op that draws random numbers: which counter
  record_kind is = record_kind::feed;
  control_flow control = control_flow::none;
  bool is_constant_enter = false;
  dtype output_type = dtype::invalid;  // of output 0
  bool is_elementwise = false;
  bool passes_inputs = false;        // its outputs are its inputs, and of their types: a schedule needs to copy none of them
  std::uint32_t binding = no_index;  // of a node that names a resource: its place among those of the plan
  std::uint32_t home = no_index;     // of `on`: its place among those of the plan
  bool has_host_outputs = false;     // on a device whose memory the host does not touch
  bool is_async = false;             // its kernel answers later
  // A kernel with one output, sized by its shape rule, that reads no variable, its inputs in the memory of its output: most nodes.
  bool is_simple = false;            // and run with the services of the run
  bool is_simple_on_device = false;  // and run with those of `on`
  std::uint32_t loop = no_index;     // in plan::loops, of a record that stands for a whole one
};

// How the kernel of a record that answers later is run where that is not its op's own.
struct apart_kernel {
  op_table::async_kernel_function run = nullptr;  // null: `kernel`, on a thread of the pool
  op_table::kernel_function kernel = nullptr;
  thread_pool* pool = nullptr;
};

// Where a constant of the plan comes from.
struct constant_origin {
  const call_site* at;
  std::uint32_t port;
  bool is_folded;  // its node ran when the plan was made
};

// A frame of the plan: the root, or the body of one loop. A run makes an instance of it for each iteration of its parent.
struct plan_frame {
  std::uint32_t parent = no_index;
  std::string name;
  std::uint64_t name_key = 0;  // of the name alone: where the frame stands among those of the plan depends on what is fetched
  std::uint32_t parallel_iterations = 1;
  sequence<std::uint32_t> records;   // those that run in it
  sequence<std::uint32_t> children;  // frames
  std::uint32_t slots = 0;
  std::uint32_t enters = 0;       // that must arrive before the frame can end
  std::uint32_t position = 0;     // among its parent's children
  std::uint32_t loop = no_index;  // in plan::loops, when its iterations run by a schedule
  const char* queued = nullptr;   // why they do not
};

inline std::uint64_t number_plan() {
  static std::atomic<std::uint64_t> plans{0};
  return plans.fetch_add(1, std::memory_order_relaxed) + 1;
}

struct plan {
  // How far ahead of itself a run fetches memory. There are so many inputs more than the records have.
  static constexpr std::uint32_t inputs_ahead = 8;

  std::uint64_t number = number_plan();  // among all plans of the program
  graph_state* graph = nullptr;
  std::shared_ptr<graph_state> graph_owner;
  sequence<call_site> sites;      // of each record and each constant, for kernels and messages
  sequence<plan_record> records;  // in an order in which they may run
  sequence<input_ref> inputs;
  sequence<consumer> consumers;
  sequence<plan_frame> frames;                 // [0] is the root
  sequence<const device*> devices;             // that records are on, but for the session's own CPU
  runner_function runner = nullptr;            // of the ops that no schedule runs
  const flow_rules* flow = nullptr;            // when it has control flow
  const flow_rules* step_rules = nullptr;      // when a prepared step keeps values in places that own their memory
  std::shared_ptr<sequence<body_plan>> loops;  // behind a pointer: a plan without loops knows nothing of them
  sequence<sequence<std::uint32_t>> uses;      // per frame, per slot: how often it is read, fetches included
  sequence<sequence<std::uint32_t>>
      slot_memory;  // per frame, per slot: whose memory (impl/planned_devices.hpp); empty: the session's
  sequence<edge_value> constants;
  sequence<constant_origin> constant_origins;        // of each
  std::shared_ptr<const made_node_list> made_nodes;  // the data of nodes that no program wrote; null: there are none
  std::shared_ptr<const plan_parts> parts;           // that run in its place; null: it runs itself
  std::vector<pass_report> passes;                   // what the passes over the draft did
  sequence<std::uint32_t> sources;                   // records that wait for nothing; feeds are not among them
  sequence<std::uint32_t> feeds;                     // the record of each feed, in the request's order; no_index: nobody reads it
  sequence<input_ref> fetches;                       // root slots or constants, in the request's order
  sequence<std::uint32_t> fetch_records;             // the record that makes each fetch; no_index for constants
  sequence<const call_site*> random_nodes;           // each with an ordinal
  std::uint32_t bindings = 0;
  std::uint32_t max_inputs = 0, max_outputs = 0;
  sequence<apart_kernel> apart_kernels;  // of each record; empty: there are none
  bool has_async = false;
  bool has_run_resources = false;
  bool is_straight = false;  // its records can run one after the other, without anybody counting what they wait for

  bool has_control_flow() const noexcept { return flow != nullptr; }
  const body_plan& loop(std::uint32_t k) const { return (*loops)[k]; }
};

inline bool passes_inputs(const plan_record& r) { return r.passes_inputs; }

// The declared argument that an input or an output belongs to. Precondition: the record runs an op.
inline const argument& input_argument(const plan_record& r, std::size_t k) {
  return input_argument(*r.table, r.input_count, r.list_sizes, k);
}
inline const argument& output_argument(const plan_record& r, std::size_t k) {
  return output_argument(*r.table, r.output_count, r.list_sizes, k);
}

// The purpose of a plan.
struct plan_request {
  std::span<const any_out> feeds, fetches;
  std::span<const target> targets;
  placement* devices = nullptr;  // null: the CPU alone
  bool has_threads = false;
  bool is_dynamic = false;                                   // no schedules
  std::span<const dtype> feed_types = {}, fetch_types = {};  // where typed handles name the edges: what they say
  const pass_options* passes = nullptr;                      // null: none is made
  const node_runner* run = nullptr;                          // for the pass that folds; with `passes`
  divide_function divide = nullptr;                          // null: the plan is not cut
  bool divides_one = false;                                  // it is also where there is one device
  bool is_in_pieces = false;                                 // a partial run: between its pieces other runs may assign variables
  bool is_told_alone = false;  // parts of it run, and it only tells of them: devices get no constants
};

// Prunes, makes the passes, orders and lays out. Locks the graph while it reads it, not while a pass runs a node.
result<std::shared_ptr<const plan>> make_plan(const graph& g, const plan_request& request);

// The steps before the last, for code that needs the draft and no plan. `is_cut`: the draft is for parts, which keep values of their own.
// `lock` holds the graph's mutex before and after, and not while a pass runs a node.
struct finished_draft {
  draft nodes;
  std::vector<pass_report> passes;
};
error make_draft(const graph_state& g, const plan_request& request, bool is_cut, threading::unique_lock<threading::mutex>& lock,
                 finished_draft& made);

// The last step alone: every node of the draft has its device. The graph is locked.
result<std::shared_ptr<plan>> lay_out(const graph_state& g, const plan_request& request, const draft& d,
                                      std::vector<pass_report> passes);

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/plan.hpp>
#endif
