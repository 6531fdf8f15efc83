#include <flowgraph/observe/trace.hpp>

#include <flowgraph/formats/file.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/runtime/joint_run.hpp>

#include "../conformance/json.cpp"
#include "../harness/engine_ops.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

using namespace engine;
using namespace std::chrono_literals;

namespace {

std::vector<fg::trace_event> traced_events(const fg::collected_trace& t, fg::trace_kind kind, std::string_view node = {}) {
  std::vector<fg::trace_event> made;
  for (const fg::trace_event& e : t.events)
    if (e.kind == kind && (node.empty() || (e.node != fg::trace_event::none && t.nodes[e.node].name == node))) made.push_back(e);
  return made;
}

std::set<std::string> names_in(const fg::collected_trace& t, fg::trace_kind kind) {
  std::set<std::string> made;
  for (const fg::trace_event& e : t.events)
    if (e.kind == kind && e.node != fg::trace_event::none) made.insert(t.nodes[e.node].name);
  return made;
}

kernel_body sleeping(std::chrono::milliseconds time) {
  return [time](fg::cpu) { std::this_thread::sleep_for(time); };
}

constexpr std::int64_t millisecond = 1'000'000;

// A b c: b and c wait for a, and y for both.
struct diamond {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  fg::out<float> a = probe(x, sleeping(4ms), {.name = "part/a"});
  fg::out<float> b = probe(a, sleeping(2ms), {.name = "part/b"});
  fg::out<float> c = probe(a, sleeping(8ms), {.name = "part/c"});
  fg::out<float> y = add(b, c, {.name = "y"});
};

fg::out<float> counting_loop(fg::graph g, fg::out<float> limit) {
  return loop(
      {g.constant(0.f)}, [&](const values& v) { return less(v[0], invariant(limit)); },
      [&](const values& v) { return values{probe(add(v[0], invariant(g.constant(1.f))), [](fg::cpu) {}, {.name = "body"})}; })[0];
}

// ---- the rules of the trace event format

using conformance::json;

double number_of(const json& e, std::string_view name) {
  const json* const found = e.find(name);
  REQUIRE_MESSAGE(found, name);
  REQUIRE_MESSAGE(found->get<double>(), name);
  return *found->get<double>();
}

struct seen_span {
  double start, end;
};

// What Chrome and Perfetto ask of a file; returns how many events there are of each phase.
std::map<std::string, int> check_chrome_trace(const std::string& text) {
  const json file = conformance::read_json(text);
  REQUIRE(file.find("traceEvents"));
  std::map<std::string, int> phases;
  std::map<std::pair<double, double>, std::vector<seen_span>> open;  // by process and thread: spans that enclose what follows
  std::map<std::string, double> begun, sent;
  for (const json& e : file.find("traceEvents")->items()) {
    const std::string phase = e.find("ph")->text();
    ++phases[phase];
    CHECK_FALSE(e.find("name")->text().empty());
    const double process = number_of(e, "pid"), thread = number_of(e, "tid");
    CHECK(process >= 1);
    CHECK(thread >= 1);
    if (phase == "M") {
      CHECK_FALSE(e.find("args")->find("name")->text().empty());
      continue;
    }
    const double at = number_of(e, "ts");
    CHECK(at >= 0);
    if (phase == "C") {
      CHECK(number_of(*e.find("args"), "bytes") >= 0);
      continue;
    }
    CHECK_FALSE(e.find("cat")->text().empty());
    if (phase == "X") {
      const seen_span now{at, at + number_of(e, "dur")};
      CHECK(now.end >= now.start);
      auto& around = open[{process, thread}];
      while (!around.empty() && around.back().end <= now.start + 5e-4) around.pop_back();
      if (!around.empty()) CHECK(now.end <= around.back().end + 5e-4);  // spans on a thread nest
      around.push_back(now);
      CHECK(number_of(*e.find("args"), "clock") > 0);
      CHECK(number_of(*e.find("args"), "step") >= 0);
    } else {
      const json& id = *e.find("id");
      const std::string key = e.find("cat")->text() + (id.get<double>() ? std::to_string(*id.get<double>()) : id.text());
      if (phase == "b") CHECK(begun.emplace(key, at).second);
      else if (phase == "s") CHECK(sent.emplace(key, at).second);
      else if (phase == "f") CHECK(e.find("bp")->text() == "e");
      if (phase == "f") {
        REQUIRE(sent.contains(key));
        CHECK(sent.at(key) <= at);
      }
      if (phase == "e") {
        REQUIRE(begun.contains(key));
        CHECK(begun.at(key) <= at);
        begun.erase(key);
      }
    }
  }
  CHECK(begun.empty());
  return phases;
}

}  // namespace

