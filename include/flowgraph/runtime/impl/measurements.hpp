#pragma once

#include <flowgraph/runtime/measurements.hpp>
#include <flowgraph/runtime/impl/propagation.hpp>

#include <charconv>
#include <chrono>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Drives a run on the calling thread, with a clock around each kernel.
class measured_run {
public:
  explicit measured_run(executor& e) : run_(e), plan_(*e.plan_), times_(plan_.records.size()) {}

  error drive() {
    const stop_registration registration(*run_.options_, executor::on_stop{&run_});
    std::unique_lock baton(run_.baton_, std::defer_lock);
    if (run_.services_.pool || plan_.has_async) baton.lock();
    for (const std::uint32_t feed : plan_.feeds)
      if (feed != no_index) note(plan_.records[feed], *run_.root_, 0);
    if (!std::exchange(run_.sources_started_, true))
      for (const std::uint32_t record : plan_.sources) run_.become_ready(record, *run_.root_);
    pump(baton);
    ++run_.run_;
    return run_.failure_;
  }
  void add_to(measurements& kept) const {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const plan_record& r = plan_.records[i];
      if (times_[i].runs == 0 || (r.table && is_transfer(*r.table))) continue;
      kept.add(r.origin->name, r.on ? to_string(r.on->name()) : std::string(own_device), times_[i]);
    }
  }

private:
  static constexpr std::string_view own_device = "/job:localhost/task:0/device:cpu:0";

  void pump(std::unique_lock<std::mutex>& baton) {
    const bool watched = is_watched(*run_.options_);
    for (;;) {
      if (run_.has_answers_.load(std::memory_order_acquire)) run_.drain();
      if (watched && !run_.failure_)
        if (error why = check_stop(*run_.options_)) run_.fail(run_.while_waiting(why));
      if (run_.failure_) run_.ready_.clear();
      if (run_.ready_.empty()) {
        if (run_.apart_ == 0) return;
        run_.wait(baton);
        continue;
      }
      const ready_queue::item r = run_.ready_.pop(run_.root_);
      const plan_record& record = plan_.records[r.record];
      const bool is_dead = r.at->records[record.local].dead > 0;
      if (record.control != control_flow::none || is_dead) (run_.*plan_.flow->run)(r.record, *r.at, baton);
      else if (record.table->async_kernel && !record.kernel) run_.start_async(r);
      else call(r, record);
    }
  }
  void call(const ready_queue::item& r, const plan_record& record) {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    const bool ran = run_.execute(record, *r.at);
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count();
    if (!ran) return run_.fail(run_.named(run_.own_.take_failure(), record, *r.at));
    note(record, *r.at, static_cast<std::uint64_t>(took));
    run_.complete(r);
  }
  void note(const plan_record& record, const iteration& at, std::uint64_t nanoseconds) {
    node_times& t = times_[static_cast<std::size_t>(&record - plan_.records.data())];
    t.runs = 1;
    ++t.calls;
    t.nanoseconds += nanoseconds;
    if (record.is == record_kind::feed && record.origin->outputs.size() != 1) return;  // one of several is fed
    t.bytes.resize(record.output_count);
    for (std::uint32_t k = 0; k < record.output_count; ++k) t.bytes[k] += at.slots[record.first_slot + k].value.tensor.bytes();
  }

  executor& run_;
  const plan& plan_;
  std::vector<node_times> times_;  // of each record
};

// Numbers, and texts after their lengths.
class times_reader {
public:
  explicit times_reader(std::string_view text) : left_(text) {}
  bool take(std::string_view expected) {
    if (!left_.starts_with(expected)) return false;
    left_.remove_prefix(expected.size());
    return true;
  }
  bool read(std::uint64_t& n) {
    const auto [end, fault] = std::from_chars(left_.data(), left_.data() + left_.size(), n);
    if (fault != std::errc()) return false;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return true;
  }
  bool read(std::string_view& text) {
    std::uint64_t size = 0;
    if (!read(size) || !take(":") || size > left_.size()) return false;
    text = left_.substr(0, size);
    left_.remove_prefix(size);
    return true;
  }
  bool is_at_end() const { return left_.empty(); }

private:
  std::string_view left_;
};

}  // namespace detail

FLOWGRAPH_INLINE error measurements::drive(detail::executor& e) {
  detail::measured_run run(e);
  error why = run.drive();
  if (!why) run.add_to(*this);
  return why;
}

FLOWGRAPH_INLINE void measurements::add(std::string_view node, std::string_view device, const node_times& times) {
  const std::lock_guard lock(mutex_);
  node_times& t = all_[key(node, device)];
  t.runs += times.runs;
  t.calls += times.calls;
  t.nanoseconds += times.nanoseconds;
  if (t.bytes.size() < times.bytes.size()) t.bytes.resize(times.bytes.size());
  for (std::size_t k = 0; k < times.bytes.size(); ++k) t.bytes[k] += times.bytes[k];
}

FLOWGRAPH_INLINE void measurements::add(const measurements& other) {
  for (const auto& [at, times] : other.all()) add(at.first, at.second, times);
}

FLOWGRAPH_INLINE measurements::table measurements::all() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

FLOWGRAPH_INLINE std::vector<std::pair<std::string, node_times>> measurements::of(std::string_view node) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, node_times>> made;
  for (auto at = all_.lower_bound(key(node, "")); at != all_.end() && at->first.first == node; ++at)
    made.emplace_back(at->first.second, at->second);
  return made;
}

FLOWGRAPH_INLINE void measurements::clear() {
  const std::lock_guard lock(mutex_);
  all_.clear();
}

FLOWGRAPH_INLINE std::string measurements::to_text() const {
  std::string text = "flowgraph measurements 1\n";
  for (const auto& [at, t] : all()) {
    text += message{t.runs, ' ', t.calls, ' ', t.nanoseconds, ' ', t.bytes.size()}.string();
    for (const std::uint64_t b : t.bytes) text += message{' ', b}.string();
    text += message{' ', at.first.size(), ':', at.first, ' ', at.second.size(), ':', at.second, '\n'}.string();
  }
  return text;
}

FLOWGRAPH_INLINE result<measurements> measurements::from_text(std::string_view text) {
  constexpr std::uint64_t most_outputs = 1 << 20;
  measurements made;
  detail::times_reader in(text);
  bool is_good = in.take("flowgraph measurements 1\n");
  std::size_t line = 1;
  while (is_good && !in.is_at_end()) {
    ++line;
    node_times t;
    std::uint64_t outputs = 0;
    std::string_view node, device;
    is_good = in.read(t.runs) && in.take(" ") && in.read(t.calls) && in.take(" ") && in.read(t.nanoseconds) && in.take(" ") &&
              in.read(outputs) && outputs <= most_outputs;
    for (std::uint64_t k = 0; is_good && k < outputs; ++k) {
      std::uint64_t bytes = 0;
      is_good = in.take(" ") && in.read(bytes);
      t.bytes.push_back(bytes);
    }
    is_good = is_good && in.take(" ") && in.read(node) && in.take(" ") && in.read(device) && in.take("\n");
    if (is_good) made.add(node, device, t);
  }
  if (!is_good)
    return error(error_code::invalid_argument, message{"these are no measurements that to_text() has written: line ", line});
  return made;
}

}
}  // namespace flowgraph
