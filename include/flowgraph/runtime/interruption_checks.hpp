#pragma once
// How a run watches for its end: what run_options may hold, in the words of the standard library.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/runtime/options.hpp>

#include <chrono>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Null when nothing can ask the run to stop, and when what it was given is of a class of somebody's own.
inline const stop_token* token_of(const run_options& options) noexcept {
  const bool is_token = options.stop.kind() == kind_of<stop_token>();
  return is_token ? static_cast<const stop_token*>(options.stop.token()) : nullptr;
}
// In place of a token: asked why the run may not go on, if so, before each kernel that may change what other runs see: a variable, a queue,
// what an op is `stateful` for. What else a run computes is its own. For runs that are driven for others.
class stop_condition {
public:
  virtual ~stop_condition() = default;
  virtual error check() const = 0;
};
struct condition_token {
  std::shared_ptr<const stop_condition> of;
  bool stop_requested() const { return static_cast<bool>(of->check()); }
  bool stop_possible() const noexcept { return of != nullptr; }
};
inline const stop_condition* condition_of(const run_options& options) noexcept {
  const bool is_condition = options.stop.token() && options.stop.kind() == kind_of<condition_token>();
  return is_condition ? static_cast<const condition_token*>(options.stop.token())->of.get() : nullptr;
}
inline bool is_watched(const run_options& options) noexcept { return options.stop.token() || options.deadline.is_set(); }
// Whether no more than a stop_condition can end it.
inline bool is_watched_at_changes(const run_options& options) noexcept {
  return condition_of(options) && !options.deadline.is_set();
}
// Whether the ways of running have to look at the options at all.
inline bool is_attended(const run_options& options) noexcept { return options.trace || is_watched(options); }

inline std::chrono::steady_clock::time_point time_of(const steady_time& t) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(t.nanoseconds()));
}

// Lets kernels see that the run is past its deadline, and whether they may wait for other runs.
void tell_kernels(run_services& services, const run_options& options);

// That the deadline has passed, and how long it was where that is known.
error deadline_error(const steady_time& deadline);

#ifdef FLOWGRAPH_NO_THREADS
// Of a run without a deadline that waits for other threads.
inline error nobody_answers() {
  return error(error_code::failed_precondition, "the run waits for another thread, and this build has no threads");
}
#endif

// Why the run may not go on, if so.
error check_stop(const run_options& options);

// Calls F when the run is asked to stop, for as long as it lives.
template <class F> class stop_registration {
public:
  stop_registration(const run_options& options, F f) {
    if (const stop_token* token = token_of(options)) callback_.emplace(*token, std::move(f));
  }

private:
  std::optional<stop_callback<F>> callback_;
};

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/interruption_checks.hpp>
#endif