TEST_CASE(
    "trace: a run that asks for it keeps every kernel, with its step, device, thread and delay, and has the answers of others") {
  diamond d;
  fg::session s{d.g};
  const auto plain = s.run(fg::fetch(d.y), {{d.x, filled(100, 2)}});
  fg::trace_recorder seen;
  CHECK(seen.collect().events.empty());
  CHECK(s.run(fg::fetch(d.y), {{d.x, filled(100, 2)}}, {.trace = &seen})[99] == plain[99]);
  s.run(fg::fetch(d.y), {{d.x, filled(100, 2)}}, {.trace = &seen});
  s.run(fg::fetch(d.y), {{d.x, filled(100, 2)}});
  const auto t = seen.collect();
  CHECK(t.dropped == 0);
  CHECK(names_in(t, fg::trace_kind::kernel) == std::set<std::string>{"part/a", "part/b", "part/c", "y"});
  const auto steps = traced_events(t, fg::trace_kind::step);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].step == 1);
  CHECK(steps[1].step == 2);
  const auto a = traced_events(t, fg::trace_kind::kernel, "part/a"), b = traced_events(t, fg::trace_kind::kernel, "part/b"),
             c = traced_events(t, fg::trace_kind::kernel, "part/c"), y = traced_events(t, fg::trace_kind::kernel, "y");
  REQUIRE(a.size() == 2);
  REQUIRE(c.size() == 2);
  CHECK(a[1].step == 2);
  CHECK(a[0].duration() >= 4 * millisecond);
  CHECK(a[0].bytes == 400);
  CHECK(a[0].start >= steps[0].start);
  CHECK(y[0].end <= steps[0].end);
  CHECK(t.nodes[a[0].node].op == "Probe");
  CHECK(t.nodes[a[0].node].device == "/job:localhost/task:0/device:cpu:0");
  // One thread: one of b and c waits for the other, and y for none.
  CHECK(b[0].ready >= a[0].end);
  CHECK(c[0].ready == b[0].ready);
  CHECK(std::max(b[0].delay(), c[0].delay()) >= 2 * millisecond);
  CHECK(y[0].ready >= std::max(b[0].end, c[0].end));
#ifdef __linux__
  CHECK(steps[0].switches[0] >= 3);  // it sleeps
#endif
}

TEST_CASE("trace: prepared steps tell of their kernels, by both kinds of schedule and by the ready queue") {
  for (const bool dynamic : {false, true}) {
    CAPTURE(dynamic);
    diamond d;
    auto limit = d.g.placeholder<float>("limit", {});
    const auto counted = counting_loop(d.g, limit);
    fg::session s{d.g, {.dynamic = dynamic}};
    fg::trace_recorder seen;
    auto straight = s.prepare(fg::feed(d.x), fg::fetch(d.y));
    auto looped = s.prepare(fg::feed(limit), fg::fetch(counted));
    CHECK(straight(filled(100, 2))[0] == 4);
    CHECK((*straight.try_run({.trace = &seen}, filled(100, 2)))[0] == 4);
    CHECK(straight(filled(100, 2))[0] == 4);
    CHECK(looped.try_run({.trace = &seen}, 7.f)->scalar() == 7);
    CHECK(looped(5.f).scalar() == 5);
    const auto t = seen.collect();
    CHECK(traced_events(t, fg::trace_kind::step).size() == 2);
    CHECK(traced_events(t, fg::trace_kind::kernel, "part/c").size() == 1);
    CHECK(traced_events(t, fg::trace_kind::kernel, "part/c")[0].duration() >= 8 * millisecond);
    CHECK(traced_events(t, fg::trace_kind::kernel, "part/c")[0].bytes == 400);
    const auto body = traced_events(t, fg::trace_kind::kernel, "body");
    REQUIRE(body.size() == 7);
    for (std::size_t i = 0; i < body.size(); ++i) {
      CHECK(body[i].iteration == i);
      CHECK(body[i].step == 2);
      CHECK(t.texts.at(body[i].loop) == "loop");
    }
    const auto loops = traced_events(t, fg::trace_kind::loop, "loop");
    REQUIRE(loops.size() == (dynamic ? 0 : 1));
    if (!dynamic) CHECK(loops[0].start <= body[0].start);
    if (!dynamic) CHECK(loops[0].end >= body[6].end);
    check_chrome_trace(fg::to_chrome_trace(t));
  }
}

