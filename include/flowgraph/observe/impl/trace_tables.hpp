#pragma once

#include <flowgraph/core/message.hpp>
#include <flowgraph/core/stable_sort.hpp>
#include <flowgraph/observe/trace.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns whether the event counts as time of a node: the time in a kernel, or the time until an asynchronous kernel has
// answered. The time of a loop is that of the kernels in it.
inline bool is_call(const trace_event& e) {
  return e.node != trace_event::none && (e.kind == trace_kind::kernel || e.kind == trace_kind::later);
}

inline void longest_first(std::vector<trace_sum>& sums) {
  sort_stably(sums, [](const trace_sum& a, const trace_sum& b) { return a.nanoseconds > b.nanoseconds; });
}

class trace_sums {
public:
  void add(std::string_view name, const trace_event& e) {
    auto at = of_.find(name);
    if (at == of_.end()) {
      at = of_.emplace(std::string(name), sums_.size()).first;
      sums_.push_back({std::string(name)});
    }
    trace_sum& s = sums_[at->second];
    ++s.calls;
    s.nanoseconds += e.duration();
    s.delay += e.delay();
    s.bytes += e.bytes;
  }
  std::vector<trace_sum> take() {
    longest_first(sums_);
    return std::move(sums_);
  }

private:
  std::map<std::string, std::size_t, std::less<>> of_;
  std::vector<trace_sum> sums_;
};

// Blocks of memory in use, with the nodes that allocated them.
class held_blocks {
public:
  explicit held_blocks(const collected_trace& t) : trace_(t) {}

