#pragma once
// A schedule: the calls of a run in order, each prepared once. The root of a prepared step has a schedule, and so has the body of
// a loop. Values are in an arena if all shapes are known (arena_schedule.hpp), or in slots that own them (owned_schedule.hpp).

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/device_services.hpp>
#include <flowgraph/runtime/queue/frame.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/tracing/run_trace.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// One call. If shapes and memory are fixed, `run` is the kernel itself. Otherwise it is a function of the schedule, which checks
// first, or which does the work of a node without a kernel: decides, selects, runs a loop, or reads a variable.
struct schedule_entry {
  kernel_entry::run_function run;
  const void* op;  // the attributes of the kernel, or the data of the function
  kernel_call call;
};
static_assert(sizeof(void*) != 8 || sizeof(schedule_entry) <= 112, "a prepared step walks these entries: keep them small");

// The entries, and the function that executes them. Only one thread at a time may use it.
class schedule {
public:
  schedule(const plan& p, const run_services& services) : plan_(p), services_(services) {}
  schedule(const schedule&) = delete;
  schedule& operator=(const schedule&) = delete;

  // Returns a call for a node, to be completed by the caller.
  kernel_call call_at(const call_site* n) {
    kernel_call call;
    call.at = n;
    call.run = &services_;
    call.failure = &failure;
    return call;
  }
  kernel_call call_of(const plan_record& r) {
    kernel_call call = call_at(r.site);
    call.run = &services_of(r, services_);
    return call;
  }
  // Registers that the next entry draws random numbers.
  void number_next(std::uint32_t ordinal) { random.push_back({static_cast<std::uint32_t>(entries.size()), ordinal}); }
  // Sets the random numbers of this run for the entries that draw.
  void number(const random_ordinal* ordinals) {
    for (const auto& [entry, ordinal] : random) number_random(entries[entry].call, ordinals[ordinal], 0);
  }
  // Executes the entries [first, last). `watched`: null if nothing can end the run early and it is not traced. Returns false
  // after an error; `failure` contains the error and its node.
  bool walk(std::size_t first, std::size_t last, const run_options* watched);
  const plan& planned() const noexcept { return plan_; }
  error take_failure() { return std::exchange(failure, {}); }
  // Records the error of a node of this schedule. Returns false.
  FLOWGRAPH_COLD bool fail(const call_site& n, const error& why) {
    failure = name_failure(plan_, why, n, at);
    return false;
  }

  // Returns, for traces, the kind of an entry, which may be trace_kind::nothing. Null: all entries are kernels.
  trace_kind (*kind_of)(const schedule_entry& e) = nullptr;
  sequence<schedule_entry> entries;
  sequence<std::pair<std::uint32_t, std::uint32_t>> random;  // entries that draw, and their ordinals
  iteration at;                                              // the current iteration; that of the root has no frame
  error failure;

private:
  const plan& plan_;
  const run_services& services_;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/schedule.hpp>
#endif