TEST_CASE("trace: a loop that is one record of the ready queue tells of its iterations") {
  fg::graph g;
  auto limit = g.placeholder<float>("limit", {});
  const auto counted = counting_loop(g, limit);
  fg::session s{g};
  fg::trace_recorder seen;
  CHECK(s.run(fg::fetch(counted), {{limit, 5.f}}, {.trace = &seen}).scalar() == 5);
  const auto t = seen.collect();
  CHECK(traced_events(t, fg::trace_kind::kernel, "body").size() == 5);
  CHECK(traced_events(t, fg::trace_kind::loop, "loop").size() == 1);
}

TEST_CASE("trace: what stands on a branch that is not taken is not told of, whichever way the run goes") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  const auto sides = fg::switch_(x, less(x, g.constant(0.f)));
  const auto negative = probe(sides.if_true, [](fg::cpu) {}, {.name = "negative"});
  const auto positive = probe(sides.if_false, [](fg::cpu) {}, {.name = "positive"});
  const auto y = fg::merge({negative, positive}).value;
  fg::session s{g};
  fg::trace_recorder seen;
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  CHECK(step.try_run({.trace = &seen}, 3.f)->scalar() == 3);
  CHECK(s.run(fg::fetch(y), {{x, 3.f}}, {.trace = &seen}).scalar() == 3);
  const auto t = seen.collect();
  CHECK(traced_events(t, fg::trace_kind::kernel, "positive").size() == 2);
  CHECK(traced_events(t, fg::trace_kind::kernel, "negative").empty());
}

TEST_CASE("trace: partial runs are one step, from their beginning to their end") {
  diamond d;
  fg::session s{d.g};
  fg::trace_recorder seen;
  {
    auto p = s.try_begin_partial(std::array<fg::any_out, 1>{d.x}, std::array<fg::any_out, 1>{d.y}, {}, {.trace = &seen}).value();
    const std::vector<fg::fed> feeds{{d.x, filled(10, 2)}};
    const fg::any_out fetches[] = {d.y};
    CHECK(p.try_continue(feeds, fetches).has_value());
  }
  CHECK(s.run(fg::fetch(d.y), {{d.x, filled(10, 2)}})[0] == 4);
  const auto t = seen.collect();
  CHECK(traced_events(t, fg::trace_kind::step).size() == 1);
  CHECK(traced_events(t, fg::trace_kind::kernel).size() == 4);
}

