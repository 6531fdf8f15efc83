#pragma once
// The conversion of the records of a log to events, for recorders and for tasks that run parts of traced steps.

#include <flowgraph/core/stable_sort.hpp>
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <algorithm>
#include <chrono>
#include <unordered_map>
#ifdef __linux__
#include <unistd.h>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_SELDOM traced_process this_process(const trace_options& options) {
  traced_process result{options.process, options.machine};
  // The two clocks are read one after the other. Of several pairs, the closest is the best estimate.
  std::int64_t closest = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = trace_clock();
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    const std::int64_t after = trace_clock();
    if (after - before >= closest) continue;
    closest = after - before;
    result.wall_offset = std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count() - (before + (after - before) / 2);
  }
#ifdef __linux__
  result.number = static_cast<std::uint64_t>(::getpid());
  char name[256] = {};
  if (result.machine.empty() && ::gethostname(name, sizeof name - 1) == 0) result.machine = name;
#endif
  return result;
}

// Converts the records of a log to events.
class trace_collector {
public:
  explicit trace_collector(const traced_process& of) { result_.processes.push_back(of); }

  collected_trace collect(const trace_log& log) {
    log.each_lane([&](const trace_lane& l) {
      result_.threads.push_back({0, l.number(), l.system_number()});
      result_.dropped += l.dropped();
    });
    log.each([&](const trace_lane& l, const trace_record& r) { add(l, r); });
    const auto earlier = [](const trace_event& a, const trace_event& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    };
    sort_stably(result_.events, earlier);
    return std::move(result_);
  }

private:
  void add(const trace_lane& l, const trace_record& r) {
    if (l.number() >= result_.threads.size()) return;  // a thread that appeared during the collection
    trace_event& e = result_.events.emplace_back();
    e.kind = r.kind;
    e.thread = l.number();
    e.step = r.run;
    e.key = r.key;
    e.ready = r.ready;
    e.start = r.start;
    e.end = r.end;
    e.node = node_of(r);
    if (r.kind == trace_kind::step || r.kind == trace_kind::helper) {
      e.switches[0] = r.bytes;
      e.switches[1] = r.iteration;
      return;
    }
    e.bytes = r.bytes;
    e.iteration = r.iteration;
    if (r.text) e.text = text(*r.text);
    if (r.kind == trace_kind::send || r.kind == trace_kind::receive) e.edge = r.edge;
    if (r.table && r.frame != 0) e.loop = text(r.table->frames[r.frame]);
  }
  std::uint32_t node_of(const trace_record& r) {
    if (!r.table) return trace_event::none;
    const std::uint32_t first = first_of(*r.table);
    if (r.record != trace_event::none) return first + r.record;
    const auto& known = r.kind == trace_kind::loop ? r.table->loop_of : r.table->of_node;
    const auto found = known.find(r.node);
    return found == known.end() ? trace_event::none : first + found->second;
  }
  std::uint32_t first_of(const trace_table& t) {
    const auto [at, is_new] = tables_.try_emplace(&t, static_cast<std::uint32_t>(result_.nodes.size()));
    if (!is_new) return at->second;
    const auto plan = static_cast<std::uint32_t>(tables_.size() - 1);
    for (const trace_table::named& n : t.records) {
      result_.nodes.push_back(
          {n.name, n.op, here(n.device), plan, n.is_transfer, {n.readers.begin(), n.readers.end()}, n.inputs});
      for (std::uint32_t& reader : result_.nodes.back().readers) reader += at->second;
    }
    return at->second;
  }
  // Returns the name of a device with the task of this process: plans on a task of a cluster do not contain the task's name.
  std::string here(const std::string& device) const {
    constexpr std::string_view local = "/job:localhost/task:0";
    const std::string& process = result_.processes[0].name;
    return process.starts_with("/job:") && device.starts_with(local) ? process + device.substr(local.size()) : device;
  }
  std::uint32_t text(const std::string& s) {
    const auto [at, is_new] = texts_.try_emplace(s, static_cast<std::uint32_t>(result_.texts.size()));
    if (is_new) result_.texts.push_back(s);
    return at->second;
  }

  collected_trace result_;
  std::unordered_map<const trace_table*, std::uint32_t> tables_;
  std::unordered_map<std::string, std::uint32_t> texts_;
};

FLOWGRAPH_SELDOM collected_trace collect_log(const traced_process& of, const trace_log& log) {
  return trace_collector(of).collect(log);
}

}  // namespace flowgraph::detail
