#include <flowgraph/runtime/cut.hpp>

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/runtime/explain.hpp>
#include <flowgraph/runtime/step.hpp>

#include "../harness/engine_ops.hpp"
#include "../core/latch.hpp"

#include <map>

using namespace engine;
using namespace std::chrono_literals;

namespace {

// A graph on three CPUs, each with an executor of its own.
struct cut_graph {
  fg::graph g;
  fg::device_list cpus = fg::cpu_devices(3);
  fg::out<float> x = g.placeholder<float>("x", {fg::any});

  template <class Make> auto on(std::size_t device, Make make) {
    const auto there = g.on_device(fg::message{"/cpu:", device}.string());
    return make();
  }
  fg::session session(fg::thread_pool* pool = nullptr) {
    return fg::session(g, {.pool = pool, .devices = cpus, .cut = fg::per_device});
  }
  bool is_empty() const {
    for (std::size_t d = 0; d < cpus.size(); ++d)
      if (cpus[d].budget()->in_use() != 0) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("cut: a prepared step says why it has no schedule") {
  cut_graph c;
  const auto y = c.on(1, [&] { return add(c.x, c.x); });
  fg::session s = c.session();
  auto step = s.prepare(fg::feed(c.x), fg::fetch(y));
  CHECK(step(filled(3, 2))[2] == 4);
  CHECK(std::string_view(step.plan().queued) == "the plan is cut between devices");
}

TEST_CASE("cut: a session with one device, or without any, has nothing to cut") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = add(x, x);
  fg::session s{g, {.cut = fg::per_device}};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  CHECK(step(4.f).scalar() == 8);
  CHECK(step.plan().queued.empty());
}

TEST_CASE("cut: constants, feeds and variables are fetched as they are") {
  cut_graph c;
  const auto two = c.on(2, [&] { return c.g.constant(2.f); });
  const auto v = c.on(1, [&] { return c.g.variable("v", fg::tensor<float>(fg::shape{}, {10})); });
  fg::session s = c.session();
  s.initialize();
  const auto [a, b, x] = s.run(fg::fetch(two, v, c.x), {{c.x, filled(2, 7)}});
  CHECK(a.scalar() == 2);
  CHECK(b.scalar() == 10);
  CHECK(x[1] == 7);
}

TEST_CASE("cut: nested loops over three devices, in a branch that is taken or not") {
  for (const float limit : {2.f, -2.f}) {
    cut_graph c;
    const auto zero = c.g.constant(0.f), one = c.g.constant(1.f), three = c.g.constant(3.f);
    const auto taken = less(c.g.constant(0.f), c.g.constant(limit));
    const auto sides = fg::switch_(zero, taken);
    const auto outer = loop(
        {sides.if_true, sides.if_true}, [&](const values& v) { return less(v[0], invariant(three)); },
        [&](const values& v) {
          const auto inner = loop(
              {v[1], v[0]},
              [&](const values& w) { return c.on(2, [&] { return less(w[1], invariant(invariant(three), {"inner"})); }); },
              [&](const values& w) {
                const auto step = invariant(invariant(one), {"inner"});
                return values{c.on(1, [&] { return add(w[0], step); }), add(w[1], step)};
              },
              {"inner"});
          return values{c.on(2, [&] { return add(v[0], invariant(one)); }), inner[0]};
        });
    const auto y = fg::merge({c.on(1, [&] { return add(outer[1], outer[1]); }), sides.if_false}).value;
    fg::thread_pool pool(4);
    for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
      fg::session s = c.session(p);
      for (int i = 0; i < 3; ++i) CHECK(s.run(fg::fetch(y)).scalar() == (limit > 0 ? 12 : 0));  // 3 + 2 + 1, twice
    }
  }
}

TEST_CASE("cut: a device that only sends the constant of a loop goes through its iterations") {
  cut_graph c;
  const auto zero = c.g.constant(0.f), one = c.g.constant(1.f), three = c.g.constant(3.f);
  const auto made = loop(
      {zero, c.x}, [&](const values& v) { return less(v[0], invariant(three)); },
      [&](const values& v) {
        const auto constant = c.on(2, [&] { return invariant(c.x); });
        return values{add(v[0], invariant(one)), add(v[1], constant)};
      });
  const auto y = made[1];
  fg::session s = c.session();
  for (int i = 0; i < 3; ++i) CHECK(s.run(fg::fetch(y), {{c.x, filled(2, 2)}})[1] == 8);
}

TEST_CASE("cut: a variable is read when its reader runs, before and after an assignment on its own device") {
  cut_graph c;
  const auto v = c.on(1, [&] { return c.g.variable("v", fg::tensor<float>({1}, {10})); });
  const auto before = c.on(2, [&] { return add(v, c.x); });
  fg::out<float> after;
  {
    const auto first = c.g.after(before);
    const auto grown = fg::assign_add(v, c.g.constant(fg::tensor<float>({1}, {1})));
    const auto then = c.g.after(grown);
    after = c.on(2, [&] { return add(v, before); });
  }
  fg::session s = c.session();
  s.initialize();
  for (int i = 0; i < 3; ++i) {
    const auto [a, b] = s.run(fg::fetch(before, after), {{c.x, filled(1, 1)}});
    CHECK(a[0] == static_cast<float>(11 + i));
    CHECK(b[0] == static_cast<float>(11 + i + 11 + i));
  }
}

TEST_CASE("cut: the first failure ends all parts with its name, and the next run is right") {
  cut_graph c;
  std::atomic<bool> fails = true;
  const auto a = c.on(1, [&] {
    return probe(c.x, [&](fg::cpu ctx) { fails ? ctx.fail(error_code::data_loss, "the kernel refuses") : void(); },
                 {.name = "refuses"});
  });
  const auto y = c.on(2, [&] { return add(a, c.x); });
  fg::thread_pool pool(3);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
    fg::session s = c.session(p);
    for (int i = 0; i < 5; ++i) {
      fails = true;
      check_error(s.try_run(fg::fetch(y), {{c.x, filled(2, 1)}}).error(), error_code::data_loss, "refuses", "Probe");
      fails = false;
      CHECK(s.run(fg::fetch(y), {{c.x, filled(2, 1)}})[1] == 2);
    }
  }
  CHECK(c.is_empty());
}

