#pragma once
// Hooks of a training_loop: progress output, summaries, and early stopping.
//
//     fg::progress_hook progress({.samples_per_step = 32});
//     fg::summary_hook summaries(writer, {.every_steps = 50});               // a fg::event_writer, for TensorBoard
//     fg::stop_early patience([&] { return judge(held_out).scalar(); }, {.patience = 5});
//     loop.add(progress).add(summaries).add(patience);
//
// Checkpoints are in train/checkpoint_hook.hpp, and learning-rate schedules in train/rate_schedule_hook.hpp.

#include <flowgraph/train/training_loop.hpp>

#include <cstdio>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct watched_value {
  std::string name;
  unique_function<result<float>()> value;
};

}  // namespace detail

// The form in which progress is shown. `automatic`: if the output file is a terminal, one line that is rewritten, otherwise
// separate lines.
enum class progress_form : std::uint8_t { automatic, one_line, lines };

// Options of a progress_hook.
struct progress_options {
  std::int64_t samples_per_step = 0;              // samples per step; 0: the output counts steps instead of samples
  double seconds = 2;                             // seconds between two lines; a rewritten line is updated five times per second
  std::FILE* to = stdout;                         // the output file
  progress_form form = progress_form::automatic;  // a single rewritten line, or separate lines
};

// A hook that prints the training progress: steps, loss, samples per second and remaining time.
//
//     step 1200/15000  epoch 3  loss 0.1234  5321 samples/s  0:41 left
class progress_hook final : public training_hook {
public:
  explicit progress_hook(const progress_options& options = {}) : options_(options) {}

  // Adds the result of a function to the output: progress.watch("accuracy", [&] { return ...; }).
  progress_hook& watch(std::string name, unique_function<result<float>()> value);

private:
  FLOWGRAPH_INLINE result<void> begin(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> after_step(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> end(training_loop& loop, const error& why) override;

  result<void> show(const training_progress& now);

  progress_options options_;
  std::vector<detail::watched_value> watched_;
  bool is_rewritten_ = false;
  std::int64_t shown_at_ = 0, shown_step_ = 0;  // time of the last output, in nanoseconds, and its step
  double rate_ = 0;                             // recent steps per second
  double losses_ = 0;                           // sum of the losses since the last output
};

// Options of a summary_hook.
struct summary_hook_options {
  std::int64_t every_steps = 1;  // number of steps between two summaries
  std::string tag = "loss";      // tag of the loss
};

// A hook that writes the loss of steps, and other numbers, to a writer that has a member add(tag, float, step), such as
// fg::event_writer.
class summary_hook final : public training_hook {
public:
  // The writer must outlive the hook. If the writer has a member resume_at(step), the hook calls it when the training resumes
  // from a checkpoint. If the writer has a member flush(), the hook calls it at the end of the training.
  template <class Writer>
  explicit summary_hook(Writer& writer, summary_hook_options options = {})
      : options_(std::move(options)), writer_(&writer), calls_(&calls_to<Writer>) {}

  // Also writes the result of a function: summaries.watch("rate", [&] { return ...; }).
  summary_hook& watch(std::string tag, unique_function<result<float>()> value);

private:
  FLOWGRAPH_INLINE result<void> begin(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> after_step(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> end(training_loop& loop, const error& why) override;

  struct calls {
    result<void> (*add)(void* writer, std::string_view tag, float value, std::int64_t step);
    result<void> (*resume_at)(void* writer, std::int64_t step);
    result<void> (*flush)(void* writer);
  };
  template <class Writer>
  static constexpr calls calls_to = {[](void* writer, std::string_view tag, float value, std::int64_t step) -> result<void> {
                                       return static_cast<Writer*>(writer)->add(tag, value, step);
                                     },
                                     [](void* writer, std::int64_t step) -> result<void> {
                                       if constexpr (requires(Writer& w) { w.resume_at(step); })
                                         return static_cast<Writer*>(writer)->resume_at(step);
                                       else return static_cast<void>(writer), static_cast<void>(step), result<void>();
                                     },
                                     [](void* writer) -> result<void> {
                                       if constexpr (requires(Writer& w) { w.flush(); })
                                         return static_cast<Writer*>(writer)->flush();
                                       else return static_cast<void>(writer), result<void>();
                                     }};

  summary_hook_options options_;
  void* writer_;
  const calls* calls_;
  bool has_begun_ = false;
  std::vector<detail::watched_value> watched_;
};

// Options of a stop_early hook.
struct stop_early_options {
  std::int64_t every_steps = 0;   // number of steps between two checks of the value; 0: one check per epoch
  std::int64_t patience = 3;      // number of checks without a better value after which the training ends
  double min_change = 0;          // smallest change that counts as an improvement
  bool larger_is_better = false;  // true: larger values are better, for example an accuracy
};

// A hook that ends the training when its loss, or a different value, no longer improves. Checkpoints of a checkpoint_hook contain
// the state of this hook.
class stop_early final : public training_hook {
public:
  // Checks the mean loss of the steps since the last check.
  explicit stop_early(const stop_early_options& options = {}) : options_(options) {}
  // Checks the value that the function returns, such as the loss of held-out data.
  stop_early(unique_function<result<float>()> value, const stop_early_options& options = {})
      : options_(options), value_(std::move(value)) {}

  // Returns the best value so far; NaN before the first check.
  double best() const noexcept { return best_; }
  // Returns the step after which the best value was found.
  std::int64_t best_step() const noexcept { return best_step_; }

private:
  FLOWGRAPH_INLINE result<void> begin(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> after_step(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> after_epoch(training_loop& loop) override;
  std::string_view name() const override { return "stop_early"; }
  FLOWGRAPH_INLINE std::string state() const override;
  FLOWGRAPH_INLINE result<void> set_state(std::string_view text) override;

  result<void> look(training_loop& loop);

  stop_early_options options_;
  unique_function<result<float>()> value_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t best_step_ = 0, waited_ = 0;
  double losses_ = 0;  // sum of the losses since the last check
  std::int64_t steps_ = 0;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/training_hooks.hpp>
#endif
