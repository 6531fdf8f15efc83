#include "trace_bytes.hpp"

#include "../messages.hpp"

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

constexpr int times_asked = 4;

template <class List, class F> void write_each(byte_writer& to, const List& all, F&& write) {
  to.number(static_cast<std::uint64_t>(all.size()));
  for (const auto& one : all) write(one);
}
template <class List, class F> void read_each(byte_reader& from, std::size_t least, List& all, F&& read) {
  for (auto left = from.count(least); left > 0 && from.ok(); --left) read(all.emplace_back());
}

// Calls `f` with each number of an event. Writing and reading use this order.
template <class Event, class F> void each_number(Event& e, F&& f) {
  f(e.kind), f(e.thread), f(e.node), f(e.step), f(e.loop), f(e.text), f(e.edge), f(e.iteration), f(e.key);
  f(e.ready), f(e.start), f(e.end), f(e.bytes), f(e.switches[0]), f(e.switches[1]);
}

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
            const auto told = from.number<std::int64_t>();
            const auto there = link.lock();
            if (why || !there || !from.is_done()) return;
            there->clock.add(asked, told, detail::trace_clock());
            if (left > 1) ask_time(there, left - 1);
          });
}

}  // namespace

void write_trace(byte_writer& to, const collected_trace& t) {
  to.text(t.processes[0].name);
  to.text(t.processes[0].machine);
  to.number(t.processes[0].number);
  to.number(t.dropped);
  write_each(to, t.threads, [&](const traced_thread& one) {
    to.number(one.number);
    to.number(one.system_number);
  });
  write_each(to, t.texts, [&](const std::string& one) { to.text(one); });
  write_each(to, t.nodes, [&](const traced_node& one) {
    for (const std::string& text : {one.name, one.op, one.device, one.inputs}) to.text(text);
    to.number(one.plan);
    to.number(one.is_transfer);
    write_numbers(to, one.readers);
  });
  write_each(to, t.events, [&](const trace_event& one) { each_number(one, [&](const auto& number) { to.number(number); }); });
}

collected_trace read_trace(byte_reader& from) {
  collected_trace t;
  traced_process& p = t.processes.emplace_back();
  p.name = from.text();
  p.machine = from.text();
  p.number = from.number<std::uint64_t>();
  t.dropped = from.number<std::uint64_t>();
  read_each(from, 12, t.threads, [&](traced_thread& one) {
    one.number = from.number<std::uint32_t>();
    one.system_number = from.number<std::uint64_t>();
  });
  read_each(from, 8, t.texts, [&](std::string& one) { one = from.text(); });
  read_each(from, 45, t.nodes, [&](traced_node& one) {
    for (std::string* text : {&one.name, &one.op, &one.device, &one.inputs}) *text = from.text();
    one.plan = from.number<std::uint32_t>();
    one.is_transfer = from.number<std::uint8_t>() != 0;
    one.readers = read_numbers(from);
  });
  read_each(from, 89, t.events, [&](trace_event& one) {
    each_number(one, [&](auto& number) { number = from.number<std::remove_reference_t<decltype(number)>>(); });
    if (!makes_sense(t, one)) from.fail();
  });
  for (const traced_node& n : t.nodes)
    if (std::ranges::any_of(n.readers, [&](std::uint32_t r) { return r >= t.nodes.size(); })) from.fail();
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
