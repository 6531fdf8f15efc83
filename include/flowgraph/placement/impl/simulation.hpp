#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/placement/simulation.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE std::uint32_t task_graph::add_line(std::uint32_t threads) {
  lines.push_back(threads);
  return static_cast<std::uint32_t>(lines.size() - 1);
}

FLOWGRAPH_INLINE std::uint32_t task_graph::add_device(const device& d) {
  const std::size_t before = devices.size();
  devices.push_back(d);
  sequence<link> grown((before + 1) * (before + 1), link{.line = d.line});
  for (std::size_t from = 0; from < before; ++from)
    for (std::size_t to = 0; to < before; ++to) grown[from * (before + 1) + to] = links[from * before + to];
  links = std::move(grown);
  return static_cast<std::uint32_t>(before);
}

FLOWGRAPH_INLINE std::uint32_t task_graph::add_group() {
  allowed.resize(allowed.size() + devices.size(), true);
  return static_cast<std::uint32_t>(group_count() - 1);
}

FLOWGRAPH_INLINE std::uint32_t task_graph::add_task(std::uint32_t group, std::span<const double> times, std::uint64_t kept) {
  for (std::uint32_t d = 0; d < devices.size(); ++d) {
    seconds.push_back(times[d]);
    if (times[d] == never) forbid(group, d);
  }
  tasks.push_back({group, kept, static_cast<std::uint32_t>(tensors.size())});
  orders.emplace_back();
  return static_cast<std::uint32_t>(tasks.size() - 1);
}

FLOWGRAPH_INLINE std::uint32_t task_graph::add_tensor(std::uint64_t bytes, bool is_kept) {
  tensors.push_back({static_cast<std::uint32_t>(tasks.size() - 1), bytes, is_kept, {}});
  ++tasks.back().output_count;
  return static_cast<std::uint32_t>(tensors.size() - 1);
}

FLOWGRAPH_INLINE void task_graph::add_reader(std::uint32_t of, std::uint32_t reader) {
  auto& readers = tensors[of].readers;
  if (readers.empty() || readers.back() != reader) readers.push_back(reader);
}

FLOWGRAPH_INLINE simulation::simulation(const task_graph& g) : graph_(g), waits_(g.tasks.size()) {
  for (const auto& t : g.tensors)
    for (const std::uint32_t reader : t.readers) ++waits_[reader];
  for (const auto& after : g.orders)
    for (const std::uint32_t task : after) ++waits_[task];
  std::uint32_t threads = 0;
  for (const std::uint32_t n : g.lines) {
    first_thread_.push_back(threads);
    threads += n;
  }
  first_thread_.push_back(threads);
  has_limits_ = std::ranges::any_of(g.devices, [](const task_graph::device& d) { return d.memory_limit > 0; });
  result_.tasks.resize(g.tasks.size());
}

FLOWGRAPH_INLINE const simulated_run& simulation::run(std::span<const std::uint32_t> places) {
  const auto tasks = static_cast<std::uint32_t>(graph_.tasks.size());
  left_ = waits_;
  ready_.assign(tasks, 0);
  free_.assign(first_thread_.back(), 0);
  queue_.clear();
  result_.transfers.clear();
  result_.seconds = 0;
  result_.peaks.assign(graph_.devices.size(), 0);
  result_.excess = 0;
  for (std::uint32_t task = 0; task < tasks; ++task)
    if (left_[task] == 0) queue_.push_back({0, task, places[graph_.tasks[task].group]});
  std::make_heap(queue_.begin(), queue_.end());
  std::uint32_t done = 0;
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const job next = queue_.back();
    queue_.pop_back();
    if (next.number < tasks) {
      ++done;
      run_task(next, places);
    } else {
      carry(next, places);
    }
  }
  if (done < tasks) result_.seconds = task_graph::never;
  if (has_limits_) measure_memory(places);
  return result_;
}

FLOWGRAPH_INLINE void simulation::run_task(const job& j, std::span<const std::uint32_t> places) {
  const double duration = graph_.seconds_of(j.number, j.device);
  const double start = serve(graph_.devices[j.device].line, j.ready, duration), end = start + duration;
  result_.tasks[j.number] = {start, end};
  result_.seconds = std::max(result_.seconds, end);
  finish(j.number, end, places);
}

FLOWGRAPH_INLINE void simulation::carry(const job& j, std::span<const std::uint32_t> places) {
  auto& t = result_.transfers[j.number - graph_.tasks.size()];
  const auto& carried = graph_.tensors[t.tensor];
  const auto& way = graph_.link_of(t.from, t.to);
  const double duration = way.seconds_for(carried.bytes);
  t.start = serve(way.line, j.ready, duration);
  t.end = t.start + duration;
  result_.seconds = std::max(result_.seconds, t.end);
  for (const std::uint32_t reader : carried.readers)
    if (places[graph_.tasks[reader].group] == j.device) release(reader, t.end, places);
}

