#pragma once
// Training that goes on by itself when tasks of its cluster are lost: it waits until they are there again, and goes back to the latest
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
// Where the samples depend on progress(), or on what a checkpoint has, the training ends with the bits of one without losses. The loop trains
// its session alone: steps of other threads would not go back.

#include <flowgraph/train/checkpoint_hook.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A loss, or that the training is back after it.
struct training_recovery {
  error why;                            // the loss: its code is `unavailable`
  std::int64_t lost_step = 0;           // so many steps were done when it was seen
  bool is_back = false;                 // false: the tasks are waited for from now on
  std::int64_t step = 0;                // once it is back: so many steps of the checkpoint are done
  std::int64_t tries = 0;               // and so many tries to go back were needed
  std::chrono::nanoseconds after = {};  // and so much time
};

// As a line of text: "the training continues from step 50, after 3 tries and 1.2 s".
std::string to_string(const training_recovery& r);
// Writes that line to the standard error.
void print_recovery(const training_recovery& r);

struct recovery_options {
  // The training ends, with the error of the loss, where it has not got beyond the step of a loss so long after that loss. Longer than the time
  // between two checkpoints.
  std::chrono::nanoseconds patience = std::chrono::minutes(30);
  // How long it waits before it tries to go back; each wait until there is progress is twice as long as the one before.
  std::chrono::nanoseconds first_wait = std::chrono::milliseconds(100);
  // But no longer than this.
  std::chrono::nanoseconds longest_wait = std::chrono::seconds(5);
  // Hears of each loss, and when the training is back. Called by the thread of the loop.
  std::function<void(const training_recovery&)> on_recovery = {};
};

// Brings a training back to its latest checkpoint after an error `unavailable` of a step, a checkpoint or another hook. Saves a first checkpoint
// where there is none. Every other error ends the training, and so do the loop's stop token and deadline, also while tasks are waited for.
class recovery_hook final : public training_hook {
public:
  // `checkpoints` is a hook of the same loop, and outlives this one.
  explicit recovery_hook(checkpoint_hook& checkpoints, recovery_options options = {});

  // How often it has brought the training back.
  std::int64_t recoveries() const noexcept { return recoveries_; }

private:
  FLOWGRAPH_INLINE result<void> begin(training_loop& loop) override;
  FLOWGRAPH_INLINE result<bool> recover(training_loop& loop, const error& why) override;

  error wait(const training_loop& loop);
  void tell(const training_recovery& r) const;

  checkpoint_hook* checkpoints_;
  recovery_options options_;
  std::int64_t furthest_ = -1;                   // the step of the latest loss that came after progress
  std::chrono::steady_clock::time_point since_;  // when that was
  std::chrono::nanoseconds next_wait_ = {};
  std::int64_t recoveries_ = 0;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/recovery_hook.hpp>
#endif