TEST_CASE("cut: kernels that answer later, on two devices at the same time") {
  cut_graph c;
  answering_threads threads;
  const auto a = c.on(1, [&] { return async_probe(c.x, threads.after(2ms)); });
  const auto b = c.on(2, [&] { return async_probe(c.x, threads.after(1ms)); });
  const auto y = add(a, b);
  fg::session s = c.session();
  for (int i = 0; i < 5; ++i) CHECK(s.run(fg::fetch(y), {{c.x, filled(2, 3)}})[0] == 6);
}

TEST_CASE("cut: a run that waits on one device ends at its deadline, with the node it waits for") {
  cut_graph c;
  std::optional<fg::done> kept;
  const auto a = c.on(1, [&] {
    return async_probe(
        c.x,
        [&](fg::cpu, fg::done answer) {
          kept.emplace(std::move(answer));
          kept->on_cancel([&] { (*std::exchange(kept, std::nullopt))(fg::error(error_code::cancelled, "cancelled")); });
        },
        {.name = "waits"});
  });
  const auto y = c.on(2, [&] { return add(a, c.x); });
  fg::session s = c.session();
  const auto began = std::chrono::steady_clock::now();
  // Long enough for a busy machine to reach the kernel: before that, no node could be named.
  const auto why = s.try_run(fg::fetch(y), {{c.x, filled(2, 1)}}, fg::run_options::within(500ms)).error();
  check_error(why, error_code::deadline_exceeded, "waits", "AsyncProbe");
  CHECK(std::chrono::steady_clock::now() - began < 5s);
  fg::stop_source stop;
  std::thread stops([&] { stop.request_stop(); });
  CHECK(s.try_run(fg::fetch(y), {{c.x, filled(2, 1)}}, {.stop = stop.get_token()}).error().code() == error_code::cancelled);
  stops.join();
}