// Returns the time at which a line begins a task that is ready at `ready`, as soon as a thread is free.
FLOWGRAPH_INLINE double simulation::serve(std::uint32_t line, double ready, double duration) {
  double* first = free_.data() + first_thread_[line];
  double* const last = free_.data() + first_thread_[line + 1];
  double* thread = first;
  while (++first < last)
    if (*first < *thread) thread = first;
  const double start = std::max(*thread, ready);
  *thread = start + duration;
  return start;
}

FLOWGRAPH_INLINE void simulation::release(std::uint32_t task, double at, std::span<const std::uint32_t> places) {
  ready_[task] = std::max(ready_[task], at);
  if (--left_[task] > 0) return;
  queue_.push_back({ready_[task], task, places[graph_.tasks[task].group]});
  std::push_heap(queue_.begin(), queue_.end());
}

FLOWGRAPH_INLINE void simulation::finish(std::uint32_t task, double at, std::span<const std::uint32_t> places) {
  const auto& t = graph_.tasks[task];
  const std::uint32_t here = places[t.group];
  for (std::uint32_t k = t.first_output; k < t.first_output + t.output_count; ++k) {
    const std::size_t first = result_.transfers.size();
    for (const std::uint32_t reader : graph_.tensors[k].readers) {
      const std::uint32_t there = places[graph_.tasks[reader].group];
      if (there == here) {
        release(reader, at, places);
        continue;
      }
      bool is_known = false;
      for (std::size_t i = first; i < result_.transfers.size(); ++i) is_known = is_known || result_.transfers[i].to == there;
      if (is_known) continue;
      result_.transfers.push_back({k, here, there, 0, 0});
      queue_.push_back({at, static_cast<std::uint32_t>(graph_.tasks.size() + result_.transfers.size() - 1), there});
      std::push_heap(queue_.begin(), queue_.end());
    }
  }
  for (const std::uint32_t after : graph_.orders[task]) release(after, at, places);
}

// Measures memory. A value is on a device from the start of the task that makes or transfers it to the end of its last reader
// there.
FLOWGRAPH_INLINE void simulation::measure_memory(std::span<const std::uint32_t> places) {
  struct change {
    double at;
    // 0: a value ends. 1: a value begins, after all values that end at the same time. 2: a value ends when it begins.
    std::uint8_t order;
    std::uint64_t bytes;
  };
  sequence<sequence<change>> changes(graph_.devices.size());
  const auto hold = [&](std::uint32_t device, double from, double to, std::uint64_t bytes) {
    changes[device].push_back({from, 1, bytes});
    changes[device].push_back({to, to > from ? std::uint8_t{0} : std::uint8_t{2}, bytes});
  };
  const auto end_of_readers = [&](const task_graph::tensor& t, std::uint32_t device, double end) {
    for (const std::uint32_t reader : t.readers)
      if (places[graph_.tasks[reader].group] == device) end = std::max(end, result_.tasks[reader].end);
    return end;
  };
  sequence<double> sent(graph_.tensors.size(), 0);
  for (const auto& t : result_.transfers) {
    const auto& tensor = graph_.tensors[t.tensor];
    sent[t.tensor] = std::max(sent[t.tensor], t.end);
    hold(t.to, t.start, end_of_readers(tensor, t.to, t.end), tensor.bytes);
  }
  for (std::uint32_t k = 0; k < graph_.tensors.size(); ++k) {
    const auto& tensor = graph_.tensors[k];
    if (tensor.is_kept) continue;
    const std::uint32_t here = places[graph_.tasks[tensor.from].group];
    const auto& result = result_.tasks[tensor.from];
    hold(here, result.start, end_of_readers(tensor, here, std::max(result.end, sent[k])), tensor.bytes);
  }
  for (const auto& t : graph_.tasks) result_.peaks[places[t.group]] += t.kept;
  for (std::uint32_t d = 0; d < changes.size(); ++d) {
    std::ranges::sort(changes[d],
                      [](const change& a, const change& b) { return a.at != b.at ? a.at < b.at : a.order < b.order; });
    std::uint64_t now = result_.peaks[d];
    for (const change& c : changes[d]) {
      now = c.order == 1 ? now + c.bytes : now - c.bytes;
      result_.peaks[d] = std::max(result_.peaks[d], now);
    }
    const std::uint64_t limit = graph_.devices[d].memory_limit;
    if (limit > 0 && result_.peaks[d] > limit) result_.excess += result_.peaks[d] - limit;
  }
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
