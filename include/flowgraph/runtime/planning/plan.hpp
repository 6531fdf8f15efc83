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
#include <flowgraph/runtime/planning/body_plan.hpp>
#include <flowgraph/runtime/cut.hpp>
#include <flowgraph/runtime/placement.hpp>
#include <flowgraph/runtime/planning/transfers.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The source of an input of a record: a slot of the frame in which the record runs, or a constant of the plan.
struct input_ref {
  std::uint32_t index;
  bool is_constant;
  bool dereference;             // true: the edge carries a variable, and the kernel needs its value
  bool is_foreign = false;      // true: may be in other memory than the outputs of the record that reads it
  dtype type = dtype::invalid;  // element type, for an input of a record
};

// The destination of an output. A control edge has no port. It describes the consumer well enough to count the inputs of the
// consumer without reading its record.
struct consumer {
  std::uint32_t record;
  std::uint32_t local;       // plan_record::local
  std::uint32_t port;        // output of the producer; or control_port, order_port
  std::uint32_t input : 31;  // input of the consumer
  std::uint32_t merges : 1;  // 1: a data edge into a Merge
};
inline constexpr std::uint32_t control_port = no_index;
inline constexpr std::uint32_t order_port = no_index - 1;  // a control edge whose dead producer does not make the consumer dead

enum class record_kind : std::uint8_t {
  feed,
  op,
  loop,  // a whole loop, in plan::loops
};

// Flat, although it has many members: a run reads most of them for each node, so they are side by side.
struct plan_record {
  const call_site* site = nullptr;  // the node for kernels and messages, in plan::sites; for a loop, the site of its first Enter
  const op_table* table = nullptr;  // null: a feed
  const void* attributes = nullptr;
  const std::uint32_t* list_sizes = nullptr;
  const kernel_entry* entry = nullptr;                   // the kernel for its device, with its facts; null: a feed
  kernel_entry::run_function kernel = nullptr;           // runs it; null: no kernel, or not on the executor's threads
  const device* on = nullptr;                            // its device, whose memory contains its outputs; null: the session's CPU
  std::uint32_t first_input = 0, input_count = 0;        // range in plan::inputs
  std::uint32_t first_slot = 0, output_count = 0;        // range in the slots of `output_frame`
  std::uint32_t first_consumer = 0, consumer_count = 0;  // range in plan::consumers
  std::uint32_t pending = 0;                             // edges to wait for; for a Merge: control edges, and one for the data
  std::uint32_t data_inputs = 0;                         // for a Merge: number of data edges, of which one is enough
  std::uint32_t frame = 0;                               // the frame in which it runs
  std::uint32_t output_frame = 0;                        // the frame of its outputs: for Enter the child, for Exit the parent
  std::uint32_t local = 0;                               // its position among the records of its frame
  std::uint32_t ordinal = no_index;                      // for an op that draws random numbers: index of its counter
  record_kind kind = record_kind::feed;
  control_flow control = control_flow::none;
  bool is_constant_enter = false;
  dtype output_type = dtype::invalid;  // element type of output 0
  bool is_elementwise = false;
  bool passes_inputs = false;             // its outputs are its inputs, with the same types: a schedule need not copy them
  std::uint32_t binding = no_index;       // for a node that names a resource: its position among such nodes of the plan
  std::uint32_t device_index = no_index;  // position of `on` among the devices of the plan
  bool has_host_outputs = false;  // true: some outputs are on the host, although the host cannot access the memory of `on`
  bool is_async = false;          // true: its kernel is asynchronous, or runs on the threads of its device
  // True for most nodes: the kernel has one output, whose size is given by its shape rule, it reads no variable, and its inputs
  // are in the same memory as its output.
  bool is_simple = false;            // simple, and run with the services of the run
  bool is_simple_on_device = false;  // simple, and run with the services of `on`
  bool has_unsized = false;          // its kernel determines the shape of an output, which must agree with the shape rule
  std::uint32_t loop = no_index;     // index in plan::loops, if the record is a whole loop
};

// Returns whether the kernel makes output k in a shape of its own.
inline bool is_made_by_kernel(const plan_record& r, std::uint32_t k) {
  const output_info& o = r.site->outputs[k];
  return o.is_unsized && !o.is_reference;
}

// The origin of a constant of the plan.
struct constant_origin {
  const call_site* at;
  std::uint32_t port;
  bool is_folded;  // true: its node ran when the plan was made
};

// A frame of the plan: the root, or the body of one loop. A run creates an instance of the frame for each iteration of the parent
// frame.
struct plan_frame {
  std::uint32_t parent = no_index;
  std::string name;
  std::uint64_t name_key = 0;  // key of only the name, since the index of the frame in the plan depends on the fetches
  std::uint32_t parallel_iterations = 1;
  sequence<std::uint32_t> records;   // records that run in the frame
  sequence<std::uint32_t> children;  // child frames
  std::uint32_t slots = 0;
  std::uint32_t enters = 0;       // number of Enters that must arrive before the frame can end
  std::uint32_t position = 0;     // position among its parent's children
  std::uint32_t loop = no_index;  // index in plan::loops, if its iterations run by a schedule
  const char* queued = nullptr;   // why they do not run by a schedule
};

