#pragma once

#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/train/training_loop.hpp>

#include <algorithm>
#include <charconv>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM std::string_view name_of(training_end end) {
  switch (end) {
    case training_end::steps: return "all steps are done";
    case training_end::epochs: return "all epochs are done";
    case training_end::input: return "the input has ended";
    case training_end::hook: return "a hook has stopped the training";
    case training_end::stopped: return "the training was asked to stop";
    case training_end::deadline: return "the deadline has passed";
    case training_end::interrupted: return "the training was stopped in the middle of a step";
  }
  return "the training has ended";
}

FLOWGRAPH_SELDOM training_loop& training_loop::add(training_hook& hook) {
  hooks_.push_back(&hook);
  return *this;
}

FLOWGRAPH_SELDOM run_options training_loop::limits() const {
  run_options result;
  result.stop = options_.stop;
  result.deadline = options_.deadline;
  return result;
}

FLOWGRAPH_SELDOM void training_loop::set_step(std::int64_t step) noexcept {
  now_.step = step;
  const std::int64_t length = options_.steps_per_epoch;
  now_.epoch = length > 0 ? step / length : 0;
  now_.step_in_epoch = length > 0 ? step % length : step;
}

FLOWGRAPH_INLINE error training_loop::each(event what) {
  for (training_hook* hook : hooks_)
    if (auto done = (hook->*what)(*this); !done) return done.error();
  return {};
}

// Returns whether the loop ends before the next step.
FLOWGRAPH_INLINE bool training_loop::is_over(const run_options& until, training_end& end) const {
  const stop_token* const token = detail::token_of(until);
  if (options_.steps > 0 && now_.step >= options_.steps) end = training_end::steps;
  else if (options_.epochs > 0 && now_.epoch >= options_.epochs) end = training_end::epochs;
  else if (is_stopped_) end = training_end::hook;
  else if (token && token->stop_requested()) end = training_end::stopped;
  else if (until.deadline.has_passed()) end = training_end::deadline;
  else return false;
  return true;
}

FLOWGRAPH_INLINE error training_loop::call_step(body step) {
#ifdef FLOWGRAPH_EXCEPTIONS
  const auto outcome = [&]() -> result<float> {
    try {
      return step(now_);
    } catch (const error& why) { return why; }
  }();
#else
  const auto outcome = step(now_);
#endif
  if (!outcome) return outcome.error();
  now_.loss = *outcome;
  ++now_.step;
  ++now_.step_in_epoch;
  return {};
}

FLOWGRAPH_INLINE error training_loop::end_epoch() {
  ++now_.epoch;
  now_.step_in_epoch = 0;
  return each(&training_hook::after_epoch);
}

FLOWGRAPH_SELDOM error training_loop::begin(bool is_back) {
  begun_ = 0;
  const bool goes_on = is_back && has_resumed_;
  if (!has_resumed_) {
    if (error why = each(&training_hook::resume)) return why;
    has_resumed_ = true;
  }
  is_stopped_ = false;
  if (!goes_on) now_.first_step = now_.step;
  const std::int64_t by_epochs = options_.epochs * options_.steps_per_epoch;
  now_.last_step =
      options_.steps > 0 && by_epochs > 0 ? std::min(options_.steps, by_epochs) : std::max(options_.steps, by_epochs);
  for (; begun_ < hooks_.size();)
    if (auto done = hooks_[begun_++]->begin(*this); !done) return done.error();
  return {};
}

// Runs the steps. `interrupted` is returned together with the error that has the reason.
FLOWGRAPH_INLINE error training_loop::train(body step, bool is_back, training_end& end) {
  if (error why = begin(is_back)) return why;
  const run_options until = limits();
  while (!is_over(until, end)) {
    if (error why = each(&training_hook::before_step)) return why;
    const error why = call_step(step);
    // An earlier program may have stopped between the last step of an epoch and the report of its end.
    const bool has_used_input = now_.step > now_.first_step || now_.step_in_epoch > 0;
    if (why && why.code() == error_code::out_of_range && has_used_input) {
      if (now_.step_in_epoch == 0) return end = training_end::input, error();
      if (error other = end_epoch()) return other;
    } else if (why) {
      if (was_ended(why)) end = training_end::interrupted;
      return why;
    } else {
      if (error other = each(&training_hook::after_step)) return other;
      if (now_.step_in_epoch == options_.steps_per_epoch)
        if (error other = end_epoch()) return other;
    }
    if (error other = each(&training_hook::between_steps)) return other;
  }
  return {};
}

