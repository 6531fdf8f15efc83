#pragma once
// The base class of the schedules of prepared steps. It defines the sequence of a run.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/variable_set.hpp>
#include <flowgraph/runtime/schedule/body_layout.hpp>
#include <flowgraph/runtime/schedule/schedule.hpp>
#include <flowgraph/runtime/session_state.hpp>
#include <flowgraph/runtime/step.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Only one thread at a time may use a schedule.
class root_schedule {
public:
  virtual ~root_schedule() = default;

  error run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched, const run_options* options);

  // Returns whether the schedule is valid for feeds of these types and shapes, and for the session's current resources.
  virtual bool fits(std::span<const any_tensor* const> feeds) const = 0;
  // Returns whether the schedule is never valid again: resources of the session were cleared, or a variable changed its shape.
  virtual bool is_outdated() const { return false; }
  virtual void describe(step_report& report) const = 0;  // the reports of the passes are already in it
  // Returns the steps if values own their slots; null if they are in an arena.
  virtual const body_plan* body() const noexcept { return nullptr; }
  // Returns the layout of these steps; null if all values own their slots.
  virtual const body_layout* layout() const noexcept { return nullptr; }

protected:
  root_schedule(session_state& session, const plan& p);

  // The phases of a run, in this order. `end` is also called if an earlier phase failed.
  virtual error begin(std::span<const any_tensor* const> feeds) = 0;
  virtual error walk(const run_options* watched) = 0;
  virtual error fetch(std::size_t i, std::span<const any_tensor* const> feeds, any_tensor& value) = 0;
  virtual void end(bool failed) = 0;

  // Returns an arena in this memory, filled with zeros if it is that of the session.
  result<any_tensor> allocate_arena(std::size_t bytes, std::pmr::memory_resource* memory) const;
  // Returns the error of a step that does not get this memory.
  error no_memory(std::size_t bytes, std::string_view what, const std::pmr::memory_resource* memory) const;

  session_state& session_;
  const plan& plan_;
  run_services services_;
  device_services devices_;
  set_pins pins_of_run_{false};        // the versions of sets of variables
  sequence<random_ordinal> ordinals_;  // ordinals of the run in progress

private:
  std::atomic<bool> stopping_{false};
  sequence<random_counter*> counters_;  // counters, by ordinal
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/root_schedule.hpp>
#endif
