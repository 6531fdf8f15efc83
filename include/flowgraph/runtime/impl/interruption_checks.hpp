#pragma once

#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/message.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE std::int64_t steady_time::now() noexcept {
  const auto since_epoch = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

FLOWGRAPH_INLINE void detail::tell_kernels(run_services& services, const run_options& options) {
  services.may_wait = options.may_wait;
  services.is_late = nullptr;
  services.watched = is_watched(options) && !is_watched_at_changes(options) ? &options : nullptr;
  if (!options.deadline.is_set()) return;
  services.deadline = options.deadline.nanoseconds();
  services.is_late = [](const run_services& s) { return steady_time::now() >= s.deadline; };
}

// Returns "the run's deadline of 20 ms has passed", in the largest unit that gives a whole number.
FLOWGRAPH_SELDOM error detail::deadline_error(const steady_time& deadline) {
  const std::int64_t length = deadline.length();
  if (length == steady_time::never) return error(error_code::deadline_exceeded, "the run's deadline has passed");
  std::int64_t unit = 1'000'000'000;
  std::string_view name = "s";
  for (const std::string_view smaller : {"ms", "us", "ns"}) {
    if (length % unit == 0) break;
    unit /= 1000;
    name = smaller;
  }
  return error(error_code::deadline_exceeded, message{"the run's deadline of ", length / unit, ' ', name, " has passed"});
}

FLOWGRAPH_INLINE error detail::check_stop(const run_options& options) {
  if (const stop_token* token = token_of(options)) {
    if (token->stop_requested()) return error(error_code::cancelled, "the run was cancelled");
  } else if (const stop_condition* const condition = condition_of(options)) {
    if (error why = condition->check()) return why;
  } else if (options.stop.token()) {
    return detail::invalid_argument("run_options::stop does not hold a stop_token");
  }
  if (options.deadline.has_passed()) return deadline_error(options.deadline);
  return {};
}

FLOWGRAPH_SELDOM error detail::wait_while_running(std::pmr::memory_resource* memory, const run_options* watched) {
  far_memory* const far = watched ? far_memory::from(memory) : nullptr;
  error why;
  const auto is_over = [&] { return static_cast<bool>(why = check_stop(*watched)); };
  return !far || far->wait(is_over) ? error() : why;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