TEST_CASE("cut: closing the session ends a run that waits") {
  cut_graph c;
  std::optional<fg::done> kept;
  test::latch waits{1};
  const auto a = c.on(1, [&] {
    return async_probe(
        c.x,
        [&](fg::cpu, fg::done answer) {
          kept.emplace(std::move(answer));
          kept->on_cancel([&] { (*std::exchange(kept, std::nullopt))(fg::error(error_code::cancelled, "cancelled")); });
          waits.count_down();
        },
        {.name = "waits"});
  });
  const auto y = c.on(2, [&] { return add(a, c.x); });
  fg::session s = c.session();
  std::thread closes([&] {
    waits.wait();
    s.close();
  });
  const fg::error why = s.try_run(fg::fetch(y), {{c.x, filled(2, 1)}}).error();
  closes.join();
  CHECK(why.code() == error_code::cancelled);
}

TEST_CASE("cut: feeds in pieces reach every device; what depends on an edge not fed yet is refused before anything runs") {
  cut_graph c;
  std::atomic<int> first_runs = 0, second_runs = 0, third_runs = 0;
  const auto z = c.g.placeholder<float>("z", {fg::any});
  const auto a = c.on(1, [&] { return counted(c.x, first_runs, {.name = "a"}); });
  const auto b = c.on(0, [&] { return counted(a, second_runs, {.name = "b"}); });
  const auto y = c.on(2, [&] { return counted(add(b, z), third_runs, {.name = "y"}); });
  fg::thread_pool pool(3);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
    first_runs = second_runs = third_runs = 0;
    fg::session s = c.session(p);
    auto run = s.try_begin_partial(std::vector<fg::any_out>{c.x, z}, std::vector<fg::any_out>{a, b, y}, {}).value();
    const auto refuses = [&](const std::vector<fg::fed>& feeds, const std::vector<fg::any_out>& fetches, std::string_view node,
                             std::string_view feed, int runs) {
      const auto made = run.try_continue(feeds, fetches);
      check_error(made.error(), error_code::invalid_argument, node, "Probe",
                  {"depends on '" + std::string(feed) + "'", "has not been fed yet"});
      CHECK(first_runs == runs);
      CHECK(second_runs == runs);
      CHECK(third_runs == 0);
    };
    refuses({}, {a}, "a", "x", 0);
    refuses({{z, filled(1, 5)}}, {b, y}, "b", "x", 0);
    refuses({{c.x, filled(1, 2)}}, {a, y}, "y", "z", 0);
    auto first = run.try_continue(std::vector<fg::fed>{{c.x, filled(1, 2)}}, std::vector<fg::any_out>{b});
    REQUIRE(first);
    CHECK((*first)[0].as<float>()[0] == 2);
    refuses({}, {a, y}, "y", "z", 1);
    auto second = run.try_continue(std::vector<fg::fed>{{z, filled(1, 5)}}, std::vector<fg::any_out>{y, a});
    REQUIRE(second);
    CHECK((*second)[0].as<float>()[0] == 7);
    CHECK((*second)[1].as<float>()[0] == 2);
    CHECK(first_runs == 1);
    CHECK(second_runs == 1);
    CHECK(third_runs == 1);
  }
  CHECK(c.is_empty());
}

TEST_CASE("cut: in pieces, what depends on a feed by the condition of a loop or a branch alone is refused until it is fed") {
  cut_graph c;
  std::atomic<int> runs = 0;
  const auto limit = c.g.placeholder<float>("limit", {});
  const auto one = c.g.constant(1.f), zero = c.g.constant(0.f);
  const auto sides = c.on(1, [&] { return fg::switch_(c.x, less(zero, limit)); });
  const auto branch = c.on(2, [&] {
    return counted(fg::merge({add(sides.if_true, one), sides.if_false}).value, runs, {.name = "branch"});
  });
  const auto made = loop(
      {zero, c.x}, [&](const values& v) { return less(v[0], invariant(limit)); },
      [&](const values& v) {
        return values{add(v[0], invariant(one)), c.on(2, [&] { return counted(add(v[1], invariant(one)), runs); })};
      });
  const auto turned = c.on(1, [&] { return counted(made[1], runs, {.name = "turned"}); });
  fg::session s = c.session();
  for (const auto& y : {branch, turned}) {
    runs = 0;
    auto run = s.try_begin_partial(std::vector<fg::any_out>{c.x, limit}, std::vector<fg::any_out>{y}, {}).value();
    const auto early = run.try_continue(std::vector<fg::fed>{{c.x, filled(1, 2)}}, std::vector<fg::any_out>{y});
    check_error(early.error(), error_code::invalid_argument, y.source->name, "Probe", {"depends on 'limit'", "not been fed"});
    CHECK(runs == 0);
    auto whole = run.try_continue(std::vector<fg::fed>{{c.x, filled(1, 2)}, {limit, 1.f}}, std::vector<fg::any_out>{y});
    REQUIRE(whole);
    CHECK((*whole)[0].as<float>()[0] == 3);
    CHECK(runs > 0);
  }
}

