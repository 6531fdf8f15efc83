#pragma once
// Checkpoints of a training_loop. A hook saves them during the training, and continues where an earlier program stopped.
//
//     fg::checkpoint_hook checkpoints(g, {.directory = "checkpoints", .every_steps = 1000});     // after all variables and optimizers
//     fg::session s{g};
//     s.initialize();
//     fg::training_loop loop(s, {.steps = 20000});
//     loop.add(checkpoints);
//
// A checkpoint contains the variables, the other state of the session (train/saver.hpp), the position in the training, and the
// state of all hooks. It is written between two steps. After an error or an exception, the previous checkpoint is unchanged.

#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/train/saver.hpp>
#include <flowgraph/train/training_loop.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The times when a training saves checkpoints, in addition to those of saver_options::every_steps and saver_options::every.
struct checkpoint_times {
  bool each_epoch = false;  // true: saves after each epoch
  bool at_end = true;       // true: saves at the end, even if the training is stopped
};

// A hook that restores the latest checkpoint before the training begins, and saves checkpoints during the training. The position
// in the training is saved in the string variable "training_loop/state".
class checkpoint_hook final : public training_hook {
public:
  checkpoint_hook(const graph& g, saver_options options, const checkpoint_times& times = {});

  // Returns the saver. Use it to save checkpoints yourself.
  flowgraph::saver& saver() noexcept { return saver_; }
  // Saves a checkpoint now, and returns its prefix. Use it in steps and hooks that decide themselves when to save. Precondition:
  // the loop is between two steps.
  result<std::string> save(training_loop& loop);
  // Restores the loop and its session from the latest checkpoint. Returns false if there is no checkpoint.
  result<bool> restore(training_loop& loop);

private:
  FLOWGRAPH_INLINE result<void> resume(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> begin(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> between_steps(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> end(training_loop& loop, const error& why) override;

  variable<std::string> state_;
  flowgraph::saver saver_;
  checkpoint_times times_;
  std::int64_t saved_step_ = 0;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/checkpoint_hook.hpp>
#endif