  // Returns the number of bytes in use after this event.
  std::uint64_t follow(const trace_event& e) {
    const std::pair block{trace_.threads[e.thread].process, e.key};
    if (e.kind == trace_kind::allocation) {
      held_[block] = &e;
      return total_ += e.bytes;
    }
    const auto found = e.kind == trace_kind::release ? held_.find(block) : held_.end();
    if (found == held_.end()) return total_;
    total_ -= found->second->bytes;
    held_.erase(found);
    return total_;
  }
  std::vector<trace_memory::holder> holders() const {
    std::map<std::string_view, std::uint64_t> sums;
    for (const auto& [block, e] : held_)
      sums[e->node == trace_event::none ? std::string_view() : trace_.nodes[e->node].name] += e->bytes;
    std::vector<trace_memory::holder> result;
    for (const auto& [name, bytes] : sums) result.push_back({std::string(name), bytes});
    sort_stably(result, [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return result;
  }

private:
  const collected_trace& trace_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, const trace_event*> held_;
  std::uint64_t total_ = 0;
};

// Finds the longest path through the plans of a step, by the times of the nodes.
class path_finder {
public:
  path_finder(const collected_trace& t, std::uint32_t step, std::uint32_t process)
      : trace_(t), took_(t.nodes.size()), is_of_step_(t.nodes.size()), edges_(t.nodes.size()) {
    std::unordered_set<std::uint32_t> plans;
    std::unordered_map<std::uint32_t, std::uint32_t> sent;
    for (const trace_event& e : t.events) {
      if (e.step != step || asking_process(t, t.threads[e.thread].process) != process || e.node == trace_event::none) continue;
      plans.insert(t.nodes[e.node].plan);
      if (is_call(e) || e.kind == trace_kind::send) took_[e.node] += e.duration();
      if (e.kind == trace_kind::send) sent[e.edge] = e.node;
    }
    for (std::uint32_t i = 0; i < t.nodes.size(); ++i) {
      if (!plans.contains(t.nodes[i].plan)) continue;
      is_of_step_[i] = true;
      if (!has_op(i, "NextIteration")) edges_[i] = t.nodes[i].readers;
    }
    for (std::uint32_t i = 0; i < t.nodes.size(); ++i)
      if (is_of_step_[i] && has_op(i, "LoopCond")) leave_loop(i);
    for (const trace_event& e : t.events)
      if (e.kind == trace_kind::receive && e.step == step && asking_process(t, t.threads[e.thread].process) == process &&
          e.node != trace_event::none)
        if (const auto from = sent.find(e.edge); from != sent.end()) {
          auto& readers = edges_[from->second];
          if (std::find(readers.begin(), readers.end(), e.node) == readers.end()) readers.push_back(e.node);
        }
  }

  std::vector<path_node> find() {
    std::vector<std::uint32_t> waits_for(trace_.nodes.size()), order;
    for (const auto& readers : edges_)
      for (const std::uint32_t reader : readers) ++waits_for[reader];
    for (std::uint32_t i = 0; i < waits_for.size(); ++i)
      if (is_of_step_[i] && waits_for[i] == 0) order.push_back(i);
    std::vector<std::int64_t> longest(trace_.nodes.size());
    std::vector<std::uint32_t> before(trace_.nodes.size(), trace_event::none);
    std::uint32_t last = trace_event::none;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::uint32_t i = order[k];
      longest[i] += took_[i];
      if (last == trace_event::none || longest[i] > longest[last]) last = i;
      for (const std::uint32_t reader : edges_[i]) {
        if (longest[i] > longest[reader]) longest[reader] = longest[i], before[reader] = i;
        if (--waits_for[reader] == 0) order.push_back(reader);
      }
    }
    std::vector<path_node> result;
    for (; last != trace_event::none; last = before[last])
      if (took_[last] > 0) result.push_back({trace_.nodes[last].name, trace_.nodes[last].op, took_[last]});
    std::reverse(result.begin(), result.end());
    return result;
  }

private:
  bool has_op(std::uint32_t node, std::string_view op) const { return trace_.nodes[node].op.ends_with(op); }
  // The exits of a loop wait for its last iteration: the path leads from each NextIteration to each Exit, instead of back to the
  // Merge of the next iteration.
  void leave_loop(std::uint32_t condition) {
    std::vector<std::uint32_t> exits, nexts;
    std::unordered_set<std::uint32_t> switches, merges;
    for (const std::uint32_t s : trace_.nodes[condition].readers)
      if (has_op(s, "Switch") && switches.insert(s).second)
        for (const std::uint32_t reader : trace_.nodes[s].readers)
          if (has_op(reader, "Exit")) exits.push_back(reader);
    const auto leads_to = [&](std::uint32_t i, const std::unordered_set<std::uint32_t>& some) {
      return std::any_of(trace_.nodes[i].readers.begin(), trace_.nodes[i].readers.end(),
                         [&](std::uint32_t reader) { return some.contains(reader); });
    };
    for (std::uint32_t i = 0; i < trace_.nodes.size(); ++i)
      if (is_of_step_[i] && has_op(i, "Merge") && leads_to(i, switches)) merges.insert(i);
    for (std::uint32_t i = 0; i < trace_.nodes.size(); ++i)
      if (is_of_step_[i] && has_op(i, "NextIteration") && leads_to(i, merges)) edges_[i] = exits;
  }

  const collected_trace& trace_;
  std::vector<std::int64_t> took_;
  std::vector<char> is_of_step_;
  std::vector<std::vector<std::uint32_t>> edges_;
};

// Returns the outputs that a kernel's text describes: "float[2,3], int32[]".
inline std::vector<node_output> outputs_in(std::string_view text) {
  std::vector<node_output> result;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('['), text.size()), end = std::min(text.find(']', open), text.size());
    node_output& o = result.emplace_back();
    const std::string_view name = text.substr(0, open);
    for (int number = 1; number < 64; ++number)
      if (size_of(static_cast<dtype>(number)) > 0 && name_of(static_cast<dtype>(number)) == name)
        o.type = static_cast<dtype>(number);
    std::int64_t extent = -1;
    for (const char c : text.substr(std::min(open + 1, end), end - std::min(open + 1, end))) {
      if (c == ',') o.shape.push_back(std::exchange(extent, -1));
      else extent = std::max<std::int64_t>(extent, 0) * 10 + (c - '0');
    }
    if (extent >= 0) o.shape.push_back(extent);
    text.remove_prefix(std::min(text.find(", ", end), text.size()));
    text.remove_prefix(std::min<std::size_t>(2, text.size()));
  }
  return result;
}

// ---- as text

inline std::string padded(std::string_view text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + std::string(text) : std::string(text);
}
inline std::string in_milliseconds(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1'000'000),
                static_cast<long long>(ns / 1000 % 1000));
  return text;
}

inline std::string sums_as_text(std::string_view title, const std::vector<trace_sum>& sums, std::size_t most) {
  std::string text = message{"\n", title, "\n        ms    delay ms     calls          bytes\n"};
  for (std::size_t i = 0; i < std::min(most, sums.size()); ++i) {
    const trace_sum& s = sums[i];
    text += message{padded(in_milliseconds(s.nanoseconds), 10),
                    padded(in_milliseconds(s.delay), 12),
                    padded(std::to_string(s.calls), 10),
                    padded(std::to_string(s.bytes), 15),
                    "  ",
                    s.name.empty() ? std::string_view("(all)") : std::string_view(s.name),
                    '\n'};
  }
  if (sums.size() > most) text += message{"        and ", sums.size() - most, " more\n"};
  return text;
}

}  // namespace detail

FLOWGRAPH_SELDOM std::vector<trace_sum> time_by_op(const collected_trace& t) {
  detail::trace_sums sums;
  for (const trace_event& e : t.events)
    if (detail::is_call(e)) sums.add(t.nodes[e.node].op, e);
  return sums.take();
}

