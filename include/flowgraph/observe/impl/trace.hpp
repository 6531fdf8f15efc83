#pragma once

#include <flowgraph/core/stable_sort.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_SELDOM result<void> write_text(const std::string& text, const std::string& path) {
  auto to = atomic_file::create(path);
  if (!to) return to.error();
  if (auto written = to->write(text); !written) return written;
  return to->commit();
}

// Merges the traces that tasks have returned into the trace of the requesting process, which is process 0. There, a task is one
// process for all parts that it has run, each of its threads is one thread, and the plan of a part is one plan.
class trace_merger {
public:
  explicit trace_merger(collected_trace& into) : into_(into) {}

  void add(const trace_log::part_elsewhere& part) {
    if (!part.trace) {
      into_.dropped += part.records;
      return;
    }
    const collected_trace& remote = *part.trace;
    into_.dropped += remote.dropped;
    const std::uint32_t process = process_of(remote.processes.at(0));
    std::vector<std::uint32_t> threads, texts;
    for (const traced_thread& t : remote.threads) threads.push_back(thread_of(process, t));
    for (const std::string& s : remote.texts) texts.push_back(text_of(s));
    const std::uint32_t node = nodes_of(process, remote.nodes);
    for (trace_event e : remote.events) {
      e.step = part.run;
      e.thread = threads[e.thread];
      if (e.node != trace_event::none) e.node += node;
      if (e.text != trace_event::none) e.text = texts[e.text];
      if (e.loop != trace_event::none) e.loop = texts[e.loop];
      into_.events.push_back(e);
    }
  }
  void sort() {
    sort_stably(into_.events, [&](const trace_event& a, const trace_event& b) {
      return into_.wall_time(a, a.start) < into_.wall_time(b, b.start);
    });
  }

private:
  // Returns the index of a process. Its clock is the one that was measured best.
  std::uint32_t process_of(const traced_process& p) {
    const auto found = std::find_if(into_.processes.begin() + 1, into_.processes.end(), [&](const traced_process& known) {
      return known.name == p.name && known.machine == p.machine && known.number == p.number;
    });
    const auto at = static_cast<std::uint32_t>(found - into_.processes.begin());
    if (found == into_.processes.end()) into_.processes.push_back(p);
    traced_process& kept = into_.processes[at];
    if (p.clock_error <= kept.clock_error) kept = p;
    kept.asked_by = 0;
    kept.wall_offset = into_.processes[0].wall_offset - kept.clock_offset;
    return at;
  }
  std::uint32_t thread_of(std::uint32_t process, const traced_thread& t) {
    const auto [at, is_new] =
        threads_.try_emplace({process, t.system_number != 0 ? t.system_number : t.number}, into_.threads.size());
    if (is_new) into_.threads.push_back({process, threads_in_[process]++, t.system_number});
    return static_cast<std::uint32_t>(at->second);
  }
  std::uint32_t text_of(const std::string& s) {
    if (texts_.empty())
      for (std::size_t i = 0; i < into_.texts.size(); ++i) texts_.emplace(into_.texts[i], i);
    const auto [at, is_new] = texts_.try_emplace(s, into_.texts.size());
    if (is_new) into_.texts.push_back(s);
    return static_cast<std::uint32_t>(at->second);
  }
  std::uint32_t nodes_of(std::uint32_t process, const std::vector<traced_node>& nodes) {
    for (const auto& [of, first, known] : plans_)
      if (of == process && same(*known, nodes)) return first;
    const auto first = static_cast<std::uint32_t>(into_.nodes.size());
    const std::uint32_t plan = into_.nodes.empty() ? 0 : into_.nodes.back().plan + 1;
    for (traced_node n : nodes) {
      n.plan += plan;
      for (std::uint32_t& reader : n.readers) reader += first;
      into_.nodes.push_back(std::move(n));
    }
    plans_.push_back({process, first, &nodes});
    return first;
  }
  static bool same(const std::vector<traced_node>& a, const std::vector<traced_node>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const traced_node& n, const traced_node& m) {
      return n.name == m.name && n.op == m.op && n.device == m.device && n.plan == m.plan && n.readers == m.readers;
    });
  }

  struct known_plan {
    std::uint32_t process, first;
    const std::vector<traced_node>* nodes;
  };
  collected_trace& into_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> threads_;  // by process and number
  std::map<std::uint32_t, std::uint32_t> threads_in_;
  std::map<std::string, std::size_t> texts_;
  std::vector<known_plan> plans_;
};

}  // namespace detail

