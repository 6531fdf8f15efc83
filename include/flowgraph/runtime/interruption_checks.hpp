#pragma once
// Checks whether a run must end early: reads the stop token and the deadline of its run_options.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/runtime/options.hpp>

#include <chrono>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the token, or null if it is missing or of a user-defined class.
inline const stop_token* token_of(const run_options& options) noexcept {
  const bool is_token = options.stop.kind() == kind_of<stop_token>();
  return is_token ? static_cast<const stop_token*>(options.stop.token()) : nullptr;
}
// Replaces the stop token of runs that are driven on behalf of others. It is called before each kernel that may change state that
// other runs see (variables, queues, or other state of `stateful` ops). If the run may not continue, it returns the reason. Other
// kernels affect only the run itself.
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
// Returns whether only a stop_condition can end the run.
inline bool is_watched_at_changes(const run_options& options) noexcept {
  return condition_of(options) && !options.deadline.is_set();
}
// Returns whether the run must check the options at all.
inline bool is_attended(const run_options& options) noexcept { return options.trace || is_watched(options); }

inline std::chrono::steady_clock::time_point time_of(const steady_time& t) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(t.nanoseconds()));
}

// Lets kernels check the deadline of the run, and whether they may wait for other runs; lets the host wait for devices until the
// run must end.
void tell_kernels(run_services& services, const run_options& options);

// Returns the error for a passed deadline, with its duration if known.
error deadline_error(const steady_time& deadline);

#ifdef FLOWGRAPH_NO_THREADS
// Returns the error for a run without a deadline that waits for other threads.
inline error nobody_answers() {
  return error(error_code::failed_precondition, "the run waits for another thread, and this build has no threads");
}
#endif

// Returns the reason if the run may not continue; otherwise returns no error.
error check_stop(const run_options& options);

// Before the host reads memory of a device: waits until the device has done its work. If the run must end before, returns the
// reason; then the work continues. If nothing can end the run early, does not wait.
error wait_while_running(std::pmr::memory_resource* memory, const run_options* watched);

// Calls F when a stop is requested, while this object exists.
template <class F> class stop_registration {
public:
  stop_registration(const run_options& options, F f) {
    if (const stop_token* token = token_of(options)) callback_.emplace(*token, std::move(f));
  }

private:
  std::optional<stop_callback<F>> callback_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/interruption_checks.hpp>
#endif
