#include <flowgraph/placement/delay_transfers.hpp>

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/placement/save_memory.hpp>
#include <flowgraph/runtime/explain.hpp>

#include "../harness/engine_ops.hpp"

#include <algorithm>

using namespace engine;

namespace {

constexpr std::int64_t size = 1024;
constexpr std::size_t each = 4 * size;

// Values made on one CPU, of constants that are folded, and summed one after the other on another.
struct fan {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {size}), y;

  explicit fan(int count) {
    std::vector<fg::out<float>> made;
    {
      const auto on = g.on_device("/cpu:1");
      for (int i = 0; i < count; ++i)
        made.push_back(
            multiply(x, add(g.constant(static_cast<float>(i)), g.constant(0.f)), {.name = fg::message{"made_", i}.string()}));
    }
    const auto on = g.on_device("/cpu:2");
    y = made[0];
    for (int i = 1; i < count; ++i) y = add(y, made[static_cast<std::size_t>(i)], {.name = fg::message{"sum_", i}.string()});
  }

  struct outcome {
    std::size_t sent = 0, received = 0;  // bytes of a prepared step on either
    std::vector<float> values;
    fg::pass_report report;
  };
  outcome run(const fg::pass_options& passes, std::size_t limit_of_sender = 0, fg::thread_pool* pool = nullptr,
              fg::cutting cut = {}) const {
    const fg::device_list cpus = fg::cpu_devices(3), limited = fg::cpu_devices(2, limit_of_sender);
    const fg::device* const all[] = {&cpus[0], limit_of_sender > 0 ? &limited[1] : &cpus[1], &cpus[2]};
    fg::session s{g, {.pool = pool, .devices = all, .cut = cut, .passes = passes}};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    outcome made;
    made.sent = all[1]->budget()->in_use();
    made.received = cpus[2].budget()->in_use();
    made.values = to_vector(step(filled(size, 0.1f)));
    if (limit_of_sender == 0) CHECK((to_vector(s.run(fg::fetch(y), {{x, filled(size, 0.1f)}})) == made.values));
    for (const fg::pass_report& p : step.plan().passes)
      if (p.name == "delay_transfers") made.report = p;
    return made;
  }
};

bool tells(const fg::pass_report& p, std::string_view words) {
  return std::ranges::any_of(p.notes, [&](const std::string& n) { return n.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("hold transfers: of a fan of 64 the receiver holds two at a time") {
  const fan m(64);
  const fg::cost_model costs;
  const fg::delay_transfers held(costs);
  const auto plain = m.run({});
  const auto made = m.run({.further = {held}});
  CHECK(plain.received >= 64 * each);
  CHECK(made.received <= 3 * each);
  CHECK(made.report.changed == 62);
  CHECK(tells(made.report, "made_40 to /job:localhost/task:0/device:cpu:2 waits for sum_39"));
  CHECK((made.values == plain.values));
  MESSAGE("the receiver of 64 values of " << each << " bytes: " << plain.received << " bytes, held back " << made.received);
}

TEST_CASE("hold transfers: the same bits on several threads and cut between devices") {
  const fan m(16);
  const fg::cost_model costs;
  const fg::delay_transfers held(costs);
  const auto plain = m.run({});
  fg::thread_pool pool(3);
  for (fg::thread_pool* threads : {static_cast<fg::thread_pool*>(nullptr), &pool})
    for (const fg::cutting& cut : {fg::cutting{}, fg::cutting(fg::per_device)})
      CHECK((m.run({.further = {held}}, 0, threads, cut).values == plain.values));
}

TEST_CASE("hold transfers: what a channel carries is sent as long before as it takes") {
  const fan m(16);
  fg::cost_model costs;
  costs.set_speed("", {.bytes_per_second = 1e15, .seconds_per_call = 1e-3, .threads = 1}).value();
  costs.set_link("", "", {.latency = 2.5e-3, .bytes_per_second = 1e15, .has_channel = true}).value();
  const fg::delay_transfers held(costs);
  const auto made = m.run({.further = {held}});
  const auto plain = m.run({});
  CHECK(made.received < plain.received);
  CHECK((made.values == plain.values));
  // A sum takes a millisecond, so three are under way or to be done when it leaves.
  CHECK(tells(made.report, "made_12 to /job:localhost/task:0/device:cpu:2 waits for sum_8"));
}

TEST_CASE("hold transfers: a sender keeps no more than its limit") {
  const fan m(16);
  const fg::cost_model costs;
  const fg::delay_transfers held(costs);
  const auto plain = m.run({});
  const auto free = m.run({.further = {held}});
  CHECK(free.sent > 8 * each);
  const std::size_t limit = plain.sent + 4 * each + 512;
  const auto made = m.run({.further = {held}}, limit);
  CHECK(made.sent <= limit);
  CHECK(made.report.changed > 0);
  CHECK(made.report.changed < free.report.changed);
  CHECK(made.received < plain.received);
  CHECK((made.values == plain.values));
}

TEST_CASE("hold transfers: small values are sent at once, and one device has nothing to hold") {
  const fan m(8);
  const fg::cost_model costs;
  const fg::delay_transfers large(costs, each + 1);
  CHECK(m.run({.further = {large}}).report.changed == 0);
  const fg::delay_transfers held(costs);
  fg::session s{m.g, {.soft_placement = true, .passes = {.further = {held}}}};
  CHECK(s.run(fg::fetch(m.y), {{m.x, filled(size, 1)}})[0] == 28);
}

TEST_CASE("hold transfers: with save_memory behind it, both are told") {
  const fan m(8);
  const fg::cost_model costs;
  const fg::delay_transfers held(costs);
  const fg::save_memory saving(costs, {.limit = 4 * each});
  const auto made = m.run({.further = {held, saving}});
  CHECK(made.report.changed > 0);
  CHECK((made.values == m.run({}).values));
}
