#pragma once

#include <flowgraph/core/threads.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/train/recovery_hook.hpp>

#include <algorithm>
#include <cstdio>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns a text such as "1.2 s".
inline std::string tenths_of_seconds(std::chrono::nanoseconds time) {
  const auto tenths = (time.count() + 50'000'000) / 100'000'000;
  return message{tenths / 10, ".", tenths % 10, " s"};
}

}  // namespace detail

FLOWGRAPH_SELDOM std::string to_string(const training_recovery& r) {
  if (!r.is_back) return message{"the training is lost after step ", r.lost_step, ": ", r.why.message()};
  return message{"the training continues from step ", r.step, ", after ", r.tries, r.tries == 1 ? " try and " : " tries and ",
                 detail::tenths_of_seconds(r.after)};
}

FLOWGRAPH_SELDOM void print_recovery(const training_recovery& r) { std::fprintf(stderr, "%s\n", to_string(r).c_str()); }

FLOWGRAPH_SELDOM recovery_hook::recovery_hook(checkpoint_hook& checkpoints, recovery_options options)
    : checkpoints_(&checkpoints), options_(std::move(options)) {}

FLOWGRAPH_SELDOM void recovery_hook::tell(const training_recovery& r) const {
  if (options_.on_recovery) options_.on_recovery(r);
}

FLOWGRAPH_SELDOM result<void> recovery_hook::begin(training_loop& loop) {
  const auto latest = latest_checkpoint(checkpoints_->saver().options().directory);
  if (latest) return {};
  if (latest.error().code() != error_code::not_found) return latest.error();
  const auto saved = checkpoints_->save(loop);
  return saved ? result<void>() : saved.error();
}

// Waits. Returns an error if a stop of the loop was requested in the meantime.
FLOWGRAPH_SELDOM error recovery_hook::wait(const training_loop& loop) {
  const run_options until = loop.limits();
  const auto now = std::chrono::steady_clock::now();
  auto end = now + std::min<std::chrono::nanoseconds>(next_wait_, options_.patience - (now - since_));
  if (until.deadline.is_set()) end = std::min(end, detail::time_of(until.deadline));
  next_wait_ = std::min(2 * next_wait_, options_.longest_wait);
  threading::mutex mutex;
  threading::condition_variable stopped;
  bool is_stopped = false;
  const auto stop = [&] {
    const threading::lock_guard lock(mutex);
    is_stopped = true;
    stopped.notify_all();
  };
  {
    const detail::stop_registration registration(until, stop);
    threading::unique_lock lock(mutex);
    stopped.wait_until(lock, end, [&] { return is_stopped; });
  }
  return detail::check_stop(until);
}

FLOWGRAPH_SELDOM result<bool> recovery_hook::recover(training_loop& loop, const error& why) {
  const auto begun = std::chrono::steady_clock::now();
  training_recovery now{.why = why, .lost_step = loop.progress().step};
  if (now.lost_step > furthest_) {
    furthest_ = now.lost_step;
    since_ = begun;
    next_wait_ = options_.first_wait;
  }
  tell(now);
  for (error latest = why;;) {
    const auto passed = std::chrono::steady_clock::now() - since_;
    if (passed >= options_.patience)
      return error(error_code::unavailable, message{"the training has not got beyond step ", furthest_, " for ",
                                                    detail::tenths_of_seconds(passed), ", and is given up"})
          .because(latest);
    if (error stopped = wait(loop)) return stopped;
    ++now.tries;
    const auto found = checkpoints_->restore(loop);
    if (found && !*found)
      return error(error_code::unavailable, "the training cannot go back: it has no checkpoint yet").because(latest);
    if (found) break;
    latest = found.error();
    if (latest.code() != error_code::unavailable) return latest;
  }
  ++recoveries_;
  now.is_back = true;
  now.step = loop.progress().step;
  now.after = std::chrono::steady_clock::now() - begun;
  tell(now);
  return true;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