TEST_CASE("trace: threads of a pool tell of kernels beside each other, and of work items") {
  fg::thread_pool pool(3);
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  std::vector<fg::out<float>> all;
  for (int i = 0; i < 6; ++i)
    all.push_back(
        expensive_probe(x, [](fg::cpu ctx) { ctx.parallel_for(4, [](std::int64_t) { std::this_thread::sleep_for(1ms); }); },
                        {.name = fg::message{"wide", i}.string()}));
  auto y = all[0];
  for (int i = 1; i < 6; ++i) y = add(y, all[static_cast<std::size_t>(i)]);
  fg::session s{g, {.pool = &pool}};
  fg::trace_recorder seen;
  for (int i = 0; i < 3; ++i) CHECK(s.run(fg::fetch(y), {{x, filled(10'000, 1)}}, {.trace = &seen})[0] == 6);
  const auto t = seen.collect();
  CHECK(traced_events(t, fg::trace_kind::step).size() == 3);
  CHECK(traced_events(t, fg::trace_kind::kernel).size() == 3 * 11);
  const auto blocks = traced_events(t, fg::trace_kind::block);
  REQUIRE(blocks.size() == 3 * 6 * 4);
  for (const fg::trace_event& b : blocks) {
    CHECK(b.duration() >= millisecond);
    CHECK(t.nodes[b.node].op == "ExpensiveProbe");
    CHECK(b.step >= 1);
  }
  std::set<std::uint32_t> threads;
  for (const fg::trace_event& b : blocks) threads.insert(b.thread);
  CHECK(threads.size() > 1);
  const auto phases = check_chrome_trace(fg::to_chrome_trace(t));
  CHECK(phases.at("b") == 3);
  CHECK(phases.at("X") >= 3 * (11 + 24));
}

TEST_CASE("trace: kernels that answer later, and how long they wait at a queue that is named") {
  fg::graph g;
  fg::fifo_queue<float> q(g, {.capacity = 4, .shapes = {{}}, .shared_name = "wishes"});
  auto x = g.placeholder<float>("x", {});
  auto put = q.enqueue(x);
  auto taken = q.dequeue();
  fg::session s{g};
  fg::trace_recorder seen;
  fg::run_options patient = fg::run_options::within(250ms);
  patient.trace = &seen;
  CHECK_FALSE(s.try_run(fg::fetch(taken), {}, patient).has_value());
  s.run(put, {{x, 5.f}}, {.trace = &seen});
  CHECK(s.run(fg::fetch(taken), {}, {.trace = &seen}).scalar() == 5);
  const auto t = seen.collect();
  const auto waits = traced_events(t, fg::trace_kind::waiting);
  REQUIRE(waits.size() == 1);  // what was there has not been waited for
  CHECK(waits[0].step == 1);
  CHECK(waits[0].duration() >= 10 * millisecond);
  CHECK(t.texts.at(waits[0].text).find("wishes") != std::string::npos);
  const auto later = traced_events(t, fg::trace_kind::later, t.nodes[waits[0].node].name);
  REQUIRE(later.size() == 2);
  CHECK(later[0].step == waits[0].step);
  CHECK(later[1].step == 3);
  CHECK(later[0].start <= waits[0].start);
  CHECK(later[0].end >= waits[0].end);
  CHECK(traced_events(t, fg::trace_kind::later).size() == 3);
  const std::string file = fg::to_chrome_trace(t);
  const auto phases = check_chrome_trace(file);
  CHECK(phases.at("b") == phases.at("e"));
  // A call that has waited is one event, whose name has the node and the queue.
  CHECK(file.find("\"name\":\"" + t.nodes[waits[0].node].name + " waits at ") != std::string::npos);
  std::size_t calls = 0;
  for (auto at = file.find("\"cat\":\"later\""); at != std::string::npos; at = file.find("\"cat\":\"later\"", at + 1)) ++calls;
  CHECK(calls == 4);  // begin and end of the other two calls
}

TEST_CASE("trace: between devices, as nodes of one plan and between the parts of one") {
  const fg::device_list cpus = fg::cpu_devices(2);
  for (const bool cut : {false, true}) {
    CAPTURE(cut);
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    fg::out<float> a, y;
    {
      const auto there = g.on_device("/cpu:1");
      a = add(x, x, {.name = "a"});
    }
    {
      const auto here = g.on_device("/cpu:0");
      y = add(a, a, {.name = "y"});
    }
    fg::session s{g, {.devices = cpus, .cut = cut ? fg::per_device : fg::cutting{}}};
    fg::trace_recorder seen;
    CHECK(s.run(fg::fetch(y), {{x, filled(100, 1)}}, {.trace = &seen})[99] == 4);
    const auto t = seen.collect();
    const auto of_a = traced_events(t, fg::trace_kind::kernel, "a");
    REQUIRE(of_a.size() == 1);
    CHECK(t.nodes[of_a[0].node].device == "/job:localhost/task:0/device:cpu:1");
    const auto sent = traced_events(t, fg::trace_kind::send), received = traced_events(t, fg::trace_kind::receive);
    CHECK(sent.size() == received.size());
    CHECK(sent.empty() == !cut);
    for (const fg::trace_event& e : received) CHECK(e.ready > 0);  // since when it was waited for
    std::uint64_t bytes = 0;
    for (const fg::trace_event& e : t.events)
      if (e.kind == fg::trace_kind::kernel && t.nodes[e.node].is_transfer) bytes += e.bytes;
    CHECK(bytes >= 400);
    const auto phases = check_chrome_trace(fg::to_chrome_trace(t));
    CHECK(phases.contains("s") == cut);
    if (cut) {
      CHECK(fg::to_chrome_trace(t).find("\"name\":\"send a\"") != std::string::npos);
      for (const fg::trace_event& e : sent) CHECK(e.duration() > 0);
    }
    CHECK(phases.contains("f") == cut);
    bool has_a = false, has_y = false;
    for (const fg::path_node& n : fg::critical_path(t, 1)) has_a = has_a || n.name == "a", has_y = has_y || n.name == "y";
    CHECK(has_a);
    CHECK(has_y);
  }
}

TEST_CASE("trace: memory is told of with who took it, and its peak with who held it") {
  std::int64_t taken = 0;
  fg::collected_trace t;
  std::optional<fg::tensor<float>> kept;
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto a = add(x, x, {.name = "a"});  // its memory is b's in turn
  auto b = add(a, g.constant(1.f), {.name = "b"});
  auto c = add(b, b, {.name = "c"});
  fg::session s{g, {.passes = fg::pass_options::none()}};
  {
    fg::trace_recorder seen;
    kept = s.run(fg::fetch(c), {{x, filled(1000, 1)}}, {.trace = &seen});
    t = seen.collect();
  }
  for (const fg::trace_event& e : t.events) {
    if (e.kind == fg::trace_kind::allocation) taken += static_cast<std::int64_t>(e.bytes);
    if (e.kind == fg::trace_kind::release) taken -= static_cast<std::int64_t>(e.bytes);
  }
  CHECK(taken >= 4000);  // what the caller holds
  CHECK((*kept)[0] == 6);
  kept.reset();  // after the recorder is gone
  const auto memory = fg::peak_memory(t);
  CHECK(memory.peak >= 4000);
  CHECK(memory.peak < 3 * 4200);
  CHECK(memory.step == 1);
  REQUIRE_FALSE(memory.holders.empty());
  CHECK(memory.holders[0].name == "a");
  const auto calls = fg::node_calls(t, 1);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].node == "a");
  CHECK(calls[0].allocated_bytes >= 4000);
  CHECK(calls[1].allocated_bytes == 0);
  CHECK(calls[2].output_bytes == 4000);
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  CHECK(calls[0].start <= calls[0].end);
  CHECK(calls[0].end <= now + 1000 * millisecond);
  CHECK(calls[0].start >= now - 600'000 * millisecond);
}

TEST_CASE("trace: a fetch that a prepared step copies") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {64});
  auto a = add(x, x, {.name = "a"});
  auto b = add(a, a, {.name = "b"});
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(a, b, a));
  fg::trace_recorder seen;
  const auto made = step.try_run({.trace = &seen}, filled(64, 1));
  REQUIRE(made.has_value());
  const auto told = traced_events(seen.collect(), fg::trace_kind::copy);
  CHECK(told.size() == step.plan().copies.size());
  for (std::size_t i = 0; i < told.size(); ++i) CHECK(told[i].bytes == step.plan().copies[i].bytes);
}

TEST_CASE("trace: tables of ops, nodes and scopes, and the critical path") {
  diamond d;
  fg::session s{d.g};
  fg::trace_recorder seen;
  s.run(fg::fetch(d.y), {{d.x, filled(100, 2)}}, {.trace = &seen});
  const auto t = seen.collect();
  const auto ops = fg::time_by_op(t), nodes = fg::time_by_node(t), scopes = fg::time_by_scope(t);
  REQUIRE(ops.size() == 2);
  CHECK(ops[0].name == "Probe");
  CHECK(ops[0].calls == 3);
  CHECK(ops[0].nanoseconds >= 14 * millisecond);
  CHECK(ops[0].bytes == 1200);
  REQUIRE(nodes.size() == 4);
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) CHECK(nodes[i].nanoseconds >= nodes[i + 1].nanoseconds);
  REQUIRE(scopes.size() == 2);
  CHECK(scopes[0].name.empty());
  CHECK(scopes[0].calls == 4);
  CHECK(scopes[1].name == "part");
  CHECK(scopes[1].calls == 3);
  const auto path = fg::critical_path(t, 1);
  REQUIRE(path.size() == 3);
  CHECK(path[0].name == "part/a");
  const auto b = traced_events(t, fg::trace_kind::kernel, "part/b"), c = traced_events(t, fg::trace_kind::kernel, "part/c");
  CHECK(path[1].name == (b[0].duration() > c[0].duration() ? "part/b" : "part/c"));
  CHECK(path[1].nanoseconds == std::max(b[0].duration(), c[0].duration()));
  CHECK(path[2].name == "y");
  CHECK(fg::critical_path(t, 2).empty());
  const std::string text = fg::tables(t);
  CHECK(text.find("critical path of step 1") != std::string::npos);
  CHECK(text.find(path[1].name + " (Probe)") != std::string::npos);
}

