#pragma once

#include <flowgraph/train/training_hooks.hpp>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <algorithm>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline bool is_terminal([[maybe_unused]] std::FILE* file) {
#if __has_include(<unistd.h>)
  return isatty(fileno(file)) == 1;
#else
  return false;
#endif
}

// A line of text of limited length, which allocates no memory.
class progress_line {
public:
  template <class... T> void add(const char* format, T... values) {
    if (used_ >= sizeof text_) return;
    const int written = std::snprintf(text_ + used_, sizeof text_ - used_, format, values...);
    if (written > 0) used_ = std::min(used_ + static_cast<std::size_t>(written), sizeof text_);
  }
  const char* text() const noexcept { return text_; }

private:
  char text_[240] = "";
  std::size_t used_ = 0;
};

inline void add_time(progress_line& line, double seconds) {
  const auto whole = static_cast<long long>(std::min(seconds, 1e9) + 0.5);
  const auto minutes = static_cast<int>(whole / 60 % 60), rest = static_cast<int>(whole % 60);
  if (whole >= 3600) line.add("  %lld:%02d:%02d left", whole / 3600, minutes, rest);
  else line.add("  %d:%02d left", minutes, rest);
}

}  // namespace detail

// ---- progress

FLOWGRAPH_SELDOM progress_hook& progress_hook::watch(std::string name, unique_function<result<float>()> value) {
  watched_.push_back({std::move(name), std::move(value)});
  return *this;
}

FLOWGRAPH_SELDOM result<void> progress_hook::begin(training_loop& loop) {
  is_rewritten_ =
      options_.form == progress_form::one_line || (options_.form == progress_form::automatic && detail::is_terminal(options_.to));
  shown_at_ = steady_time::now();
  shown_step_ = loop.progress().step;
  rate_ = losses_ = 0;
  return {};
}

FLOWGRAPH_INLINE result<void> progress_hook::after_step(training_loop& loop) {
  losses_ += static_cast<double>(loop.progress().loss);
  const double seconds = is_rewritten_ ? 0.2 : options_.seconds;
  if (static_cast<double>(steady_time::now() - shown_at_) * 1e-9 >= seconds) return show(loop.progress());
  return {};
}

FLOWGRAPH_SELDOM result<void> progress_hook::show(const training_progress& now) {
  const std::int64_t time = steady_time::now(), steps = now.step - shown_step_;
  const double seconds = static_cast<double>(time - shown_at_) * 1e-9;
  if (steps > 0 && seconds > 0) {
    const double lately = static_cast<double>(steps) / seconds;
    rate_ = rate_ > 0 ? 0.7 * rate_ + 0.3 * lately : lately;
  }
  detail::progress_line line;
  line.add("step %lld", static_cast<long long>(now.step));
  if (now.last_step > 0) line.add("/%lld", static_cast<long long>(now.last_step));
  if (now.epoch > 0) line.add("  epoch %lld", static_cast<long long>(now.epoch + (now.step_in_epoch > 0)));
  if (now.has_loss && steps > 0) line.add("  loss %.4g", losses_ / static_cast<double>(steps));
  for (detail::watched_value& w : watched_) {
    const auto value = w.value();
    if (!value) return value.error();
    line.add("  %s %.4g", w.name.c_str(), static_cast<double>(*value));
  }
  if (rate_ > 0 && options_.samples_per_step > 0)
    line.add("  %.0f samples/s", rate_ * static_cast<double>(options_.samples_per_step));
  else if (rate_ > 0) line.add("  %.*f steps/s", rate_ < 10 ? 2 : 0, rate_);
  if (rate_ > 0 && now.last_step > now.step) detail::add_time(line, static_cast<double>(now.last_step - now.step) / rate_);
  if (is_rewritten_) std::fprintf(options_.to, "\r%s\x1b[K", line.text());
  else std::fprintf(options_.to, "%s\n", line.text());
  std::fflush(options_.to);
  shown_at_ = time;
  shown_step_ = now.step;
  losses_ = 0;
  return {};
}

