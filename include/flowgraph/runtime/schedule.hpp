#pragma once
// A schedule: the calls of a run in the order in which they come, each laid out once. The root of a prepared step is one, and so is
// the body of a loop. They differ in where values lie: in an arena, where all shapes are known (arena_schedule.hpp), or in places
// that own them (owned_schedule.hpp).

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/device_services.hpp>
#include <flowgraph/runtime/frame.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/tracing/run_trace.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// One call. Where shapes and places are proven, `run` is the kernel itself; else a function of the schedule, which checks first,
// or which does what no kernel does: decides, selects, runs a loop, reads a variable.
struct schedule_entry {
  op_table::kernel_function run;
  const void* op;  // the attributes of the kernel, or what the function works on
  kernel_call call;
};
static_assert(sizeof(void*) != 8 || sizeof(schedule_entry) <= 112, "a prepared step walks these entries: keep them small");

// The entries and the walk over them. Used by one thread at a time.
class schedule {
public:
  schedule(const plan& p, const run_services& services) : plan_(p), services_(services) {}
  schedule(const schedule&) = delete;
  schedule& operator=(const schedule&) = delete;

  // A call for a node, to be filled.
  kernel_call call_at(const call_site* n) {
    kernel_call made;
    made.at = n;
    made.run = &services_;
    made.failure = &failure;
    return made;
  }
  kernel_call call_of(const plan_record& r) {
    kernel_call made = call_at(r.site);
    made.run = &services_of(r, services_);
    return made;
  }
  // The entry that comes next draws random numbers.
  void number_next(std::uint32_t ordinal) { random.push_back({static_cast<std::uint32_t>(entries.size()), ordinal}); }
  // Gives those entries their numbers of this run.
  void number(const random_ordinal* ordinals) {
    for (const auto& [entry, ordinal] : random) number_random(entries[entry].call, ordinals[ordinal], 0);
  }
  // Runs entries [first, last). `watched`: null where nothing can end the run early and nobody traces it. False: `failure` says why, and at which node.
  bool walk(std::size_t first, std::size_t last, const run_options* watched);
  const plan& planned() const noexcept { return plan_; }
  error take_failure() { return std::exchange(failure, {}); }
  // The failure of a node of this schedule. Returns false.
  FLOWGRAPH_COLD bool fail(const call_site& n, const error& why) {
    failure = name_failure(plan_, why, n, at);
    return false;
  }

  // For traces: what an entry is, which may be nothing to speak of; null: a kernel.
  trace_kind (*kind_of)(const schedule_entry& e) = nullptr;
  sequence<schedule_entry> entries;
  sequence<std::pair<std::uint32_t, std::uint32_t>> random;  // entries that draw, and their ordinals
  iteration at;                                              // that the walk is in; the root's has no frame
  error failure;

private:
  const plan& plan_;
  const run_services& services_;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/schedule.hpp>
#endif