TEST_CASE("trace: the critical path goes through a loop to what reads its results") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto before = probe(x, sleeping(2ms), {.name = "before"});
  auto after = probe(counting_loop(g, before), sleeping(2ms), {.name = "after"});
  for (const bool prepared : {false, true}) {
    CAPTURE(prepared);
    fg::session s{g};
    fg::trace_recorder seen;
    if (prepared) s.prepare(fg::feed(x), fg::fetch(after)).try_run({.trace = &seen}, fg::tensor<float>(3.f)).value();
    else s.run(fg::fetch(after), {{x, 3.f}}, {.trace = &seen});
    std::vector<std::string> names;
    for (const fg::path_node& n : fg::critical_path(seen.collect(), 1)) names.push_back(n.name);
    REQUIRE(names.size() >= 3);
    CHECK(names.front() == "before");
    CHECK(names.back() == "after");
    CHECK(std::any_of(names.begin(), names.end(), [](const std::string& n) { return n.ends_with("body"); }));
  }
}

TEST_CASE("trace: calls have the shapes of their outputs and the names of their inputs, and memory of each device") {
  for (const int devices : {1, 2}) {
    CAPTURE(devices);
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    auto a = add(x, x, {.name = "a"});
    auto b = add(a, x, {.name = "b"});
    const fg::device_list cpus = fg::cpu_devices(2);
    fg::session_options options{.passes = fg::pass_options::none()};
    if (devices == 2) options.devices = cpus;
    fg::session s{g, options};
    fg::trace_recorder seen;
    const auto kept = s.run(fg::fetch(b), {{x, filled(1000, 1)}}, {.trace = &seen});
    CHECK(kept[0] == 3);
    const auto t = seen.collect();
    const auto calls = fg::node_calls(t, 1);
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].inputs == "x, x");
    CHECK(calls[1].inputs == "a, x");
    REQUIRE(calls[0].outputs.size() == 1);
    CHECK(calls[0].outputs[0].type == fg::dtype::float32);
    CHECK(calls[0].outputs[0].shape == fg::shape{1000});
    CHECK(calls[0].allocated_bytes >= 4000);
    CHECK(fg::to_chrome_trace(t).find("\"outputs\":\"float[1000]\"") != std::string::npos);
  }
}