FLOWGRAPH_SELDOM std::vector<trace_sum> time_by_node(const collected_trace& t) {
  detail::trace_sums sums;
  for (const trace_event& e : t.events)
    if (detail::is_call(e)) sums.add(t.nodes[e.node].name, e);
  return sums.take();
}

FLOWGRAPH_SELDOM std::vector<trace_sum> time_by_scope(const collected_trace& t) {
  detail::trace_sums sums;
  for (const trace_event& e : t.events) {
    if (!detail::is_call(e)) continue;
    sums.add("", e);
    const std::string_view name = t.nodes[e.node].name;
    for (std::size_t at = name.find('/'); at != std::string_view::npos; at = name.find('/', at + 1))
      sums.add(name.substr(0, at), e);
  }
  return sums.take();
}

FLOWGRAPH_SELDOM trace_memory peak_memory(const collected_trace& t) {
  trace_memory result;
  std::size_t reached = t.events.size();
  detail::held_blocks first(t), again(t);
  for (std::size_t i = 0; i < t.events.size(); ++i) {
    const std::uint64_t held = first.follow(t.events[i]);
    if (held <= result.peak) continue;
    result.peak = held;
    result.step = t.events[i].step;
    reached = i;
  }
  for (std::size_t i = 0; i <= reached && i < t.events.size(); ++i) again.follow(t.events[i]);
  if (result.peak > 0) result.holders = again.holders();
  return result;
}

FLOWGRAPH_SELDOM std::vector<path_node> critical_path(const collected_trace& t, std::uint32_t step, std::uint32_t process) {
  return detail::path_finder(t, step, process).find();
}

FLOWGRAPH_SELDOM std::string tables(const collected_trace& t, std::size_t most) {
  std::size_t steps = 0;
  const trace_event* last = nullptr;
  for (const trace_event& e : t.events)
    if (e.kind == trace_kind::step && detail::asking_process(t, t.threads[e.thread].process) == t.threads[e.thread].process)
      ++steps, last = &e;
  std::string text =
      message{steps, " steps, ", t.threads.size(), " threads, ", t.events.size(), " records, ", t.dropped, " dropped\n"};
  text += detail::sums_as_text("by op", time_by_op(t), static_cast<std::size_t>(-1));
  text += detail::sums_as_text("by scope", time_by_scope(t), most);
  text += detail::sums_as_text("by node", time_by_node(t), most);
  if (const trace_memory m = peak_memory(t); m.peak > 0) {
    text += message{"\nmemory: ", m.peak, " bytes at its peak, in step ", m.step, "\n         bytes\n"};
    for (std::size_t i = 0; i < std::min(most, m.holders.size()); ++i)
      text += message{detail::padded(std::to_string(m.holders[i].bytes), 14), "  ", m.holders[i].name, '\n'};
  }
  if (!last) return text;
  const auto path = critical_path(t, last->step, t.threads[last->thread].process);
  std::int64_t sum = 0;
  for (const path_node& n : path) sum += n.nanoseconds;
  text += message{"\ncritical path of step ",
                  last->step,
                  ": ",
                  detail::in_milliseconds(sum),
                  " ms of ",
                  detail::in_milliseconds(last->duration()),
                  "\n        ms\n"};
  for (const path_node& n : path)
    text += message{detail::padded(detail::in_milliseconds(n.nanoseconds), 10), "  ", n.name, " (", n.op, ")\n"};
  return text;
}

FLOWGRAPH_SELDOM std::vector<node_call> node_calls(const collected_trace& t, std::uint32_t step) {
  // Memory is recorded while the call runs, on its thread.
  struct open_call {
    std::size_t index = 0;
    std::int64_t end = -1;
  };
  std::vector<open_call> open(t.threads.size());
  std::vector<node_call> result;
  for (const trace_event& e : t.events) {
    if (step != 0 && e.step != step) continue;
    open_call& here = open[e.thread];
    if (e.kind == trace_kind::allocation && e.end <= here.end && !result.empty()) result[here.index].allocated_bytes += e.bytes;
    if (!detail::is_call(e)) continue;
    const traced_node& n = t.nodes[e.node];
    const std::int64_t ready = e.ready > 0 ? e.ready : e.start;
    if (e.kind == trace_kind::kernel) here = {result.size(), e.end};
    result.push_back({n.name, n.op, n.device, t.threads[e.thread].process, t.threads[e.thread].number, e.step, e.iteration,
                      t.wall_time(e, ready), t.wall_time(e, e.start), t.wall_time(e, e.end), e.bytes, 0, n.inputs,
                      e.text == trace_event::none ? std::vector<node_output>() : detail::outputs_in(t.texts[e.text])});
  }
  return result;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