FLOWGRAPH_SELDOM result<void> progress_hook::end(training_loop& loop, const error&) {
  const auto shown = loop.progress().step > shown_step_ ? show(loop.progress()) : result<void>();
  if (is_rewritten_ && loop.progress().step > loop.progress().first_step) std::fputc('\n', options_.to);
  return shown;
}

// ---- summaries

FLOWGRAPH_SELDOM summary_hook& summary_hook::watch(std::string tag, unique_function<result<float>()> value) {
  watched_.push_back({std::move(tag), std::move(value)});
  return *this;
}

FLOWGRAPH_SELDOM result<void> summary_hook::begin(training_loop& loop) {
  const std::int64_t first = loop.progress().step;
  const bool goes_on = std::exchange(has_begun_, true) || first > 0;
  return goes_on ? calls_->resume_at(writer_, first + 1) : result<void>();
}

FLOWGRAPH_SELDOM result<void> summary_hook::after_step(training_loop& loop) {
  const training_progress& now = loop.progress();
  if (options_.every_steps > 1 && now.step % options_.every_steps != 0) return {};
  if (now.has_loss)
    if (auto added = calls_->add(writer_, options_.tag, now.loss, now.step); !added) return added;
  for (detail::watched_value& w : watched_) {
    const auto value = w.value();
    if (!value) return value.error();
    if (auto added = calls_->add(writer_, w.name, *value, now.step); !added) return added;
  }
  return {};
}

FLOWGRAPH_SELDOM result<void> summary_hook::end(training_loop&, const error&) { return calls_->flush(writer_); }

// ---- an early end

FLOWGRAPH_SELDOM result<void> stop_early::begin(training_loop& loop) {
  if (waited_ >= options_.patience) loop.stop();
  return {};
}

FLOWGRAPH_INLINE result<void> stop_early::after_step(training_loop& loop) {
  losses_ += static_cast<double>(loop.progress().loss);
  ++steps_;
  return options_.every_steps > 0 && loop.progress().step % options_.every_steps == 0 ? look(loop) : result<void>();
}
FLOWGRAPH_SELDOM result<void> stop_early::after_epoch(training_loop& loop) {
  return options_.every_steps > 0 ? result<void>() : look(loop);
}

FLOWGRAPH_SELDOM result<void> stop_early::look(training_loop& loop) {
  double found = losses_ / static_cast<double>(steps_);
  losses_ = 0;
  steps_ = 0;
  if (value_) {
    const auto value = value_();
    if (!value) return value.error();
    found = static_cast<double>(*value);
  }
  const double better_by = options_.larger_is_better ? found - best_ : best_ - found;
  if (better_by > options_.min_change || (std::isnan(best_) && !std::isnan(found))) {
    best_ = found;
    best_step_ = loop.progress().step;
    waited_ = 0;
  } else if (++waited_ >= options_.patience) {
    loop.stop();
  }
  return {};
}

// Numbers are hexadecimal, so that every bit is preserved.
FLOWGRAPH_SELDOM std::string stop_early::state() const {
  char text[160];
  std::snprintf(text, sizeof text, "%a %lld %lld %a %lld", best_, static_cast<long long>(best_step_),
                static_cast<long long>(waited_), losses_, static_cast<long long>(steps_));
  return text;
}
FLOWGRAPH_SELDOM result<void> stop_early::set_state(std::string_view text) {
  const std::string ended(text);
  double best = 0, losses = 0;
  long long best_step = 0, waited = 0, steps = 0;
  if (std::sscanf(ended.c_str(), "%la %lld %lld %la %lld", &best, &best_step, &waited, &losses, &steps) != 5)
    return error(error_code::data_loss,
                 message{"the saved state of stop_early: five numbers were expected, found '", ended, "'"});
  best_ = best;
  best_step_ = best_step;
  waited_ = waited;
  losses_ = losses;
  steps_ = steps;
  return {};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