// Ends every hook in any case, and returns the first error.
FLOWGRAPH_SELDOM error training_loop::end_hooks(const error& why) {
  error first;
  while (begun_ > 0) {
    const auto end = [&, hook = hooks_[--begun_]]() -> error {
#ifdef FLOWGRAPH_EXCEPTIONS
      try {
        return hook->end(*this, why).error();
      } catch (const error& e) { return e; } catch (const std::exception& e) {
        return error(error_code::unknown, message{"a hook has thrown at the end of the training: ", e.what()});
      }
#else
      return hook->end(*this, why).error();
#endif
    };
    if (error other = end(); other && !first) first = other;
  }
  return first;
}

// Returns whether the loop's own stop token or deadline caused an error.
FLOWGRAPH_SELDOM bool training_loop::was_ended(const error& why) const {
  const bool may_be = why.code() == error_code::cancelled || why.code() == error_code::deadline_exceeded;
  return may_be && detail::check_stop(limits());
}

FLOWGRAPH_SELDOM result<bool> training_loop::recover(const error& why) {
  for (training_hook* hook : hooks_)
    if (auto is_back = hook->recover(*this, why); !is_back || *is_back) return is_back;
  return false;
}

FLOWGRAPH_SELDOM result<training_end> training_loop::run_steps(body step) {
  for (bool is_back = false;; is_back = true) {
    auto result = run_once(step, is_back);
    if (result || result.error().code() != error_code::unavailable) return result;
    const auto again = recover(result.error());
    if (!again && was_ended(again.error())) return training_end::interrupted;
    if (!again) return again.error();
    if (!*again) return result;
  }
}

FLOWGRAPH_SELDOM result<training_end> training_loop::run_once(body step, bool is_back) {
  auto end = training_end::hook;
  error why;
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    why = train(step, is_back, end);
  } catch (const error& e) { why = e; } catch (...) {
    (void)end_hooks(error(error_code::unknown, "a step or a hook has thrown"));
    throw;
  }
#else
  why = train(step, is_back, end);
#endif
  const error late = end_hooks(why);
  if (why && end != training_end::interrupted) return why;
  if (late) return late;
  return end;
}

// ---- what is saved

// Returns the name of a hook, and its index among hooks with the same name.
FLOWGRAPH_SELDOM std::string training_loop::key_of(std::size_t hook) const {
  std::size_t before = 0;
  for (std::size_t i = 0; i < hook; ++i) before += hooks_[i]->name() == hooks_[hook]->name();
  return message{hooks_[hook]->name(), "#", before};
}

// step 120
// epoch 1
// step_in_epoch 20
// stop_early#0 7
// 0.25 12
FLOWGRAPH_SELDOM std::string training_loop::state() const {
  std::string result = message{"step ", now_.step, "\nepoch ", now_.epoch, "\nstep_in_epoch ", now_.step_in_epoch, "\n"};
  for (std::size_t i = 0; i < hooks_.size(); ++i)
    if (const std::string text = hooks_[i]->state(); !text.empty())
      result += message{key_of(i), " ", text.size(), "\n", text, "\n"}.string();
  return result;
}

FLOWGRAPH_SELDOM result<void> training_loop::set_state(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return error(error_code::data_loss, message{"the saved state of the training loop: ", what});
  };
  // Reads up to the end of the line: a word, a space, a number.
  std::string_view word;
  const auto next = [&](std::int64_t& number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos) return false;
    word = line.substr(0, space);
    const auto read = std::from_chars(line.data() + space + 1, line.data() + line.size(), number);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return read.ec == std::errc() && read.ptr == line.data() + line.size() && number >= 0;
  };
  training_progress read = now_;
  if (!next(read.step) || word != "step") return wrong("a number of steps was expected");
  if (!next(read.epoch) || word != "epoch") return wrong("a number of epochs was expected");
  if (!next(read.step_in_epoch) || word != "step_in_epoch") return wrong("a number of steps in the epoch was expected");
  for (std::int64_t length = 0; !text.empty();) {
    if (!next(length) || static_cast<std::size_t>(length) >= text.size()) return wrong("the state of a hook is cut");
    const std::string_view of_hook = text.substr(0, static_cast<std::size_t>(length));
    text.remove_prefix(of_hook.size() + 1);
    for (std::size_t i = 0; i < hooks_.size(); ++i)  // the state of a hook that no longer exists is ignored
      if (key_of(i) == word)
        if (auto done = hooks_[i]->set_state(of_hook); !done) return done;
  }
  now_ = read;
  return {};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