TEST_CASE("cut: three runs in flight at once") {
  cut_graph c;
  const auto zero = c.g.constant(0.f), one = c.g.constant(1.f), ten = c.g.constant(10.f);
  const auto made = loop(
      {zero, c.x}, [&](const values& v) { return less(v[0], invariant(ten)); },
      [&](const values& v) {
        return values{add(v[0], invariant(one)), c.on(1, [&] { return add(v[1], c.on(2, [&] { return add(v[1], v[1]); })); })};
      });
  const auto y = made[1];
  fg::thread_pool pool(3);
  fg::session s = c.session(&pool);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) right += s.run(fg::fetch(y), {{c.x, filled(5, 1)}})[4] == 59049;  // 3 to the tenth
    });
  for (std::thread& t : threads) t.join();
  CHECK(right == 60);
}

TEST_CASE("cut: explain tells the parts, what they send each other, and what crosses in each iteration") {
  cut_graph c;
  const auto row = c.g.placeholder<float>("row", {8});
  const auto zero = c.g.constant(0.f), one = c.g.constant(1.f), three = c.g.constant(3.f);
  const auto made = loop(
      {zero, row}, [&](const values& v) { return less(v[0], invariant(three)); },
      [&](const values& v) {
        const auto known = c.on(1, [&] { return fg::apply(add_op{}, invariant(row), invariant(row), {"known"}); });
        const auto unknown = c.on(1, [&] { return fg::apply(add_op{}, v[0], v[0], {"unknown"}); });
        return values{add(v[0], invariant(one)), add(add(v[1], known), unknown)};
      });
  const auto y = c.on(2, [&] { return fg::apply(add_op{}, made[1], c.x, {"last"}); });
  fg::session s = c.session(), whole{c.g, {.devices = c.cpus}};
  const fg::explanation e = s.explain(fg::fetch(y), {{c.x, fg::shape{8}}, {row, fg::shape{8}}});
  const std::string text = to_text(e);
  INFO(text);
  REQUIRE(e.parts.size() == 3);
  REQUIRE(e.frames.size() == 2);
  const auto part = [&](std::size_t device) -> const fg::explained_part& {
    for (const fg::explained_part& p : e.parts)
      if (p.device == to_string(c.cpus[device].name())) return p;
    FAIL("no part of device " << device);
    return e.parts[0];
  };
  CHECK((part(1).loops == std::vector<std::size_t>{1}));
  CHECK(part(2).loops.empty());
  CHECK(part(2).nodes == 1 + 2);  // and what copies from feeds and to fetches
  std::map<std::string, int> kinds;
  for (const fg::explained_exchange& sent : e.exchanges) ++kinds[sent.kind + (sent.frame > 0 ? " in the loop" : "")];
  // The counter goes to the second device, two sums come back; the third gets the result of the loop, the first what is fetched.
  const std::map<std::string, int> expected{{"value in the loop", 3}, {"condition in the loop", 1}, {"value", 2}};
  CHECK(kinds == expected);
  CHECK(part(0).sent == 3);
  CHECK(part(0).received == 3);
  CHECK(part(2).received == 1);
  for (const char* line : {"part /job:localhost/task:0/device:cpu:1: ", ", goes through loop",
                           "  value known: ", " transfers in each iteration of loop, 32 bytes, 2 of unknown size\n"})
    CHECK(text.find(line) != std::string::npos);
  const fg::explanation of_one_plan = whole.explain(fg::fetch(y), {{c.x, fg::shape{8}}, {row, fg::shape{8}}});
  CHECK(of_one_plan.parts.empty());
  for (const fg::explanation* told : {&e, &of_one_plan}) {
    CHECK(told->frames[1].crossing_bytes == 32);
    CHECK(told->frames[1].of_unknown_size == 2);
    CHECK(told->frames[0].transfers + told->frames[1].transfers == told->transfers);
    CHECK(told->crossing_bytes == told->frames[0].crossing_bytes);
  }
}
