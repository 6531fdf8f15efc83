#pragma once
// The loop that training programs write by hand: steps or epochs, hooks around them, and going on where an earlier program was stopped.
//
//     fg::checkpoint_hook checkpoints(g, {.directory = "checkpoints", .every_steps = 1000});
//     fg::progress_hook progress({.samples_per_step = 32});
//     fg::training_loop loop(s, {.steps = 20000});
//     loop.add(checkpoints).add(progress);
//     loop.run([&] { return step(images, labels).scalar(); });       // the loss
//
// Hooks are in train/training_hooks.hpp and train/checkpoint_hook.hpp. The loop itself allocates nothing from step to step.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/runtime/options.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class training_loop;

// Where a training stands.
struct training_progress {
  std::int64_t step = 0;                                 // so many steps are done, those of earlier programs included
  std::int64_t epoch = 0;                                // so many epochs are
  std::int64_t step_in_epoch = 0;                        // so many steps of the one that has begun
  std::int64_t first_step = 0;                           // so many were done when this loop began
  std::int64_t last_step = 0;                            // it ends when so many are; 0: that is not known
  float loss = std::numeric_limits<float>::quiet_NaN();  // of the latest step
  bool has_loss = false;                                 // whether steps give one
};

// What a training program does around its steps. Each is called in the order in which the hooks were added; an error, or what it throws,
// ends the training. A hook outlives the loops that it is added to.
class training_hook {
public:
  virtual ~training_hook() = default;

  // First of all: brings back what an earlier program has saved.
  virtual result<void> resume(training_loop&) { return {}; }
  // Before the first step, when every hook has resumed.
  virtual result<void> begin(training_loop&) { return {}; }
  // Before each step: progress().step of them are done.
  virtual result<void> before_step(training_loop&) { return {}; }
  // After each step, with its loss.
  virtual result<void> after_step(training_loop&) { return {}; }
  // After the last step of an epoch, once `after_step` is done.
  virtual result<void> after_epoch(training_loop&) { return {}; }
  // Between two steps, when all hooks have seen the one before: what is saved now is whole.
  virtual result<void> between_steps(training_loop&) { return {}; }
  // At the end, in the opposite order, of each hook whose `begin` was called. `why` is the error that ended the training, if one did: the step
  // that was going on may be half done, and is not to be saved.
  virtual result<void> end(training_loop&, const error& why) {
    static_cast<void>(why);
    return {};
  }

  // After `end`, where the error is `unavailable`: a task of a cluster is lost, with what it held. Whether this hook has brought the training
  // back to an earlier step, from which the loop then goes on with `begin`; the first hook that has is the last that is called.
  virtual result<bool> recover(training_loop&, const error& why) {
    static_cast<void>(why);
    return false;
  }

  // Under which name its state is saved, among hooks of this name by their order.
  virtual std::string_view name() const { return {}; }
  // What it has to know again in a program that goes on; empty: nothing.
  virtual std::string state() const { return {}; }
  // Takes such a text, of an earlier program.
  virtual result<void> set_state(std::string_view) { return {}; }
};

struct training_options {
  std::int64_t steps = 0;            // it ends when so many are done, those of earlier programs included; 0: no limit
  std::int64_t epochs = 0;           // the same of epochs
  std::int64_t steps_per_epoch = 0;  // 0: an epoch ends where a step finds the end of its input, the error out_of_range
  stop_signal stop = {};             // ends it between two steps: a std::stop_token
  steady_time deadline = {};
};

// Why a training has ended without an error.
enum class training_end : std::uint8_t {
  steps,        // all are done
  epochs,       // all are done
  input,        // the input has ended, and did not begin again
  hook,         // a hook asked for it: training_loop::stop
  stopped,      // the stop token did
  deadline,     // it has passed
  interrupted,  // a run in the middle of a step was ended by the stop token or the deadline; the step is not saved
};
// "all steps are done" and so on.
std::string_view name_of(training_end end);

