#pragma once
// A training loop, which runs steps or epochs and calls hooks around them. It can continue where an earlier program stopped.
//
//     fg::checkpoint_hook checkpoints(g, {.directory = "checkpoints", .every_steps = 1000});
//     fg::progress_hook progress({.samples_per_step = 32});
//     fg::training_loop loop(s, {.steps = 20000});
//     loop.add(checkpoints).add(progress);
//     loop.run([&] { return step(images, labels).scalar(); });       // the loss
//
// Hooks are in train/training_hooks.hpp and train/checkpoint_hook.hpp. The loop itself allocates no memory in its steps.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/runtime/options.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

class training_loop;

// Training progress.
struct training_progress {
  std::int64_t step = 0;                                 // number of completed steps, including those of earlier programs
  std::int64_t epoch = 0;                                // number of completed epochs
  std::int64_t step_in_epoch = 0;                        // number of completed steps in the current epoch
  std::int64_t first_step = 0;                           // number of steps that were completed when this loop began
  std::int64_t last_step = 0;                            // number of steps after which the training ends; 0: not known
  float loss = std::numeric_limits<float>::quiet_NaN();  // loss of the latest step
  bool has_loss = false;                                 // whether steps return a loss
};

// Functions that a training loop calls around its steps. Hooks are called in the order in which they were added. If a hook
// returns an error or throws, the training ends. A hook must outlive the loops that it is added to.
class training_hook {
public:
  virtual ~training_hook() = default;

  // Called first: restores the state that an earlier program saved.
  virtual result<void> resume(training_loop&) { return {}; }
  // Called before the first step, when all hooks have resumed.
  virtual result<void> begin(training_loop&) { return {}; }
  // Called before each step; progress().step is the number of completed steps.
  virtual result<void> before_step(training_loop&) { return {}; }
  // Called after each step, with its loss.
  virtual result<void> after_step(training_loop&) { return {}; }
  // Called after the last step of an epoch, after `after_step`.
  virtual result<void> after_epoch(training_loop&) { return {}; }
  // Called between two steps, after all hooks have processed the first of them. The state is complete and can be saved.
  virtual result<void> between_steps(training_loop&) { return {}; }
  // Called at the end of the training, in reverse order, for each hook whose `begin` was called. `why` is the error that ended
  // the training, if any. After an error, the last step may be incomplete, so the state must not be saved.
  virtual result<void> end(training_loop&, const error& why) {
    static_cast<void>(why);
    return {};
  }

  // Called after `end` if the training ended with the error `unavailable`, because a task of a cluster and its state were lost.
  // Returns true if the hook has restored an earlier step. Then `recover` of the hooks after it is not called, and the loop calls
  // `begin` and continues from the restored step.
  virtual result<bool> recover(training_loop&, const error& why) {
    static_cast<void>(why);
    return false;
  }

  // Returns the name under which the hook's state is saved. Hooks with the same name are distinguished by their order.
  virtual std::string_view name() const { return {}; }
  // Returns the state that the hook needs when the training resumes. Empty: the hook has no state.
  virtual std::string state() const { return {}; }
  // Restores a state that `state` returned in an earlier program.
  virtual result<void> set_state(std::string_view) { return {}; }
};

// Options of a training_loop.
struct training_options {
  std::int64_t steps = 0;   // number of steps, including those of earlier programs, after which the training ends; 0: no limit
  std::int64_t epochs = 0;  // number of epochs after which the training ends; 0: no limit
  std::int64_t steps_per_epoch = 0;  // number of steps in an epoch; 0: an epoch ends when the input ends (error out_of_range)
  stop_signal stop = {};             // a std::stop_token that ends the training between two steps
  steady_time deadline = {};
};

