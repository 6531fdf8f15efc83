#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/stable_sort.hpp>
#include <flowgraph/placement/placer.hpp>

#include <algorithm>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Orders tasks so that they can run. Of the tasks that could be next, it takes the one with the longest path behind it. Devices
// and links count by their mean.
class upward_order {
public:
  explicit upward_order(const task_graph& g) : graph_(g), inputs_(g.tasks.size()), behind_(g.tasks.size()) {
    for (std::uint32_t k = 0; k < g.tensors.size(); ++k)
      for (const std::uint32_t reader : g.tensors[k].readers) inputs_[reader].push_back(k);
    take_mean_of_links();
    const sequence<std::uint32_t> waits = count_waits();
    measure(waits);
    sort(waits);
  }
  const sequence<std::uint32_t>& tasks() const { return order_; }
  // Returns the tensors that a task reads.
  const sequence<std::uint32_t>& inputs(std::uint32_t task) const { return inputs_[task]; }

private:
  void take_mean_of_links() {
    const auto devices = static_cast<std::uint32_t>(graph_.devices.size());
    for (std::uint32_t a = 0; a < devices; ++a)
      for (std::uint32_t b = 0; b < devices; ++b)
        if (a != b) {
          latency_ += graph_.link_of(a, b).latency / (devices * (devices - 1.0));
          per_byte_ += graph_.link_of(a, b).per_byte / (devices * (devices - 1.0));
        }
  }
  double mean_of(std::uint32_t task) const {
    double sum = 0;
    int devices = 0;
    for (std::uint32_t d = 0; d < graph_.devices.size(); ++d)
      if (graph_.is_allowed(graph_.tasks[task].group, d)) {
        sum += graph_.seconds_of(task, d);
        ++devices;
      }
    return devices > 0 ? sum / devices : 0;
  }
  template <class F> void for_each_after(std::uint32_t task, F f) const {
    const auto& t = graph_.tasks[task];
    for (std::uint32_t k = t.first_output; k < t.first_output + t.output_count; ++k)
      for (const std::uint32_t r : graph_.tensors[k].readers)
        f(r, latency_ + per_byte_ * static_cast<double>(graph_.tensors[k].bytes));
    for (const std::uint32_t after : graph_.orders[task]) f(after, 0.0);
  }
  sequence<std::uint32_t> count_waits() const {
    sequence<std::uint32_t> waits(graph_.tasks.size());
    for (std::uint32_t t = 0; t < waits.size(); ++t) for_each_after(t, [&](std::uint32_t after, double) { ++waits[after]; });
    return waits;
  }
  void measure(sequence<std::uint32_t> waits) {
    sequence<std::uint32_t> forward;
    for (std::uint32_t t = 0; t < waits.size(); ++t)
      if (waits[t] == 0) forward.push_back(t);
    for (std::size_t i = 0; i < forward.size(); ++i)
      for_each_after(forward[i], [&](std::uint32_t after, double) {
        if (--waits[after] == 0) forward.push_back(after);
      });
    for (auto at = forward.rbegin(); at != forward.rend(); ++at) {
      double longest = 0;
      for_each_after(*at, [&](std::uint32_t after, double way) { longest = std::max(longest, way + behind_[after]); });
      behind_[*at] = longest + mean_of(*at);
    }
  }
  void sort(sequence<std::uint32_t> waits) {
    const auto is_later = [&](std::uint32_t a, std::uint32_t b) {
      return behind_[a] != behind_[b] ? behind_[a] < behind_[b] : a > b;
    };
    sequence<std::uint32_t> ready;
    for (std::uint32_t t = 0; t < waits.size(); ++t)
      if (waits[t] == 0) ready.push_back(t);
    std::ranges::make_heap(ready, is_later);
    while (!ready.empty()) {
      std::ranges::pop_heap(ready, is_later);
      order_.push_back(ready.back());
      ready.pop_back();
      for_each_after(order_.back(), [&](std::uint32_t after, double) {
        if (--waits[after] > 0) return;
        ready.push_back(after);
        std::ranges::push_heap(ready, is_later);
      });
    }
  }