TEST_CASE("trace: a limit on records, counted dropping, and beginning anew") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  fg::session s{g, {.passes = fg::pass_options::none()}};
  const auto y = chain(x, 400);
  fg::trace_recorder seen({.most_records = 256});
  CHECK(s.run(fg::fetch(y), {{x, 1.f}}, {.trace = &seen}).scalar() == 401);
  const auto full = seen.collect();
  CHECK(full.events.size() == 256);
  CHECK(full.dropped >= 145);
  seen.clear();
  CHECK(seen.collect().events.empty());
  CHECK(seen.collect().dropped == 0);
  s.run(fg::fetch(chain(x, 2)), {{x, 1.f}}, {.trace = &seen});
  CHECK(traced_events(seen.collect(), fg::trace_kind::kernel).size() == 2);
}

TEST_CASE("trace: a recorder that begins anew in the middle of a run") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  fg::trace_recorder seen;
  const auto y = add(probe(add(x, x, {.name = "a"}), [&](fg::cpu) { seen.clear(); }), x, {.name = "b"});
  fg::session s{g};
  for (int i = 0; i < 2; ++i) CHECK(s.run(fg::fetch(y), {{x, filled(1000, 1)}}, {.trace = &seen})[0] == 3);
  CHECK(seen.collect().events.empty());
}

