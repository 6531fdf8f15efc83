#pragma once
// Runs the records of control flow in a run by the ready queue: Switch, Merge, loops, and nodes whose inputs are dead.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/variable_set.hpp>
#include <flowgraph/runtime/queue/frame.hpp>
#include <flowgraph/runtime/schedule/owned_schedule.hpp>

#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class executor;

// The part of an executor for control flow. It exists if the plan has control flow. The other functions of executors only call these
// functions, so programs without control flow do not link their bodies.
class flow_runner {
public:
  virtual ~flow_runner() = default;
  // Called when a run starts. `options`: null if nothing can end the run early.
  virtual void watch(const run_options* options) noexcept = 0;
  // Runs a record without a kernel.
  virtual void run(std::uint32_t record, iteration& at, threading::unique_lock<threading::mutex>& baton) = 0;
  // Ends iterations that have nothing left to do, from the oldest on, then the frame, which may end an iteration of its parent.
  virtual void settle(iteration& at) = 0;
  // Handles a data edge that arrives at a Merge. Returns whether it decides the Merge.
  static bool choose(const plan& of, const consumer& c, progress& p, bool dead, const plan_record& from);
};

// Runs branches and loops. exchange_runner (parts/impl/exchange.hpp) also sends and receives.
class queue_flow_runner : public flow_runner {
public:
  explicit queue_flow_runner(executor& of);
  queue_flow_runner(const queue_flow_runner&) = delete;
  queue_flow_runner& operator=(const queue_flow_runner&) = delete;

  void watch(const run_options* options) noexcept final { setting_.watched = options; }
  FLOWGRAPH_INLINE void run(std::uint32_t record, iteration& at, threading::unique_lock<threading::mutex>& baton) override;
  FLOWGRAPH_INLINE void settle(iteration& at) final;

protected:
  void mark_outputs(const plan_record& r, iteration& at, slot::content state) const;
  const edge_value* moved_input(const plan_record& r, iteration& at, std::uint32_t k);
  void release_moved();

  executor& e_;
  const plan& plan_;

private:
  std::uint32_t constant_input(const plan_record& merge) const;
  bool pass(const plan_record& r, iteration& at, const progress& p, const edge_value* value);
  void enter(const plan_record& r, iteration& at, const edge_value* value);
  void enter_iteration(const plan_record& r, frame_instance& f, const edge_value* value);
  void leave(const plan_record& r, iteration& at, const edge_value* value);
  void next(const plan_record& r, iteration& at, const edge_value* value);
  void deliver(const plan_record& r, iteration& to, const edge_value* value);
  carried carry(const plan_record& r, const edge_value* value) const;
  iteration& open_iteration(frame_instance& f);
  bool close_iterations(frame_instance& f);

  // Loops that run as one record: impl/whole_loops.hpp
  void arrive(const plan_record& r, frame_instance& f, const edge_value* value);
  void run_loop(const plan_record& record, iteration& at, threading::unique_lock<threading::mutex>& baton);
  bool run_scheduled(owned_schedule& loop, iteration& at, threading::unique_lock<threading::mutex>& baton);
  void close_loop(frame_instance& f);

  edge_value moved_[2];  // values of variables that a record reads
  schedule_setting setting_;
  sequence<sequence<std::shared_ptr<owned_schedule>>> idle_;  // by plan::loops; the creator of one provides its deleter
};

}  // namespace flowgraph::detail
