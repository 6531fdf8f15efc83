#pragma once
// The schedule of a prepared step for feeds with known shapes: all calls are prepared, and all tensors have fixed positions in
// arenas, one per kind of memory.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/queue/call.hpp>
#include <flowgraph/runtime/schedule/detail/scalar_functions.hpp>
#include <flowgraph/runtime/schedule/root_schedule.hpp>

#include <list>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class arena_schedule final : public root_schedule {
public:
  static result<std::unique_ptr<root_schedule>> make(session_state& session, const planned& p, sequence<shape> feed_shapes);

  FLOWGRAPH_INLINE bool fits(std::span<const any_tensor* const> feeds) const override;
  FLOWGRAPH_INLINE bool is_outdated() const override;
  FLOWGRAPH_INLINE void describe(step_report& report) const override;

private:
  friend class explainer;
  friend class arena_schedule_builder;
  friend class arena_variables;

  // A reference to the tensor of a variable, held from its first read to the last read before the next write.
  struct pin {
    variable_state* variable;
    edge_value* cell;
    flowgraph::shape planned;
    std::string named;  // the variable, and the first node that reads it
    const call_site* reader;
    sequence<any_tensor*> shown;  // aliases of the same elements
    bool reshaped;                // true: the cell has this shape instead
    flowgraph::shape shown_as;
  };
  // A slot that refers to the output of a kernel which allocates its own memory.
  struct shown {
    const any_tensor* from;
    any_tensor* to;
    flowgraph::shape shape;  // unknown: the shape of `from`
  };
  // A set of variables, and the slots of its members. In each run the slots are set to the version that the run reads.
  struct set_view {
    resource counted;
    variable_set_state* set;
    sequence<std::pair<any_tensor*, std::uint32_t>> shown;  // with its index in the set
  };
  // A record whose shapes are known only in the run.
  struct dynamic_record {
    arena_schedule* owner;
    std::uint32_t record;
  };
  // A call of a kernel that makes outputs in shapes of its own, although its rule knows the shapes.
  struct unsized_call {
    const plan_record* record;
    sequence<flowgraph::shape> promised;  // empty if the outputs are only fetched
  };
  // Consecutive entries of arithmetic on numbers at fixed positions. A run that nothing watches calls their functions instead of
  // their kernels.
  struct scalar_range {
    std::size_t first, last;  // entries
  };
  // An output that is returned to the caller: two alternating buffers, and the slots that refer to the same memory.
  struct returned_buffer {
    std::size_t bytes = 0;
    std::pmr::memory_resource* memory = nullptr;
    buffer_ref current, spare;
    sequence<std::uint32_t> slots;
  };
  enum class fetch_source : std::uint8_t { returned_buffer, slot, read, constant, feed, variable, member };
  struct fetch_place {
    fetch_source from;
    std::uint32_t index;
    flowgraph::shape shape;
    std::size_t copied = 0;  // bytes copied in the latest run
  };

  arena_schedule(session_state& session, const planned& p)
      : root_schedule(session, *p.plan), planned_(p), frame_(*p.plan), calls_(*p.plan, services_) {
    calls_.kind_of = &kind_of;
  }

  FLOWGRAPH_INLINE error begin(std::span<const any_tensor* const> feeds) override;
  FLOWGRAPH_INLINE error walk(const run_options* watched) override;
  FLOWGRAPH_INLINE error fetch(std::size_t i, std::span<const any_tensor* const> feeds, any_tensor& value) override;
  FLOWGRAPH_INLINE void end(bool failed) override;

  // The functions of schedule entries.
  static void take_pin(const void* op, kernel_call& call);
  static void drop_pin(const void* op, kernel_call& call);
  static void show(const void* op, kernel_call& call);
  static void run_dynamic(const void* op, kernel_call& call);
  static void run_unsized(const void* op, kernel_call& call);
  static trace_kind kind_of(const schedule_entry& e) {
    return e.run == &take_pin || e.run == &drop_pin || e.run == &show ? trace_kind::nothing : trace_kind::kernel;
  }
  error provide_buffer(returned_buffer& h);

  const planned& planned_;
  sequence<shape> feed_shapes_;
  static constexpr std::uint64_t never_valid = static_cast<std::uint64_t>(-1);
  std::uint64_t generation_ = 0;  // of the session's resources when the schedule was made
  call_frame frame_;              // frame for dynamic records
  schedule calls_;

  std::vector<any_tensor> arenas_;  // the session's memory first, then the memories of devices
  sequence<slot> slots_;
  sequence<const edge_value*> inputs_;
  sequence<edge_value*> outputs_;
  // The variables that the schedule reads.
  struct variables_read {
    sequence<pin> pins;
    sequence<edge_value> cells;     // values of pins
    std::list<edge_value> members;  // values of pins whose variables belong to sets
    sequence<set_view> sets;
  };
  variables_read variables_;
  sequence<shown> shows_;
  sequence<dynamic_record> dynamic_;
  std::list<unsized_call> unsized_;
  sequence<scalar_range> scalar_ranges_;
  sequence<scalar_step> scalar_steps_;  // of all ranges
  sequence<std::uint32_t> released_;    // slots that hold reference-counted tensors during a run
  sequence<returned_buffer> returned_;
  sequence<sequence<std::uint32_t>> fed_;  // by feed: its own slot, and those of ops that only reshape it
  sequence<fetch_place> fetches_;
  sequence<resource> bound_;        // keeps the variables alive that the schedule points to
  sequence<std::uint32_t> folded_;  // records whose outputs are constants of the schedule
  // The figures that step_report contains.
  struct {
    std::size_t nodes = 0, dynamic_nodes = 0, buffers = 0, bytes = 0, live_bytes = 0;
    std::size_t folded = 0, too_large = 0;  // numbers of nodes, for the shapes of its feeds
  } account_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/arena_schedule.hpp>
#endif
