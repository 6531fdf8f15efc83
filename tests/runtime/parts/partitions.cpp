#include <flowgraph/runtime/parts/partitions.hpp>

#include <flowgraph/op/device.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;
using fg::detail::exchange_edge;
using fg::detail::partitions;

namespace {

struct divided {
  fg::graph g;
  fg::device_list cpus = fg::cpu_devices(3);
  fg::out<float> x = g.placeholder<float>("x", {});

  template <class Make> auto on(std::size_t device, Make make) {
    const auto there = g.on_device(fg::message{"/cpu:", device}.string());
    return make();
  }
  fg::out<float> add_on(std::size_t device, fg::out<float> a, fg::out<float> b, std::string_view name = {}) {
    return on(device, [&] { return add(a, b, {.name = name}); });
  }
  std::shared_ptr<const fg::detail::plan> plan_of(fg::any_out y, bool folds = false) {
    fg::detail::placement placing(cpus, false);
    const fg::any_out feeds[] = {x}, fetches[] = {y};
    const auto run = [](const fg::detail::draft_node&, std::vector<fg::any_tensor>&) {
      return fg::error(error_code::internal, "");
    };
    const fg::detail::node_runner runner(run);
    const fg::pass_options passes = folds ? fg::pass_options() : fg::pass_options::none();
    return fg::detail::make_plan(g, {.feeds = feeds,
                                     .fetches = fetches,
                                     .targets = {},
                                     .devices = &placing,
                                     .passes = &passes,
                                     .run = &runner,
                                     .divide = &fg::detail::divide_by_device})
        .value();
  }
  static const partitions& parts_of(const std::shared_ptr<const fg::detail::plan>& p) {
    REQUIRE(p->parts);
    return static_cast<const partitions&>(*p->parts);
  }
};
std::size_t count(const partitions& p, exchange_edge::form f) {
  std::size_t n = 0;
  for (const exchange_edge& e : p.edges) n += e.kind == f && !e.serves_fetch_alone;
  return n;
}

}  // namespace

TEST_CASE("partitions: a value goes once to each device, and a control edge rides on it") {
  divided d;
  const auto a = d.add_on(1, d.x, d.x, "a");
  fg::out<float> sum = d.add_on(2, a, a);
  for (int i = 0; i < 100; ++i) {
    const auto then = d.g.after(a);
    sum = d.add_on(2, sum, a);
  }
  const auto plan = d.plan_of(sum);
  const partitions& p = divided::parts_of(plan);
  CHECK(count(p, exchange_edge::form::value) == 1);
  CHECK(count(p, exchange_edge::form::control) == 0);
  REQUIRE(p.rides.size() == 1);
  CHECK(p.rides[0].source->name == "a");
  CHECK(p.rides[0].to == 2);
}

TEST_CASE("partitions: a control edge of a Switch has its own way") {
  divided d;
  const auto sides = d.on(1, [&] { return fg::switch_(d.x, less(d.g.constant(0.f), d.g.constant(1.f))); });
  const auto then = d.g.after(sides.if_true);
  const auto y = d.add_on(2, sides.if_true, d.x);
  const auto plan = d.plan_of(y);
  const partitions& p = divided::parts_of(plan);
  CHECK(count(p, exchange_edge::form::control) == 1);
  CHECK(p.rides.empty());
}

TEST_CASE("partitions: a variable is sent once for the readers of a device, and again after a write") {
  for (const bool is_written : {false, true}) {
    CAPTURE(is_written);
    divided d;
    const auto v = d.on(1, [&] { return d.g.variable("v", fg::tensor<float>(fg::shape{}, {10})); });
    const auto first = d.add_on(2, v, d.x);
    const auto written = is_written ? fg::out<float>(d.on(1, [&] { return fg::assign_add(v, d.x); })) : d.x;
    const auto order = d.g.after(written);
    const auto y = d.add_on(0, first, d.add_on(2, d.x, v));
    const auto plan = d.plan_of(y);
    CHECK(count(divided::parts_of(plan), exchange_edge::form::read) == (is_written ? 2 : 1));
  }
}

TEST_CASE("partitions: who receives inside a loop follows it, and asks for its condition once") {
  divided d;
  const auto zero = d.g.constant(0.f), one = d.g.constant(1.f), three = d.g.constant(3.f);
  const auto made = loop(
      {zero, d.x}, [&](const values& v) { return less(v[0], invariant(three)); },
      [&](const values& v) {
        return values{add(v[0], invariant(one)), d.add_on(1, v[1], v[1])};
      });
  const auto plan = d.plan_of(made[1]);
  const partitions& p = divided::parts_of(plan);
  // To device 1 the value and the condition, and the value back.
  CHECK(count(p, exchange_edge::form::value) == 2);
  CHECK(count(p, exchange_edge::form::condition) == 1);
  CHECK(p.loops.size() == 2);
  for (const exchange_edge& e : p.edges) CHECK(e.frame == 1);
}

TEST_CASE("partitions: each part has its own constants, feeds and random nodes") {
  divided d;
  const auto a = d.add_on(1, d.x, d.g.constant(2.f)), b = d.add_on(2, d.x, d.g.constant(2.f));
  const auto y = d.add_on(0, a, b);
  for (const bool folds : {true, false}) {
    const auto plan = d.plan_of(y, folds);
    const partitions& p = divided::parts_of(plan);
    REQUIRE(p.parts.size() == 3);
    CHECK(p.parts[0].feeds.empty());
    CHECK(p.parts[1].feeds.size() == 1);
    CHECK(p.parts[1].what->constants.size() == (folds ? 1 : 0));  // else it stands on device 0 and is sent
    CHECK(count(p, exchange_edge::form::value) == (folds ? 2 : 4));
    CHECK(p.fetches[0].part == 0);
  }
}
