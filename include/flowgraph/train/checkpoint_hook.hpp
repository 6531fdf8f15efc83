#pragma once
// Checkpoints of a training_loop: it saves while it trains, and goes on where an earlier program was stopped.
//
//     fg::checkpoint_hook checkpoints(g, {.directory = "checkpoints", .every_steps = 1000});     // after all variables and optimizers
//     fg::session s{g};
//     s.initialize();
//     fg::training_loop loop(s, {.steps = 20000});
//     loop.add(checkpoints);
//
// A checkpoint has the variables, what else the session holds (train/saver.hpp), the place in the training, and the state of all hooks. It
// is made between two steps, or not at all: an error or an exception leaves the last one as it is.

#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/train/saver.hpp>
#include <flowgraph/train/training_loop.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// When a training saves, besides what saver_options::every_steps and every say.
struct checkpoint_times {
  bool each_epoch = false;
  bool at_end = true;  // and where it is asked to stop
};

// Restores the latest checkpoint before a training begins, and saves while it goes on. The place in the training is in a variable of strings,
// "training_loop/state".
class checkpoint_hook final : public training_hook {
public:
  checkpoint_hook(const graph& g, saver_options options, const checkpoint_times& times = {});

  // What saves, for checkpoints by hand.
  flowgraph::saver& saver() noexcept { return saver_; }
  // Saves now: for steps and hooks that have their own reason. Of a loop that stands between two steps.
  result<std::string> save(training_loop& loop);
  // Brings the loop and its session to the latest checkpoint: whether there is a checkpoint.
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

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/checkpoint_hook.hpp>
#endif
