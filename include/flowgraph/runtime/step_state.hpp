#pragma once
// The state of a prepared step: its schedules, one per recent set of feed shapes, or a runner with a ready queue.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/schedule/root_schedule.hpp>

#include <atomic>
#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct step_state {
  step_state(std::shared_ptr<session_state> s, std::shared_ptr<detail::planned> p);
  step_state(const step_state&) = delete;
  ~step_state();

  // Prepares the schedule for feeds of these shapes, some of which may be unknown. If no schedule is possible, the error says why.
  error prepare(sequence<shape> feed_shapes);
  step_report report() const;
  static error moved() { return error(error_code::failed_precondition, "the step has been moved from"); }
  error run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched, const run_options* options);

  std::shared_ptr<session_state> session;
  std::shared_ptr<detail::planned> planned;
  sequence<std::unique_ptr<root_schedule>> schedules;  // latest used first
  std::shared_ptr<plan_runner> runs;                   // for plans that need the ready queue
  const char* queued = nullptr;                        // why the ready queue is needed
  std::atomic<bool> is_running{false};                 // set before the step checks whether the session is closed
  // For steps without types: the feeds of the run, and its results until the run has succeeded.
  sequence<const any_tensor*> given;
  sequence<any_tensor> kept;
  std::unique_ptr<step_state> ungrouped;  // for traced and measured runs, if the plan has groups

private:
  error run_now(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched, const run_options* options);
  error run_queued(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched, const run_options* options);
  // Prepares `ungrouped`.
  error find_ungrouped(std::span<const any_tensor* const> feeds);
  error check_feeds(std::span<const any_tensor* const> feeds) const;
};

}  // namespace flowgraph::detail