namespace detail {

// The loss in what a step gives: a number, a fetched scalar, a result of one of them, or nothing.
inline result<float> loss_in() { return std::numeric_limits<float>::quiet_NaN(); }
template <class Made> result<float> loss_in(Made&& made) {
  if constexpr (std::is_arithmetic_v<std::remove_cvref_t<Made>>) {
    return static_cast<float>(made);
  } else if constexpr (requires { made.scalar(); }) {
    return static_cast<float>(made.scalar());
  } else {
    if (!made) return made.error();
    if constexpr (std::is_void_v<decltype(made.value())>) return loss_in();
    else return loss_in(*made);
  }
}

template <class Body> decltype(auto) call_step(Body& body, const training_progress& now) {
  if constexpr (std::is_invocable_v<Body&, const training_progress&>) return body(now);
  else return body();
}
// Whether a step gives one: not where it returns void or result<void>.
template <class Made> inline constexpr bool has_loss = !std::is_void_v<Made>;
template <> inline constexpr bool has_loss<result<void>> = false;

template <class Body> result<float> loss_of_step(Body& body, const training_progress& now) {
  if constexpr (std::is_void_v<decltype(call_step(body, now))>) return call_step(body, now), loss_in();
  else return loss_in(call_step(body, now));
}

}  // namespace detail

// Runs the steps of a training with hooks around them. Belongs to one thread; other threads may train on the same session.
class training_loop {
public:
  explicit training_loop(flowgraph::session& s, training_options options = {}) : session_(&s), options_(std::move(options)) {}

  // Adds a hook, after those that there are.
  training_loop& add(training_hook& hook);

  // Trains until it is over. A step is a function without arguments, or of a const training_progress&; it returns its loss as a number or as a
  // fetched scalar, a result of one of them, or nothing. An error of a step or a hook ends the training: the hooks end, then it is returned,
  // unless it is `unavailable` and a hook brings the training back (train/recovery_hook.hpp). An exception that is not a fg::error ends it, too, and
  // then goes on to the caller. Called again, it goes on, and does not resume once more.
  template <class Body> result<training_end> try_run(Body&& step) {
    now_.has_loss = detail::has_loss<std::remove_cvref_t<decltype(detail::call_step(step, now_))>>;
    return run_steps([&](const training_progress& now) { return detail::loss_of_step(step, now); });
  }
  // The same, raising errors.
  template <class Body> training_end run(Body&& step) { return try_run(step).value(); }

  // Ends the training after this step: for hooks and steps.
  void stop() noexcept { is_stopped_ = true; }
  // Stop token and deadline for the runs of a step that may take long: step.try_run(loop.limits(), x, t).
  run_options limits() const;

  // Where it stands.
  const training_progress& progress() const noexcept { return now_; }
  // The session that it trains.
  flowgraph::session& session() const noexcept { return *session_; }
  // What it was made with.
  const training_options& options() const noexcept { return options_; }

  // The place in the training and the state of all hooks, as a text.
  std::string state() const;
  // Takes such a text. An error names what is wrong with it, and the loop has not changed; hooks may have.
  result<void> set_state(std::string_view text);
  // Begins at another step, in the epoch that `steps_per_epoch` says.
  void set_step(std::int64_t step) noexcept;

private:
  using body = function_ref<result<float>(const training_progress&)>;
  using event = result<void> (training_hook::*)(training_loop&);

  result<training_end> run_steps(body step);
  result<training_end> run_once(body step, bool is_back);
  error train(body step, bool is_back, training_end& end);
  error begin(bool is_back);
  result<bool> recover(const error& why);
  bool was_ended(const error& why) const;
  bool is_over(const run_options& until, training_end& end) const;
  error call_step(body step);
  error end_epoch();
  error each(event what);
  error end_hooks(const error& why);
  std::string key_of(std::size_t hook) const;

  flowgraph::session* session_;
  training_options options_;
  std::vector<training_hook*> hooks_;
  std::size_t begun_ = 0;  // so many hooks have to end
  training_progress now_;
  bool is_stopped_ = false, has_resumed_ = false;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/training_loop.hpp>
#endif