TEST_CASE(
    "trace: many threads tell two recorders at once, with a pool, loops, a queue and devices, and somebody looks meanwhile") {
  const fg::device_list cpus = fg::cpu_devices(2);
  fg::thread_pool pool(3);
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any}), limit = g.placeholder<float>("limit", {});
  fg::fifo_queue<float> q(g, {.capacity = 2, .shapes = {{}}});
  auto put = q.enqueue(limit);
  auto taken = q.dequeue();
  fg::out<float> far;
  {
    const auto there = g.on_device("/cpu:1");
    far = expensive_probe(x, [](fg::cpu ctx) { ctx.parallel_for(3, [](std::int64_t) {}); });
  }
  const auto near = add(far, expensive_probe(x, [](fg::cpu) {}));
  const auto counted = counting_loop(g, limit);
  fg::session whole{g, {.pool = &pool, .devices = cpus}}, cut{g, {.pool = &pool, .devices = cpus, .cut = fg::per_device}};
  fg::trace_recorder first, second;
  constexpr int clients = 4, runs = 15;
  std::atomic<int> working{clients}, wrong{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < clients; ++k)
    threads.emplace_back([&, k] {
      fg::session& s = k % 2 ? whole : cut;
      auto step = s.prepare(fg::feed(limit), fg::fetch(counted));
      for (int i = 0; i < runs; ++i) {
        const fg::run_options by{.trace = (i + k) % 3 ? &first : &second};
        wrong += s.run(fg::fetch(near), {{x, filled(4096, 1)}}, by)[4095] != 2;
        wrong += step.try_run(by, 4.f)->scalar() != 4;
        if (k < 2) s.run(put, {{limit, 1.f}}, by);
        else wrong += (k % 2 ? whole : cut).run(fg::fetch(taken), {}, by).scalar() != 1;
      }
      --working;
    });
  std::size_t looks = 0;
  for (; working > 0; ++looks) check_chrome_trace(fg::to_chrome_trace(first.collect()));
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(looks > 0);
  std::size_t steps = 0;
  for (const fg::trace_recorder* r : {&first, &second}) {
    const auto t = r->collect();
    steps += traced_events(t, fg::trace_kind::step).size();
    CHECK(t.dropped == 0);
    check_chrome_trace(fg::to_chrome_trace(t));
  }
  CHECK(steps == clients * runs * 3);
}

TEST_CASE("trace: a run that fails or is ended has told what ran until then") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  const auto y = failing(add(x, x, {.name = "a"}), {.name = "fails"});
  fg::session s{g};
  fg::trace_recorder seen;
  CHECK_FALSE(s.try_run(fg::fetch(y), {{x, 1.f}}, {.trace = &seen}).has_value());
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  const auto failed = step.try_run({.trace = &seen}, 1.f);
  REQUIRE_FALSE(failed.has_value());
  CHECK(std::string_view(failed.error().what()).find("fails") != std::string_view::npos);
  const auto t = seen.collect();
  CHECK(traced_events(t, fg::trace_kind::step).size() == 2);
  CHECK(traced_events(t, fg::trace_kind::kernel, "a").size() == 2);
}

TEST_CASE("trace: traces of several processes on one timeline, by their wall clocks") {
  diamond d;
  fg::session s{d.g};
  fg::trace_recorder here({.process = "one"}), there({.process = "two", .machine = "elsewhere"});
  s.run(fg::fetch(d.y), {{d.x, filled(10, 2)}}, {.trace = &here});
  s.run(fg::fetch(d.y), {{d.x, filled(10, 2)}}, {.trace = &there});
  auto all = here.collect();
  auto other = there.collect();
  const std::int64_t ahead = 5000 * millisecond;  // another machine's steady clock began later
  other.processes[0].wall_offset += ahead;
  for (fg::trace_event& e : other.events) {
    e.start -= ahead;
    e.end -= ahead;
    if (e.ready > 0) e.ready -= ahead;
  }
  const std::size_t events = all.events.size();
  all.add(other);
  CHECK(all.events.size() == events + other.events.size());
  CHECK(all.processes.size() == 2);
  const auto calls = traced_events(all, fg::trace_kind::kernel, "part/a");
  REQUIRE(calls.size() == 2);
  CHECK(all.processes[all.threads[calls[0].thread].process].name == "one");
  CHECK(all.processes[all.threads[calls[1].thread].process].machine == "elsewhere");
  CHECK(all.wall_time(calls[1], calls[1].start) >= all.wall_time(calls[0], calls[0].end));
  CHECK(fg::critical_path(all, 1, 1).size() == 3);
  const std::string text = fg::to_chrome_trace(all);
  check_chrome_trace(text);
  CHECK(text.find("on elsewhere") != std::string::npos);
}

