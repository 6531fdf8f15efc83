#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/placement/measurements.hpp>
#include <flowgraph/runtime/queue/executor.hpp>

#include <charconv>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The times and bytes of one run, by record.
class run_times {
public:
  explicit run_times(const plan& p) : plan_(p), times_(p.records.size()) {}

  void note(const plan_record& record, const iteration& at, std::uint64_t nanoseconds) {
    node_times& t = times_[static_cast<std::size_t>(&record - plan_.records.data())];
    t.runs = 1;
    ++t.calls;
    t.nanoseconds += nanoseconds;
    if (record.kind == record_kind::feed && record.site->is_one_of_several) return;  // one output of a node with several is fed
    t.bytes.resize(record.output_count);
    for (std::uint32_t k = 0; k < record.output_count; ++k) t.bytes[k] += at.slots[record.first_slot + k].value.tensor.bytes();
  }
  void add_to(measurements& kept) const {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const plan_record& r = plan_.records[i];
      if (times_[i].runs == 0 || (r.table && r.table->crosses)) continue;
      kept.add(r.site->name, r.on ? to_string(r.on->name()) : std::string(own_device), times_[i]);
    }
  }

private:
  static constexpr std::string_view own_device = "/job:localhost/task:0/device:cpu:0";

  const plan& plan_;
  sequence<node_times> times_;
};

// Reads numbers, and texts that follow their lengths.
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
    text = left_.substr(0, static_cast<std::size_t>(size));
    left_.remove_prefix(text.size());
    return true;
  }
  bool is_at_end() const { return left_.empty(); }

private:
  std::string_view left_;
};

}  // namespace detail

FLOWGRAPH_INLINE error measurements::drive(detail::executor& e) {
  detail::run_times times(e.planned());
  error why = e.drive_measured([&](const detail::plan_record& r, const detail::iteration& at, std::uint64_t nanoseconds) {
    times.note(r, at, nanoseconds);
  });
  if (!why) times.add_to(*this);
  return why;
}

FLOWGRAPH_INLINE void measurements::add(std::string_view node, std::string_view device, const node_times& times) {
  const threading::lock_guard lock(mutex_);
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
  const threading::lock_guard lock(mutex_);
  return all_;
}

FLOWGRAPH_INLINE std::vector<std::pair<std::string, node_times>> measurements::of(std::string_view node) const {
  const threading::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, node_times>> result;
  for (auto at = all_.lower_bound(key(node, "")); at != all_.end() && at->first.first == node; ++at)
    result.emplace_back(at->first.second, at->second);
  return result;
}

FLOWGRAPH_INLINE void measurements::clear() {
  const threading::lock_guard lock(mutex_);
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
  measurements result;
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
    if (is_good) result.add(node, device, t);
  }
  if (!is_good) return detail::invalid_argument({"line ", line, " is not one that measurements::to_text() writes"});
  return result;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