FLOWGRAPH_INLINE trace_recorder::trace_recorder(trace_options options)
    : options_(std::move(options)), process_(detail::this_process(options_)),
      log_(std::make_shared<detail::trace_log>(options_.most_records)) {}

FLOWGRAPH_INLINE trace_recorder::~trace_recorder() { log_->close(); }

FLOWGRAPH_INLINE std::unique_ptr<detail::run_trace> trace_recorder::begin() {
  const threading::lock_guard lock(mutex_);
  return std::make_unique<detail::run_recording>(log_);
}

FLOWGRAPH_INLINE collected_trace trace_recorder::collect() const {
  const threading::lock_guard lock(mutex_);
  collected_trace result = detail::collect_log(process_, *log_);
  const auto parts = log_->elsewhere();
  if (parts.empty()) return result;
  detail::trace_merger all(result);
  for (const auto& part : parts) all.add(part);
  all.sort();
  return result;
}

FLOWGRAPH_INLINE void trace_recorder::clear() {
  const threading::lock_guard lock(mutex_);
  log_->close();
  log_ = std::make_shared<detail::trace_log>(options_.most_records);
}

FLOWGRAPH_INLINE result<void> trace_recorder::write_chrome_trace(const std::string& path) const {
  return detail::write_text(to_chrome_trace(collect()), path);
}

FLOWGRAPH_SELDOM result<trace_listener> trace_files(const std::string& folder, std::size_t most) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    return error(error_code::not_found, message{"traces cannot be written to '", folder, "': it is not a folder"});
  return trace_listener([folder, most, result = std::make_shared<std::atomic<std::size_t>>(0)](const collected_trace& t) {
    const std::size_t number = ++*result;
    if (number > most) return;
    std::string name = t.processes[0].name;
    for (char& c : name)
      if (c == '/' || c == ':') c = '_';
    name.erase(0, name.find_first_not_of('_'));
    const std::string path = message{folder, '/', name, '.', number};
    (void)detail::write_text(to_chrome_trace(t), path + ".trace.json");
    (void)detail::write_text(tables(t), path + ".tables.txt");
  });
}

FLOWGRAPH_INLINE void collected_trace::add(const collected_trace& other) {
  const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  const std::uint32_t process = count(processes), thread = count(threads), node = count(nodes), text = count(texts);
  const std::uint32_t plan = nodes.empty() ? 0 : nodes.back().plan + 1;
  const auto shift = [](std::uint32_t& index, std::uint32_t by) {
    if (index != trace_event::none) index += by;
  };
  for (traced_process p : other.processes) {
    shift(p.asked_by, process);
    processes.push_back(std::move(p));
  }
  texts.insert(texts.end(), other.texts.begin(), other.texts.end());
  for (traced_thread t : other.threads) {
    t.process += process;
    threads.push_back(t);
  }
  for (traced_node n : other.nodes) {
    n.plan += plan;
    for (std::uint32_t& reader : n.readers) reader += node;
    nodes.push_back(std::move(n));
  }
  for (trace_event e : other.events) {
    e.thread += thread;
    shift(e.node, node);
    shift(e.loop, text);
    shift(e.text, text);
    events.push_back(e);
  }
  dropped += other.dropped;
  detail::sort_stably(events,
                      [&](const trace_event& a, const trace_event& b) { return wall_time(a, a.start) < wall_time(b, b.start); });
}

}  // namespace flowgraph