// The reason why a training ended without an error.
enum class training_end : std::uint8_t {
  steps,        // all steps are done
  epochs,       // all epochs are done
  input,        // the input ended, and a new epoch found no further input
  hook,         // a hook or a step called training_loop::stop
  stopped,      // a stop was requested by the stop token
  deadline,     // the deadline has passed
  interrupted,  // the stop token or the deadline ended a run in the middle of a step; this step is not saved
};
// Returns a description, such as "all steps are done".
std::string_view name_of(training_end end);

namespace detail {

// Returns the loss in the result of a step: a number, a fetched scalar, a `result` of either, or nothing.
inline result<float> loss_in() { return std::numeric_limits<float>::quiet_NaN(); }
template <class Made> result<float> loss_in(Made&& result) {
  if constexpr (std::is_arithmetic_v<std::remove_cvref_t<Made>>) {
    return static_cast<float>(result);
  } else if constexpr (requires { result.scalar(); }) {
    return static_cast<float>(result.scalar());
  } else {
    if (!result) return result.error();
    if constexpr (std::is_void_v<decltype(result.value())>) return loss_in();
    else return loss_in(*result);
  }
}

template <class Body> decltype(auto) call_step(Body& body, const training_progress& now) {
  if constexpr (std::is_invocable_v<Body&, const training_progress&>) return body(now);
  else return body();
}
// Whether a step returns a loss. A step whose result has the type void or result<void> returns no loss.
template <class Made> inline constexpr bool has_loss = !std::is_void_v<Made>;
template <> inline constexpr bool has_loss<result<void>> = false;

template <class Body> result<float> loss_of_step(Body& body, const training_progress& now) {
  if constexpr (std::is_void_v<decltype(call_step(body, now))>) return call_step(body, now), loss_in();
  else return loss_in(call_step(body, now));
}

}  // namespace detail

// A loop that runs the steps of a training, and calls hooks around them. It belongs to one thread; other threads may train with
// the same session.
class training_loop {
public:
  explicit training_loop(flowgraph::session& s, training_options options = {}) : session_(&s), options_(std::move(options)) {}

  // Adds a hook after the existing hooks.
  training_loop& add(training_hook& hook);

  // Runs steps until the training ends. A step is a function without parameters, or with one parameter of type const
  // training_progress&. It returns its loss as a number, as a fetched scalar or as a `result` of either, or it returns nothing.
  // If a step or a hook fails, calls `end` of the hooks and returns the error, unless the error is `unavailable` and a hook
  // restores an earlier step (train/recovery_hook.hpp). An exception other than fg::error also ends the training, and is passed
  // to the caller. A second call continues the training, and does not call `resume` of the hooks again.
  template <class Body> result<training_end> try_run(Body&& step) {
    now_.has_loss = detail::has_loss<std::remove_cvref_t<decltype(detail::call_step(step, now_))>>;
    return run_steps([&](const training_progress& now) { return detail::loss_of_step(step, now); });
  }
  // Like try_run, but raises errors.
  template <class Body> training_end run(Body&& step) { return try_run(step).value(); }

  // Ends the training after the current step. Hooks and steps may call it.
  void stop() noexcept { is_stopped_ = true; }
  // Returns the stop token and the deadline of the loop. Pass them to runs within a step that may take long:
  // step.try_run(loop.limits(), x, t).
  run_options limits() const;

  // Returns the training progress.
  const training_progress& progress() const noexcept { return now_; }
  // Returns the session that the loop trains.
  flowgraph::session& session() const noexcept { return *session_; }
  // Returns the options of the loop.
  const training_options& options() const noexcept { return options_; }

  // Returns the position in the training and the state of all hooks as text.
  std::string state() const;
  // Restores the state from a text that `state` returned. If the text is invalid, returns an error that describes the fault. The
  // loop is then unchanged, but hooks may be changed.
  result<void> set_state(std::string_view text);
  // Continues from a different step. The epoch is computed from the step and `steps_per_epoch`.
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
  std::size_t begun_ = 0;  // number of hooks that must be ended
  training_progress now_;
  bool is_stopped_ = false, has_resumed_ = false;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/training_loop.hpp>
#endif