TEST_CASE("trace: what processes elsewhere tell of their parts of a run is on the timeline of who has asked them") {
  const auto part_of = [](const char* name, std::int64_t ahead, std::int64_t error, std::int64_t start) {
    auto made = std::make_shared<fg::collected_trace>();
    fg::traced_process& of = made->processes.emplace_back();
    of.name = name;
    of.number = 7;
    of.clock_offset = ahead;
    of.clock_error = error;
    made->threads = {{0, 0, 70}};
    made->nodes = {{"a", "Add", "/cpu:0", 0, false, {1}}, {"b", "Add", "/cpu:0", 0, false, {}}};
    made->dropped = 1;
    for (const std::uint32_t node : {0u, 1u}) {
      fg::trace_event& e = made->events.emplace_back();
      e.kind = fg::trace_kind::kernel;
      e.node = node;
      e.step = 99;  // as it counts itself
      e.start = start + ahead + node * millisecond;
      e.end = e.start + millisecond;
    }
    return made;
  };
  fg::trace_recorder seen({.process = "client"});
  std::int64_t begun = 0;
  for (int i = 0; i < 2; ++i) {
    const fg::run_options options{.trace = &seen};
    const fg::detail::traced_run run(options);
    begun = (i == 0 ? fg::detail::traced_run::of(run.options())->now() : begun) + 3 * millisecond;
    for (const char* name : {"task 1", "task 2"})  // the second time its clock is known better
      fg::detail::traced_run::of(run.options())
          ->add(part_of(name, i == 0 ? 5000 * millisecond + 9 : 5000 * millisecond, i == 0 ? 10 : 1, begun), 2);
  }
  const auto t = seen.collect();
  REQUIRE(t.processes.size() == 3);
  CHECK(t.threads.size() == 3);
  CHECK(t.nodes.size() == 4);
  CHECK(t.dropped == 4);
  const auto calls = traced_events(t, fg::trace_kind::kernel, "a");
  REQUIRE(calls.size() == 4);
  for (const std::uint32_t p : {1u, 2u}) {
    CHECK(t.processes[p].asked_by == 0);
    CHECK(t.processes[p].clock_error == 1);
    CHECK(t.processes[p].wall_offset == t.processes[0].wall_offset - 5000 * millisecond);
  }
  CHECK(calls[0].step == 1);
  CHECK(calls[3].step == 2);
  CHECK(t.wall_time(calls[3], calls[3].start) - t.processes[0].wall_offset == begun);
  CHECK(fg::critical_path(t, 2).size() == 2);
  CHECK(fg::tables(t).starts_with("2 steps"));
  const std::string file = fg::to_chrome_trace(t);
  check_chrome_trace(file);
  CHECK(file.find("\"clock_error_ns\":1") != std::string::npos);
  // Beside another trace who has asked stays who it was.
  fg::collected_trace all = fg::trace_recorder({.process = "other"}).collect();
  all.add(t);
  CHECK(all.processes[2].asked_by == 1);
  CHECK(fg::critical_path(all, 2, 1).size() == 2);
}

TEST_CASE("trace: names that JSON has to quote, and a file") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  const auto y = add(x, x, {.name = "y"});
  fg::session s{g};
  fg::trace_recorder seen({.process = "a \"quoted\" \\ name\n\xff"});
  s.run(fg::fetch(y), {{x, 1.f}}, {.trace = &seen});
  const std::string path = "trace_of_one_step.json";
  REQUIRE(seen.write_chrome_trace(path).has_value());
  const auto text = fg::read_file(path);
  REQUIRE(text.has_value());
  CHECK(check_chrome_trace(*text).at("X") == 1);
  CHECK_FALSE(seen.write_chrome_trace("no such folder/trace.json").has_value());
  std::remove(path.c_str());
}