inline std::uint64_t number_plan() {
  static std::atomic<std::uint64_t> plans{0};
  return plans.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Flat: the tables of a plan refer to each other by index, and each run reads all of them.
struct plan {
  // The number of inputs by which a run prefetches memory ahead. `inputs` has this number of additional elements.
  static constexpr std::uint32_t inputs_ahead = 8;

  std::uint64_t number = number_plan();  // number among all plans of the program
  graph_state* graph = nullptr;
  std::shared_ptr<graph_state> graph_owner;
  sequence<call_site> sites;      // site of each record and each constant, for kernels and messages
  sequence<plan_record> records;  // in an order in which they may run
  sequence<input_ref> inputs;
  sequence<consumer> consumers;
  sequence<plan_frame> frames;                 // [0] is the root
  sequence<const device*> devices;             // devices of the records, except the session's own CPU
  runner_function runner = nullptr;            // runner for the ops that no schedule runs
  const flow_rules* flow = nullptr;            // null: the plan has no control flow
  const flow_rules* step_rules = nullptr;      // set if a prepared step keeps values in slots that own their memory
  std::shared_ptr<sequence<body_plan>> loops;  // behind a pointer, so that a plan without loops does not need their code
  sequence<sequence<std::uint32_t>> uses;      // for each slot of each frame: number of reads, including fetches
  sequence<sequence<std::uint32_t>>
      slot_memory;  // for each slot of each frame: number of its kind of memory (impl/planned_devices.hpp); empty: the session's
  sequence<edge_value> constants;
  sequence<constant_origin> constant_origins;        // origin of each constant
  std::shared_ptr<const made_node_list> made_nodes;  // data of nodes that are not in the graph; null: no such nodes
  std::shared_ptr<const plan_parts> parts;           // parts that run in place of the plan; null: the plan itself runs
  std::vector<pass_report> passes;                   // results of the passes over the draft
  sequence<std::uint32_t> sources;                   // records that wait for nothing; feeds are not among them
  sequence<std::uint32_t> feeds;                     // record of each feed, in the request's order; no_index: nothing reads it
  sequence<input_ref> fetches;                       // root slots or constants, in the request's order
  sequence<std::uint32_t> fetch_records;             // record that computes each fetch; no_index for constants
  sequence<const call_site*> random_nodes;           // nodes that draw random numbers, by ordinal
  std::uint32_t bindings = 0;
  std::uint32_t max_inputs = 0, max_outputs = 0;
  bool has_async = false;
  bool has_run_resources = false;
  bool has_groups = false;    // whether nodes replace several nodes of the graph
  bool lacks_groups = false;  // whether it has none because runs show single nodes
  bool is_straight = false;   // true: its records can run one after another, without counting what they wait for

  bool has_control_flow() const noexcept { return flow != nullptr; }
  const body_plan& loop(std::uint32_t k) const { return (*loops)[k]; }
};

inline bool passes_inputs(const plan_record& r) { return r.passes_inputs; }

// Returns the declared argument that an input or an output belongs to. Precondition: the record runs an op.
inline const argument& input_argument(const plan_record& r, std::size_t k) {
  return input_argument(*r.table, r.input_count, r.list_sizes, k);
}
inline const argument& output_argument(const plan_record& r, std::size_t k) {
  return output_argument(*r.table, r.output_count, r.list_sizes, k);
}

// The request for which a plan is made.
struct plan_request {
  std::span<const any_out> feeds, fetches;
  std::span<const target> targets;
  placement* devices = nullptr;  // null: only the CPU
  bool has_threads = false;
  bool is_dynamic = false;                                   // true: no schedules are made
  std::span<const dtype> feed_types = {}, fetch_types = {};  // the types of the handles, if edges are given by typed handles
  const pass_options* passes = nullptr;                      // null: no pass runs
  const node_runner* run = nullptr;                          // runs nodes for fold_constants; used with `passes`
  divide_function divide = nullptr;                          // null: the plan is not cut
  bool divides_one = false;                                  // true: the plan is cut even if there is only one device
  bool is_partial_run = false;                               // true: between the calls of the run, others may assign variables
  bool shows_nodes = false;             // true: the run is traced or measured, so each of its nodes must be in the plan
  bool is_explained = false;            // true: passes note the reasons of their decisions; the plan is not kept
  bool is_never_run = false;            // true: the plan only describes its parts, or is only explained; devices get no constants
  const run_options* limits = nullptr;  // what ends the wait for a plan from elsewhere; null: nothing
};

// Makes a plan: prunes the graph, runs the passes, orders the nodes and lays out the plan. Locks the graph while it reads the
// graph, but not while a pass executes nodes.
result<std::shared_ptr<const plan>> make_plan(const graph& g, const plan_request& request);

// A draft after all steps of make_plan except the last. make_draft makes it, for code that needs the draft but no plan. `is_cut`:
// the draft is for parts, each of which keeps its own values. `lock` holds the graph's mutex before and after the call, but not
// while a pass executes nodes.
struct finished_draft {
  draft nodes;
  std::vector<pass_report> passes;
  bool lacks_groups = false;
};
error make_draft(const graph_state& g, const plan_request& request, bool is_cut, threading::unique_lock<threading::mutex>& lock,
                 finished_draft& drafted);

// Lays out a plan, which is the last step. Precondition: every node of the draft has its device, and the graph is locked.
result<std::shared_ptr<plan>> lay_out(const graph_state& g, const plan_request& request, const draft& d,
                                      std::vector<pass_report> passes);

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/planning/impl/plan.hpp>
#endif
