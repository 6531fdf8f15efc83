#include "trace_bytes.hpp"

#include "../field_bytes.hpp"
#include "../messages.hpp"

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

constexpr int times_asked = 4;

bool makes_sense(const collected_trace& t, const trace_event& e) {
  const auto is_in = [](std::uint32_t index, std::size_t size, bool or_none) {
    return index < size || (or_none && index == trace_event::none);
  };
  return e.kind <= trace_kind::nothing && is_in(e.thread, t.threads.size(), false) && is_in(e.node, t.nodes.size(), true) &&
         is_in(e.loop, t.texts.size(), true) && is_in(e.text, t.texts.size(), e.kind != trace_kind::waiting);
}

void ask_time(const std::shared_ptr<asking_link>& to, int left) {
  const std::int64_t asked = detail::trace_clock();
  to->ask(std::move(body_of(message_kind::tell_time).text), {},
          [link = std::weak_ptr(to), left, asked](const error& why, frame came) {
            byte_reader from(came.body);
            const auto remote = from.number<std::int64_t>();
            const auto there = link.lock();
            if (why || !there || !from.is_done()) return;
            there->clock.add(asked, remote, detail::trace_clock());
            if (left > 1) ask_time(there, left - 1);
          });
}

}  // namespace

template <class A> void fields(A& a, ref<A, traced_thread> t) { a(t.number, t.system_number); }
template <> inline constexpr std::size_t least_bytes<traced_thread> = 12;
template <class A> void fields(A& a, ref<A, traced_node> n) {
  a(n.name, n.op, n.device, n.inputs, n.plan, n.is_transfer, n.readers);
}
template <> inline constexpr std::size_t least_bytes<traced_node> = 45;
template <class A> void fields(A& a, ref<A, trace_event> e) {
  a(e.kind, e.thread, e.node, e.step, e.loop, e.text, e.edge, e.iteration, e.key, e.ready, e.start, e.end, e.bytes, e.switches[0],
    e.switches[1]);
}
template <> inline constexpr std::size_t least_bytes<trace_event> = 89;
template <class A> void fields(A& a, ref<A, collected_trace> t) {
  auto& p = t.processes[0];
  a(p.name, p.machine, p.number, t.dropped, t.threads, t.texts, t.nodes, t.events);
}

void write_trace(byte_writer& to, const collected_trace& t) { record_writer{to}(t); }

collected_trace read_trace(byte_reader& from) {
  collected_trace t;
  t.processes.emplace_back();
  record_reader{from}(t);
  const auto is_unknown = [&](std::uint32_t reader) { return reader >= t.nodes.size(); };
  if (!std::ranges::all_of(t.events, [&](const trace_event& e) { return makes_sense(t, e); }) ||
      std::ranges::any_of(t.nodes, [&](const traced_node& n) { return std::ranges::any_of(n.readers, is_unknown); }))
    from.fail();
  return t;
}

void ask_time(const std::shared_ptr<asking_link>& to) { ask_time(to, times_asked); }

void step_traces::add(std::string_view trace, const clock_reading& clock) {
  if (trace.empty()) return;
  const std::lock_guard lock(mutex_);
  byte_writer to(bytes_);
  to.number(clock.offset);
  to.number(clock.error);
  to.text(trace);
}

recycled_text step_traces::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(bytes_, {});
}

bool add_traces(std::string_view bytes, const clock_reading& master, detail::run_trace& to) {
  for (byte_reader from(bytes); from.left() > 0;) {
    clock_reading clock;
    clock.offset = from.number<std::int64_t>() + master.offset;
    clock.error = from.number<std::int64_t>();
    byte_reader part(from.text());
    auto t = std::make_shared<collected_trace>(read_trace(part));
    if (!part.is_done()) return false;
    t->processes[0].clock_offset = clock.offset;
    t->processes[0].clock_error = clock.error < 0 || master.error < 0 ? INT64_MAX : clock.error + master.error;
    const std::size_t records = t->events.size();
    to.add(std::move(t), records);
  }
  return true;
}

}  // namespace flowgraph::distributed