  const task_graph& graph_;
  sequence<sequence<std::uint32_t>> inputs_;
  sequence<double> behind_;  // the longest path from a task's start to the end
  sequence<std::uint32_t> order_;
  double latency_ = 0, per_byte_ = 0;
};

// Places group after group on the device on which its first task would finish first. Devices with room for the group are
// preferred.
class earliest_finish {
public:
  earliest_finish(const task_graph& g, const upward_order& order)
      : graph_(g), order_(order), places_(g.group_count(), nowhere), ends_(g.tasks.size()),
        arrivals_(g.tensors.size() * g.devices.size(), -1), kept_(g.devices.size()), kept_by_(g.group_count()),
        made_by_(g.group_count()) {
    for (const std::uint32_t threads : g.lines) free_.emplace_back(threads, 0.0);
    for (const auto& t : g.tasks) {
      std::uint64_t result = 0;
      for (std::uint32_t k = t.first_output; k < t.first_output + t.output_count; ++k) result += g.tensors[k].bytes;
      kept_by_[t.group] += t.kept;
      made_by_[t.group] = std::max(made_by_[t.group], result);
    }
    for (const std::uint32_t task : order.tasks()) place(task);
    for (std::uint32_t k = 0; k < places_.size(); ++k)
      for (std::uint32_t d = 0; places_[k] == nowhere && d < g.devices.size(); ++d)
        if (g.is_allowed(k, d)) places_[k] = d;
  }
  sequence<std::uint32_t> take() { return std::move(places_); }

private:
  static constexpr std::uint32_t nowhere = 0xffffffff;

  bool has_room(std::uint32_t group, std::uint32_t d) const {
    const std::uint64_t limit = graph_.devices[d].memory_limit;
    return limit == 0 || kept_[d] + kept_by_[group] + made_by_[group] <= limit;
  }
  void place(std::uint32_t task) {
    const std::uint32_t group = graph_.tasks[task].group;
    if (places_[group] == nowhere) {
      places_[group] = best_for(task, group);
      kept_[places_[group]] += kept_by_[group];
    }
    const std::uint32_t here = places_[group];
    ends_[task] = start_of(task, here, true) + graph_.seconds_of(task, here);
    *std::ranges::min_element(free_[graph_.devices[here].line]) = ends_[task];
  }
  std::uint32_t best_for(std::uint32_t task, std::uint32_t group) {
    std::uint32_t best = nowhere;
    double earliest = task_graph::never;
    bool fits = false;
    for (std::uint32_t d = 0; d < graph_.devices.size(); ++d) {
      if (!graph_.is_allowed(group, d)) continue;
      const bool would_fit = has_room(group, d);
      const double end = start_of(task, d, false) + graph_.seconds_of(task, d);
      if (best != nowhere && (would_fit != fits ? fits : end >= earliest)) continue;
      best = d;
      earliest = end;
      fits = would_fit;
    }
    return best;
  }
  // Returns the time at which all inputs are there and a thread is free. With `books`, transfers occupy their line from then on.
  double start_of(std::uint32_t task, std::uint32_t d, bool books) {
    double start = 0;
    for (const std::uint32_t k : order_.inputs(task)) start = std::max(start, arrival_of(k, d, books));
    return std::max(start, std::ranges::min(free_[graph_.devices[d].line]));
  }
  double arrival_of(std::uint32_t k, std::uint32_t d, bool books) {
    const auto& t = graph_.tensors[k];
    const std::uint32_t from = places_[graph_.tasks[t.from].group];
    if (from == d) return ends_[t.from];
    double& known = arrivals_[k * graph_.devices.size() + d];
    if (known >= 0) return known;
    const auto& way = graph_.link_of(from, d);
    const auto carrier = std::ranges::min_element(free_[way.line]);
    const double end = std::max(ends_[t.from], *carrier) + way.seconds_for(t.bytes);
    if (books) *carrier = known = end;
    return end;
  }

