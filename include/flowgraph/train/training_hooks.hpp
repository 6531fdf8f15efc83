#pragma once
// Hooks of a training_loop: progress, summaries, and an early end.
//
//     fg::progress_hook progress({.samples_per_step = 32});
//     fg::summary_hook summaries(writer, {.every_steps = 50});               // a fg::event_writer: TensorBoard shows it
//     fg::stop_early patience([&] { return judge(held_out).scalar(); }, {.patience = 5});
//     loop.add(progress).add(summaries).add(patience);
//
// Checkpoints are in train/checkpoint_hook.hpp, rates that fall in train/schedule_hook.hpp.

#include <flowgraph/train/training_loop.hpp>

#include <cstdio>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct watched_value {
  std::string name;
  unique_function<result<float>()> value;
};

}  // namespace detail

// How progress is shown: as a line that is rewritten where the file is a terminal, else as lines.
enum class progress_form : std::uint8_t { automatic, one_line, lines };

struct progress_options {
  std::int64_t samples_per_step = 0;              // 0: it tells of steps, not of samples
  double seconds = 2;                             // between two lines; a line that is rewritten changes five times a second
  std::FILE* to = stdout;                         // where it is written
  progress_form form = progress_form::automatic;  // one line or many
};

// Tells how far a training is: steps, loss, samples a second, time left.
//
//     step 1200/15000  epoch 3  loss 0.1234  5321 samples/s  0:41 left
class progress_hook final : public training_hook {
public:
  explicit progress_hook(const progress_options& options = {}) : options_(options) {}

  // Tells what a function gives, too: progress.watch("accuracy", [&] { return ...; }).
  progress_hook& watch(std::string name, unique_function<result<float>()> value);

private:
  FLOWGRAPH_INLINE result<void> begin(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> after_step(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> end(training_loop& loop, const error& why) override;

  result<void> show(const training_progress& now);

  progress_options options_;
  std::vector<detail::watched_value> watched_;
  bool is_rewritten_ = false;
  std::int64_t shown_at_ = 0, shown_step_ = 0;  // when, in nanoseconds, and of which step
  double rate_ = 0;                             // steps a second, lately
  double losses_ = 0;                           // since it was shown
};

struct summary_hook_options {
  std::int64_t every_steps = 1;  // writes after so many steps
  std::string tag = "loss";      // of the loss
};

// Writes the loss by step, and other numbers, with a writer that has add(tag, float, step): fg::event_writer.
class summary_hook final : public training_hook {
public:
  // The writer outlives the hook. Where it has resume_at(step), it is told of a training that goes on; where it has flush(), of the end.
  template <class Writer>
  explicit summary_hook(Writer& writer, summary_hook_options options = {})
      : options_(std::move(options)), writer_(&writer), calls_(&calls_to<Writer>) {}

  // Writes what a function gives, too: summaries.watch("rate", [&] { return ...; }).
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

struct stop_early_options {
  std::int64_t every_steps = 0;   // looks at the value so often; 0: after each epoch
  std::int64_t patience = 3;      // ends the training after so many looks without a better value
  double min_change = 0;          // a better value is better by more than this
  bool larger_is_better = false;  // as with an accuracy
};

// Ends a training whose loss does not fall any more, or another value that is asked for. What it has seen is saved with the training.
class stop_early final : public training_hook {
public:
  // Looks at the mean loss of the steps since the last look.
  explicit stop_early(const stop_early_options& options = {}) : options_(options) {}
  // Looks at this value, such as the loss of held-out data.
  stop_early(unique_function<result<float>()> value, const stop_early_options& options = {})
      : options_(options), value_(std::move(value)) {}

  // The best value that was seen; NaN before there is one.
  double best() const noexcept { return best_; }
  // After which step it was seen.
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
  double losses_ = 0;  // of so many steps since the last look
  std::int64_t steps_ = 0;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/training_hooks.hpp>
#endif
