#pragma once
// The trace event format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
// Spans on a thread are complete events, which nest. Spans that may overlap there (steps, calls that answer later, waits) are
// asynchronous events.

#include <flowgraph/formats/detail/json_text.hpp>
#include <flowgraph/observe/trace.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>
#include <unordered_map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class chrome_writer {
public:
  chrome_writer(const collected_trace& t, std::int64_t zero) : trace_(t), zero_(zero) {
    if (zero_ != 0 || t.events.empty()) return;
    zero_ = INT64_MAX;
    for (const trace_event& e : t.events) zero_ = std::min(zero_, t.wall_time(e, e.start));
  }

  std::string write() {
    put("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"zero_ns_since_1970\":");
    quote(std::to_string(zero_));
    put(",\"dropped_records\":");
    number(trace_.dropped);
    put("},\n\"traceEvents\":[");
    name_all();
    for (const trace_event& e : trace_.events)
      if (e.kind == trace_kind::waiting) waits_[call_of(e)].emplace_back(e.start, e.end);
    for (const trace_event& e : trace_.events) add(e);
    put("\n]}\n");
    return std::move(out_);
  }

private:
  static std::string_view category(trace_kind k) {
    constexpr std::array<std::string_view, 13> names = {"kernel",  "loop",       "later",   "waiting", "block",  "copy",   "send",
                                                        "receive", "allocation", "release", "step",    "helper", "nothing"};
    return names[static_cast<std::size_t>(k)];
  }

  void put(std::string_view text) { out_ += text; }
  template <class T> void number(T n) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
  }
  void quote(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    out_ += '"';
    while (!text.empty()) {
      const std::size_t length = utf8_length(text);
      const auto byte = static_cast<unsigned char>(text[0]);
      if (length == 0) out_ += '?';  // names in other programs' files may contain any bytes
      else if (byte == '"' || byte == '\\') put(byte == '"' ? "\\\"" : "\\\\");
      else if (byte == '\n') put("\\n");
      else if (byte < 0x20 || byte == 0x7f) put(message{"\\u00", hex[byte >> 4], hex[byte & 15]}.string());
      else put(text.substr(0, length));
      text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    out_ += '"';
  }
  // Writes microseconds, with the nanoseconds after the decimal point.
  void micros(std::int64_t ns) {
    if (ns < 0) out_ += '-';
    const auto whole = static_cast<std::uint64_t>(ns < 0 ? -ns : ns);
    number(whole / 1000);
    const auto rest = static_cast<unsigned>(whole % 1000);
    out_ += '.';
    out_ += static_cast<char>('0' + rest / 100);
    out_ += static_cast<char>('0' + rest / 10 % 10);
    out_ += static_cast<char>('0' + rest % 10);
  }
  void begin(std::string_view phase, std::string_view name, std::uint32_t thread) {
    put(is_first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
    is_first_ = false;
    put(phase);
    put("\",\"name\":");
    quote(name);
    put(",\"pid\":");
    number(trace_.threads[thread].process + 1);
    put(",\"tid\":");
    number(trace_.threads[thread].number + 1);
  }
  void time(const trace_event& e, std::int64_t at) {
    put(",\"ts\":");
    micros(trace_.wall_time(e, at) - zero_);
  }
  void text(std::string_view key, std::string_view value) {
    put(key);
    quote(value);
  }
  template <class T> void value(std::string_view key, T n) {
    put(key);
    number(n);
  }

  void name_all() {
    std::vector<char> has_name(trace_.processes.size());
    for (std::uint32_t i = 0; i < trace_.threads.size(); ++i) {
      const traced_thread& t = trace_.threads[i];
      const traced_process& p = trace_.processes[t.process];
      if (!std::exchange(has_name[t.process], true)) {
        begin("M", "process_name", i);
        text(",\"args\":{\"name\":", message{p.name, ' ', p.number, (p.machine.empty() ? "" : " on "), p.machine}.string());
        if (p.asked_by != traced_process::none) value(",\"clock_error_ns\":", p.clock_error);
        put("}}");
      }
      begin("M", "thread_name", i);
      text(",\"args\":{\"name\":", message{"thread ", t.number + 1}.string());
      value(",\"system_number\":", t.system_number);
      put("}}");
    }
  }

  // Writes the arguments of every record: its place in the program, and its time.
  void arguments(const trace_event& e) {
    value(",\"args\":{\"step\":", e.step);
    value(",\"clock\":", e.start);
    if (e.node != trace_event::none) {
      text(",\"device\":", trace_.nodes[e.node].device);
      text(",\"node\":", trace_.nodes[e.node].name);
      if (!trace_.nodes[e.node].inputs.empty()) text(",\"inputs\":", trace_.nodes[e.node].inputs);
    }
    if (e.kind == trace_kind::kernel && e.text != trace_event::none) text(",\"outputs\":", trace_.texts[e.text]);
    if (e.text != trace_event::none && (e.kind == trace_kind::send || e.kind == trace_kind::receive))
      text(",\"peer\":", trace_.texts[e.text]);
    if (e.loop != trace_event::none) {
      text(",\"loop\":", trace_.texts[e.loop]);
      value(",\"iteration\":", e.iteration);
    }
    if (e.bytes > 0) value(",\"bytes\":", e.bytes);
    if (e.ready > 0) {
      put(",\"ready_to_start_us\":");
      micros(e.delay());
    }
    if (e.kind == trace_kind::step || e.kind == trace_kind::helper) {
      value(",\"switches_by_waiting\":", e.switches[0]);
      value(",\"other_switches\":", e.switches[1]);
    }
    put("}}");
  }
  void complete(const trace_event& e, std::string_view name) {
    begin("X", name, e.thread);
    text(",\"cat\":", category(e.kind));
    time(e, e.start);
    put(",\"dur\":");
    micros(e.duration());
    arguments(e);
  }
  // Returns a line for calls of one thread that follow each other: a later event uses the line of an earlier event that has
  // ended.
  std::uint64_t line_for(const trace_event& e, std::string_view name) {
    auto& lines = lines_[{trace_.threads[e.thread].process, std::string(name)}];
    for (auto& [id, end] : lines)
      if (end <= trace_.wall_time(e, e.start)) return end = trace_.wall_time(e, e.end), id;
    lines.emplace_back(++last_id_, trace_.wall_time(e, e.end));
    return last_id_;
  }
  void asynchronous(const trace_event& e, std::string_view name) {
    const std::uint64_t id = line_for(e, e.kind == trace_kind::step ? "step" : name);
    for (const bool is_start : {true, false}) {
      begin(is_start ? "b" : "e", name, e.thread);
      text(",\"cat\":", category(e.kind));
      value(",\"id\":", id);
      time(e, is_start ? e.start : e.end);
      if (is_start) arguments(e);
      else put("}");
    }
  }
  // Draws an arrow from the place where a value was sent to the place where it arrived.
  void exchange(const trace_event& e) {
    // The tensor is the value that the node sends or receives.
    const bool has_tensor = e.node != trace_event::none && !trace_.nodes[e.node].inputs.empty();
    complete(
        e, message{category(e.kind), ' ', has_tensor ? std::string_view(trace_.nodes[e.node].inputs) : name_of_node(e)}.string());
    const bool is_sent = e.kind == trace_kind::send;
    begin(is_sent ? "s" : "f", "transfer", e.thread);
    put(",\"cat\":\"transfer\",\"id\":");
    const std::uint32_t process = trace_.threads[e.thread].process;
    quote(message{asking_process(trace_, process), '.', e.step, '.', e.edge, '.', e.key}.string());
    if (!is_sent) put(",\"bp\":\"e\"");
    time(e, e.start);
    put("}");
  }
  void memory(const trace_event& e) {
    const std::uint32_t process = trace_.threads[e.thread].process;
    auto& held = held_[process];
    auto& in_use = in_use_[process];
    if (e.kind == trace_kind::allocation) {
      held[e.key] = e.bytes;
      in_use += e.bytes;
    } else {
      const auto found = held.find(e.key);
      if (found == held.end()) return;  // allocated while there was no room for a record
      in_use -= found->second;
      held.erase(found);
    }
    begin("C", "memory in use", e.thread);
    time(e, e.start);
    value(",\"args\":{\"bytes\":", in_use);
    put("}}");
  }
  std::string_view name_of_node(const trace_event& e) const {
    return e.node == trace_event::none ? std::string_view("?") : std::string_view(trace_.nodes[e.node].name);
  }

  void add(const trace_event& e) {
    switch (e.kind) {
      case trace_kind::kernel: return complete(e, e.node == trace_event::none ? "?" : trace_.nodes[e.node].op);
      case trace_kind::loop: return complete(e, message{"loop ", name_of_node(e)}.string());
      case trace_kind::block: return complete(e, message{name_of_node(e), " block"}.string());
      case trace_kind::copy: return complete(e, message{"copy ", name_of_node(e)}.string());
      case trace_kind::helper: return complete(e, message{"helps step ", e.step}.string());
      case trace_kind::later: return has_waited(e) ? void() : asynchronous(e, name_of_node(e));
      case trace_kind::waiting: return asynchronous(e, message{name_of_node(e), " waits at ", trace_.texts[e.text]}.string());
      case trace_kind::step: return asynchronous(e, message{"step ", e.step}.string());
      case trace_kind::send:
      case trace_kind::receive: return exchange(e);
      case trace_kind::allocation:
      case trace_kind::release: return memory(e);
      case trace_kind::nothing: return;
    }
  }

  const collected_trace& trace_;
  std::int64_t zero_;
  std::string out_;
  bool is_first_ = true;
  // A call of an asynchronous kernel. If the call has waited, only its wait is shown.
  using later_call = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // process, step, node
  later_call call_of(const trace_event& e) const { return {trace_.threads[e.thread].process, e.step, e.node}; }
  bool has_waited(const trace_event& e) const {
    const auto waits = waits_.find(call_of(e));
    return waits != waits_.end() && std::any_of(waits->second.begin(), waits->second.end(),
                                                [&](const auto& span) { return span.first >= e.start && span.second <= e.end; });
  }
  std::map<later_call, std::vector<std::pair<std::int64_t, std::int64_t>>> waits_;
  std::uint64_t last_id_ = 0;
  std::map<std::pair<std::uint32_t, std::string>, std::vector<std::pair<std::uint64_t, std::int64_t>>>
      lines_;                                                                                 // ids, and the ends of their events
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint64_t>> held_;  // by process, by address
  std::unordered_map<std::uint32_t, std::uint64_t> in_use_;
};

}  // namespace detail

FLOWGRAPH_SELDOM std::string to_chrome_trace(const collected_trace& t, std::int64_t zero) {
  return detail::chrome_writer(t, zero).write();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
