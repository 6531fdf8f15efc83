#pragma once
// Training that survives the loss of cluster tasks: a hook waits until the tasks are available again, and restores the latest
// checkpoint.
//
//     fg::checkpoint_hook checkpoints(g, {.directory = "checkpoints", .every_steps = 1000});
//     fg::recovery_hook recovery(checkpoints, {.on_recovery = fg::print_recovery});
//     fg::session s{g, fg::tcp::connect(address)};
//     s.initialize();
//     fg::training_loop loop(s, {.steps = 20000});
//     loop.add(checkpoints).add(recovery);
//     loop.run([&](const fg::training_progress& now) { return step(images(now.step), labels(now.step)).scalar(); });
//
// If the samples depend only on progress() or on state in the checkpoint, the result is bit-identical to the result of a training
// in which no task failed. Only the loop may train with its session, because steps of other threads would not be repeated.

#include <flowgraph/train/checkpoint_hook.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A report that a task was lost, or that the training has recovered from the loss of a task.
struct training_recovery {
  error why;                            // the error that reported the lost task; its code is `unavailable`
  std::int64_t lost_step = 0;           // number of completed steps when the loss was detected
  bool is_back = false;                 // false: the loop begins to wait for the tasks; true: the training has recovered
  std::int64_t step = 0;                // number of completed steps in the restored checkpoint, after recovery
  std::int64_t tries = 0;               // number of attempts that recovery needed
  std::chrono::nanoseconds after = {};  // time that recovery needed
};

// Returns a line of text: "the training continues from step 50, after 3 tries and 1.2 s".
std::string to_string(const training_recovery& r);
// Writes that line to the standard error output.
void print_recovery(const training_recovery& r);

// Options of a recovery_hook.
struct recovery_options {
  // Time after the loss of a task within which the training must get beyond the step at which the task was lost. Otherwise the
  // training ends with the error of the loss. The time must be longer than the time between two checkpoints.
  std::chrono::nanoseconds patience = std::chrono::minutes(30);
  // Time to wait before the first attempt to recover. Until there is progress, each further wait is twice as long as the previous
  // wait.
  std::chrono::nanoseconds first_wait = std::chrono::milliseconds(100);
  // Upper limit of these waits.
  std::chrono::nanoseconds longest_wait = std::chrono::seconds(5);
  // Called by the thread of the loop, for each loss of a task and for each recovery.
  std::function<void(const training_recovery&)> on_recovery = {};
};

// A hook that restores the latest checkpoint if a step, a checkpoint or another hook fails with the error `unavailable`. If there
// is no checkpoint at the beginning, the hook saves a checkpoint. Other errors end the training. The loop's stop token and
// deadline also end it, even while the hook waits for tasks.
class recovery_hook final : public training_hook {
public:
  // `checkpoints` is a hook of the same loop, and must outlive this hook.
  explicit recovery_hook(checkpoint_hook& checkpoints, recovery_options options = {});

  // Returns the number of recoveries.
  std::int64_t recoveries() const noexcept { return recoveries_; }

private:
  FLOWGRAPH_INLINE result<void> begin(training_loop& loop) override;
  FLOWGRAPH_INLINE result<bool> recover(training_loop& loop, const error& why) override;

  error wait(const training_loop& loop);
  void tell(const training_recovery& r) const;

  checkpoint_hook* checkpoints_;
  recovery_options options_;
  std::int64_t furthest_ = -1;                   // the step of the latest loss that followed progress
  std::chrono::steady_clock::time_point since_;  // the time of that loss
  std::chrono::nanoseconds next_wait_ = {};
  std::int64_t recoveries_ = 0;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/recovery_hook.hpp>
#endif