  const task_graph& graph_;
  const upward_order& order_;
  sequence<std::uint32_t> places_;
  sequence<double> ends_;
  sequence<sequence<double>> free_;  // the time at which each thread of a line is free
  sequence<double> arrivals_;        // of a tensor on a device; -1: not booked
  sequence<std::uint64_t> kept_, kept_by_, made_by_;
};

// Moves groups as long as that improves a simulated run.
class improver {
public:
  struct score {
    std::uint64_t excess = 0;
    double seconds = task_graph::never;
    bool operator<(const score& o) const { return excess != o.excess ? excess < o.excess : seconds < o.seconds; }
  };

  improver(const task_graph& g, std::size_t effort) : graph_(g), simulated_(g), effort_(effort) {
    for (const auto& t : g.tensors)
      for (const std::uint32_t reader : t.readers) {
        const std::uint32_t a = g.tasks[t.from].group, b = g.tasks[reader].group;
        if (a != b) pairs_.emplace_back(a, b);
      }
    std::ranges::sort(pairs_);
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  }
  score look(const sequence<std::uint32_t>& places) {
    const simulated_run& r = simulated_.run(places);
    spent_ += graph_.tasks.size() + r.transfers.size();
    return {r.excess, r.seconds};
  }
  // Pairs are moved only if no single group can be moved.
  void improve(sequence<std::uint32_t>& places, score& now) {
    for (bool is_better = true; is_better && spent_ < effort_;) {
      is_better = false;
      for (std::uint32_t k = 0; k < places.size(); ++k) is_better = move(places, now, k, k) || is_better;
      if (is_better) continue;
      for (const auto& [a, b] : pairs_) is_better = move(places, now, a, b) || is_better;
    }
  }

private:
  bool move(sequence<std::uint32_t>& places, score& now, std::uint32_t a, std::uint32_t b) {
    bool is_better = false;
    for (std::uint32_t d = 0; d < graph_.devices.size() && spent_ < effort_; ++d) {
      const std::uint32_t was[] = {places[a], places[b]};
      if ((was[0] == d && was[1] == d) || !graph_.is_allowed(a, d) || !graph_.is_allowed(b, d)) continue;
      places[a] = places[b] = d;
      if (const score found = look(places); found < now) {
        now = found;
        is_better = true;
      } else {
        places[a] = was[0];
        places[b] = was[1];
      }
    }
    return is_better;
  }

  const task_graph& graph_;
  simulation simulated_;
  std::size_t effort_, spent_ = 0;
  sequence<std::pair<std::uint32_t, std::uint32_t>> pairs_;  // groups with an edge between them
};

// Places all groups on one device, except groups that may not be there.
inline sequence<std::uint32_t> all_on(const task_graph& g, std::uint32_t device) {
  sequence<std::uint32_t> places(g.group_count(), device);
  for (std::uint32_t k = 0; k < places.size(); ++k)
    for (std::uint32_t d = 0; d < g.devices.size() && !g.is_allowed(k, places[k]); ++d)
      if (g.is_allowed(k, d)) places[k] = d;
  return places;
}

FLOWGRAPH_INLINE placed_groups place_groups(const task_graph& g, std::size_t effort) {
  struct candidate {
    detail::improver::score found;
    sequence<std::uint32_t> places;
  };
  detail::improver search(g, effort);
  sequence<candidate> all;
  all.push_back({{}, detail::earliest_finish(g, detail::upward_order(g)).take()});
  for (std::uint32_t d = 0; d < g.devices.size(); ++d) all.push_back({{}, detail::all_on(g, d)});
  for (candidate& c : all) c.found = search.look(c.places);
  detail::sort_stably(all, [](const candidate& a, const candidate& b) { return a.found < b.found; });
  for (candidate& c : all) search.improve(c.places, c.found);
  candidate& best = *std::ranges::min_element(all, [](const candidate& a, const candidate& b) { return a.found < b.found; });
  return {std::move(best.places), best.found.seconds, best.found.excess};
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
