#include <flowgraph/placement/measurements.hpp>

#include <flowgraph/op/device.hpp>

#include "../harness/engine_ops.hpp"

#include <chrono>

using namespace engine;
using namespace std::chrono_literals;

namespace {

const fg::node_times* find(const fg::measurements::table& all, std::string_view node) {
  for (const auto& [at, times] : all)
    if (at.first == node) return &times;
  return nullptr;
}

constexpr std::string_view cpu = "/job:localhost/task:0/device:cpu:0";

}  // namespace

TEST_CASE("measurements: a run that asks for it keeps the time and the bytes of each node, and has the answers of others") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto slow = probe(x, [](fg::cpu) { std::this_thread::sleep_for(5ms); }, {.name = "slow"});
  auto y = add(slow, x, {.name = "y"});
  fg::session s{g};
  fg::measurements seen;
  const auto plain = s.run(fg::fetch(y), {{x, filled(100, 2)}});
  CHECK(seen.all().empty());
  for (int i = 0; i < 3; ++i) CHECK(s.run(fg::fetch(y), {{x, filled(100, 2)}}, {.measure = &seen})[99] == plain[99]);
  const auto all = seen.all();
  REQUIRE(find(all, "slow"));
  CHECK(find(all, "slow")->runs == 3);
  CHECK(find(all, "slow")->calls == 3);
  CHECK(find(all, "slow")->seconds() >= 0.005);
  CHECK(find(all, "slow")->bytes_of(0) == 400);
  CHECK(find(all, "y")->seconds() < 0.005);
  CHECK(find(all, "x")->bytes_of(0) == 400);
  CHECK(all.begin()->first.second == cpu);
}

TEST_CASE("measurements: a node in a loop is called several times a run, one on a branch that is not taken not at all") {
  fg::graph g;
  auto limit = g.placeholder<float>("limit", {});
  const values ended = loop(
      {g.constant(0.f)}, [&](const values& v) { return less(v[0], invariant(limit)); },
      [&](const values& v) { return values{probe(add(v[0], invariant(g.constant(1.f))), [](fg::cpu) {}, {.name = "step"})}; });
  fg::session s{g};
  fg::measurements seen;
  CHECK(s.run(fg::fetch(ended[0]), {{limit, 7.f}}, {.measure = &seen}).scalar() == 7);
  CHECK(s.run(fg::fetch(ended[0]), {{limit, 5.f}}, {.measure = &seen}).scalar() == 5);
  CHECK(s.run(fg::fetch(ended[0]), {{limit, 5.f}}).scalar() == 5);
  const auto all = seen.all();
  REQUIRE(find(all, "step"));
  CHECK(find(all, "step")->runs == 2);
  CHECK(find(all, "step")->calls == 12);
  CHECK(find(all, "step")->bytes_of(0) == 4);
}

TEST_CASE("measurements: on devices, in a session with a pool, and beside asynchronous kernels") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  answering_threads threads;
  auto late = async_probe(x, threads.after(200us), {.name = "late"});
  fg::out<float> y;
  {
    const auto on = g.on_device("/cpu:1");
    y = expensive_probe(add(late, x, {.name = "sum"}), [](fg::cpu) {}, {.name = "end"});
  }
  const fg::device_list cpus = fg::cpu_devices(2);
  fg::thread_pool pool(3);
  fg::session s{g, {.pool = &pool, .devices = cpus}};
  fg::measurements seen;
  CHECK(s.run(fg::fetch(y), {{x, filled(5000, 2)}}, {.measure = &seen})[4999] == 4);
  const auto all = seen.all();
  CHECK_FALSE(find(all, "late"));
  REQUIRE(find(all, "end"));
  CHECK(all.contains(fg::measurements::key("end", "/job:localhost/task:0/device:cpu:1")));
  CHECK(all.size() == 3);  // x, sum and end: what crosses is not measured
}

TEST_CASE("measurements: a run that fails or is stopped adds nothing, and the session stays usable") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto first = add(x, x), bad = failing(first);
  fg::session s{g};
  fg::measurements seen;
  CHECK(s.try_run(fg::fetch(bad), {{x, 1.f}}, {.measure = &seen}).error().code() == error_code::data_loss);
  fg::run_options late = fg::run_options::within(0s);
  late.measure = &seen;
  CHECK(s.try_run(fg::fetch(first), {{x, 1.f}}, late).error().code() == error_code::deadline_exceeded);
  CHECK(seen.all().empty());
  CHECK(s.run(fg::fetch(first), {{x, 1.f}}, {.measure = &seen}).scalar() == 2);
  CHECK(seen.all().size() == 2);
}

TEST_CASE("measurements: runs of several threads add up") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = chain(x, 20);
  fg::session s{g};
  fg::measurements seen;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) s.run(fg::fetch(y), {{x, 1.f}}, {.measure = &seen});
    });
  for (std::thread& t : threads) t.join();
  for (const auto& [at, times] : seen.all()) CHECK(times.runs == 100);
}

TEST_CASE("measurements: what is saved is loaded, whatever the names") {
  fg::measurements m;
  m.add("scope/node", cpu, {.runs = 2, .calls = 20, .nanoseconds = 123456789012, .bytes = {4, 0, 18446744073709551615u}});
  m.add("with space\nand line", "/job:a/task:3/device:gpu:1", {.runs = 1, .calls = 1, .nanoseconds = 5});
  m.add("scope/node", cpu, {.runs = 1, .calls = 1, .nanoseconds = 1, .bytes = {1}});
  const auto loaded = fg::measurements::from_text(m.to_text());
  REQUIRE(loaded);
  CHECK(loaded->to_text() == m.to_text());
  REQUIRE(loaded->of("scope/node").size() == 1);
  const fg::node_times t = loaded->of("scope/node")[0].second;
  CHECK(t.runs == 3);
  CHECK(t.calls == 21);
  CHECK(t.nanoseconds == 123456789013);
  CHECK(t.bytes[0] == 5);
  CHECK(loaded->of("with space\nand line")[0].first == "/job:a/task:3/device:gpu:1");
  CHECK(loaded->of("other").empty());
  fg::measurements sum(*loaded);
  sum.add(m);
  CHECK(sum.of("scope/node")[0].second.runs == 6);
}

TEST_CASE("measurements: what is not a saved text is refused with its line") {
  const std::string good = "flowgraph measurements 1\n1 1 5 1 4 1:a 2:/c\n";
  CHECK(fg::measurements::from_text(good));
  CHECK(fg::measurements::from_text("flowgraph measurements 1\n"));
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    if (cut != 25) CHECK_FALSE(fg::measurements::from_text(std::string_view(good).substr(0, cut)));
  CHECK_FALSE(fg::measurements::from_text("flowgraph measurements 2\n"));
  CHECK_FALSE(fg::measurements::from_text("flowgraph measurements 1\n1 1 5 99999999999 4 1:a 2:/c\n"));
  CHECK_FALSE(fg::measurements::from_text("flowgraph measurements 1\n-1 1 5 0 1:a 2:/c\n"));
  const auto refused = fg::measurements::from_text(good + "1 1 5 0 9:a 2:/c\n");
  CHECK(std::string_view(refused.error().message()).find("line 3") != std::string_view::npos);
}
