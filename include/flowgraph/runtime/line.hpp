#pragma once
// The straight line of a prepared step for feeds of given shapes: every call laid out, every tensor in its place in one arena.

#include <flowgraph/runtime/call.hpp>
#include <flowgraph/runtime/session_state.hpp>

#include <deque>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class flow_line;

class line {
public:
  // Fails with unimplemented where the plan needs the ready queue.
  static result<std::unique_ptr<line>> make(session_state& session, const planned& p, std::vector<shape> feed_shapes);

  std::span<const shape> feed_shapes() const noexcept { return feed_shapes_; }
  std::uint64_t generation() const noexcept { return generation_; }
  step_report report() const;

  error run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched, const run_options* options);

private:
  friend class explainer;
  friend class line_builder;
  friend class line_variables;

  // One stop on the walk: a kernel, or taking and dropping the count of a variable's tensor.
  struct entry {
    op_table::kernel_function run;
    const void* op;
    kernel_call call;
  };
  // A variable's tensor, counted from its first reading to its last before the next write.
  struct pin {
    variable_state* variable;
    edge_value* cell;
    flowgraph::shape planned;
    const node* named;  // the variable, and who reads it
    const node* reader;
    std::vector<any_tensor*> shown;  // the same elements under other names
    bool reshaped;                   // the cell shows them in this shape
    flowgraph::shape shown_as;
  };
  // A slot that shows what a kernel with memory of its own has put into another.
  struct shown {
    const any_tensor* from;
    any_tensor* to;
    flowgraph::shape shape;  // unknown: that of `from`
  };
  // A set of variables, and where its members are shown: pointed in each run at the version that the run has taken.
  struct set_view {
    resource counted;
    variable_set_state* set;
    std::vector<std::pair<any_tensor*, std::uint32_t>> shown;  // with its place in the set
  };
  // A record whose shapes only the run tells.
  struct dynamic_record {
    line* owner;
    std::uint32_t record;
  };
  // An output handed to the caller: two buffers in turn, and the slots that show the same memory.
  struct handed_out {
    std::size_t bytes = 0;
    buffer_ref current, spare;
    std::vector<std::uint32_t> slots;
  };
  // The slots that show a feed: its own and those of ops that only reshape it.
  struct fed_slots {
    std::vector<std::uint32_t> slots;
  };
  enum class fetch_source : std::uint8_t { handed_out, slot, read, constant, feed, variable, member };
  struct fetch_place {
    fetch_source from;
    std::uint32_t index;
    flowgraph::shape shape;
    std::size_t copied = 0;  // bytes, in the latest run
  };

  line(session_state& session, const planned& p)
      : session_(session), plan_(*p.plan), frame_(*p.plan), services_(session.services) {
    services_.stopping = &stopping_;
    services_.pins = &set_pins_;
  }

  static void take_pin(const void* op, kernel_call& call);
  static void drop_pin(const void* op, kernel_call& call);
  static void show(const void* op, kernel_call& call);
  static void run_dynamic(const void* op, kernel_call& call);
  error turn(handed_out& h);
  error blame(const entry& e);
  void leave();

  session_state& session_;
  const plan& plan_;
  std::vector<shape> feed_shapes_;
  std::uint64_t generation_ = 0;
  call_frame frame_;  // for dynamic records
  run_services services_;
  std::atomic<bool> stopping_{false};
  error failure_;

  any_tensor arena_;
  std::vector<slot> slots_;
  std::vector<edge_value> cells_;   // of pins
  std::deque<edge_value> members_;  // of pins whose variables belong to sets
  std::vector<set_view> sets_;
  set_pins set_pins_{false};
  std::vector<const edge_value*> inputs_;
  std::vector<edge_value*> outputs_;
  std::vector<entry> entries_;
  std::vector<pin> pins_;
  std::vector<shown> shows_;
  std::vector<dynamic_record> dynamic_;
  std::vector<std::uint32_t> released_;  // slots that hold counted tensors during a run
  std::vector<handed_out> handed_;
  std::vector<fed_slots> fed_;
  std::vector<fetch_place> fetches_;
  std::vector<resource> bound_;                                    // keeps the variables alive that the line points at
  std::vector<std::pair<std::uint32_t, random_counter*>> random_;  // entries that draw, and their counters
  std::vector<std::uint32_t> folded_;                              // records whose outputs are constants of the line
  step_report report_{};
};

struct step_state {
  step_state(std::shared_ptr<session_state> s, std::shared_ptr<detail::planned> p)
      : session(std::move(s)), planned(std::move(p)) {}
  ~step_state();

  // Lays out the schedule for feeds of these shapes, of which some may be unknown; the error says why there can be none.
  error prepare(std::vector<shape> feed_shapes);
  step_report report() const;
  error run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched, const run_options* options);

  std::shared_ptr<session_state> session;
  std::shared_ptr<detail::planned> planned;
  std::vector<std::unique_ptr<line>> lines;  // latest used first
  std::shared_ptr<flow_line> flow;           // for plans with branches or loops
  std::shared_ptr<executor> runs;            // for plans that need the ready queue
  const char* queued = nullptr;              // why they do
  std::vector<const any_tensor*> given;      // the feeds of the run, where they come untyped
};

}  // namespace detail

}
}  // namespace flowgraph
