#include <flowgraph/runtime/planning/transfers.hpp>

#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/runtime/session_state.hpp>
#include <flowgraph/runtime/step.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;

namespace {

// A graph on three CPUs, and the same answers asked for in all ways to run.
struct three_cpus {
  fg::graph g;
  fg::device_list cpus = fg::cpu_devices(3);
  fg::out<float> x = g.placeholder<float>("x", {fg::any});

  fg::out<float> on(std::size_t device, const std::function<fg::out<float>()>& make) {
    const auto there = g.on_device(fg::message{"/cpu:", device}.string());
    return make();
  }
  fg::out<float> add_on(std::size_t device, fg::out<float> a, fg::out<float> b) {
    return on(device, [&] { return add(a, b); });
  }
  // The first element of y for an x of ones, and of 5,000 of them.
  void check(fg::out<float> y, float expected) {
    fg::thread_pool pool(3);
    const fg::session_options ways[] = {{.devices = cpus},
                                        {.devices = cpus, .dynamic = true},
                                        {.devices = cpus, .cut = fg::per_device},
                                        {.pool = &pool, .devices = cpus, .cut = fg::per_device}};
    for (const fg::session_options& way : ways) {
      fg::session s{g, way};
      s.initialize();
      auto step = s.prepare(fg::feed(x), fg::fetch(y));
      for (const std::size_t size : {std::size_t{3}, std::size_t{5000}, std::size_t{5000}}) {
        CHECK(step(filled(size, 1))[0] == expected);
        CHECK(s.run(fg::fetch(y), {{x, filled(size, 1)}})[size - 1] == expected);
      }
    }
    fg::session alone{g, {.soft_placement = true}};
    alone.initialize();
    CHECK(alone.run(fg::fetch(y), {{x, filled(3, 1)}})[0] == expected);
    for (std::size_t d = 0; d < cpus.size(); ++d) CHECK(cpus[d].budget()->in_use() == 0);
  }
  // The names of what crosses in a run for y.
  std::vector<std::string> crossing(fg::out<float> y) {
    fg::detail::placement placing(cpus, false);
    const fg::any_out feeds[] = {x}, fetches[] = {y};
    const auto plan = fg::detail::make_plan(g, {.feeds = feeds, .fetches = fetches, .targets = {}, .devices = &placing});
    std::vector<std::string> names;
    for (const fg::detail::plan_record& r : (*plan)->records)
      if (r.kind == fg::detail::record_kind::op && r.table->crosses) names.emplace_back(r.site->name);
    return names;
  }
};

}  // namespace

TEST_CASE("transfers: a tensor crosses once to each device that reads it, however many nodes do") {
  three_cpus t;
  const auto a = t.add_on(1, t.x, t.x);
  auto sum = t.add_on(2, a, a);
  for (int i = 0; i < 100; ++i) sum = t.add_on(2, sum, a);
  const auto y = t.add_on(0, sum, a);
  CHECK(t.crossing(y).size() == 4);  // x to 1, a to 2 and to 0, the sum to 0
  CHECK(t.crossing(y)[0] == "x to /job:localhost/task:0/device:cpu:1");
  t.check(y, 2 * 102 + 2);
}

TEST_CASE("transfers: a fetched value comes back to the host and outlives the devices") {
  fg::tensor<float> kept;
  {
    three_cpus t;
    const auto y = t.add_on(2, t.x, t.x);
    fg::session s{t.g, {.devices = t.cpus}};
    kept = s.run(fg::fetch(y), {{t.x, filled(4, 3)}});
    CHECK(t.cpus[2].budget()->in_use() == 0);
  }
  CHECK(kept[3] == 6);
}

TEST_CASE("transfers: of several feeds, some of which cross") {
  three_cpus t;
  const auto a = t.g.placeholder<float>("a", {}), b = t.g.placeholder<float>("b", {}), c = t.g.placeholder<float>("c", {});
  const auto y = t.add_on(1, t.add_on(2, a, b), t.add_on(0, b, c));
  fg::session s{t.g, {.devices = t.cpus}};
  CHECK(s.run(fg::fetch(y), {{a, 1.f}, {b, 20.f}, {c, 300.f}}).scalar() == 341);
  auto step = s.prepare(fg::feed(c, b, a), fg::fetch(y));
  CHECK(step(300.f, 20.f, 1.f).scalar() == 341);
}

TEST_CASE("transfers: the branch that is not taken sends nothing and the one that is decides") {
  three_cpus t;
  std::atomic<int> runs = 0;
  const auto sides = fg::switch_(t.x, less(t.g.constant(0.f), t.g.constant(1.f)));
  const auto no = t.on(1, [&] { return counted(t.add_on(1, sides.if_false, sides.if_false), runs); });
  const auto yes = t.on(2, [&] { return add(sides.if_true, add(sides.if_true, sides.if_true)); });
  t.check(t.add_on(1, fg::merge({no, yes}).value, t.x), 4);
  CHECK(runs == 0);
}

TEST_CASE("transfers: two outputs of one node, read on one device") {
  three_cpus t;
  const auto sides = fg::switch_(t.x, less(t.g.constant(0.f), t.g.constant(1.f)));
  const auto no = t.add_on(1, sides.if_false, sides.if_false),
             yes = t.add_on(1, sides.if_true, add(sides.if_true, sides.if_true));
  t.check(fg::merge({no, yes}).value, 3);
}

TEST_CASE("transfers: a loop whose body stands on two devices") {
  three_cpus t;
  const auto zero = t.g.constant(0.f), one = t.g.constant(1.f), three = t.g.constant(3.f);
  const auto made = loop(
      {zero, t.x, t.x}, [&](const values& v) { return less(v[0], invariant(three)); },
      [&](const values& v) {
        return values{add(v[0], invariant(one)), t.add_on(1, v[1], t.add_on(2, v[2], v[1])), t.add_on(2, v[2], v[1])};
      });
  // (1, 1), (3, 2), (8, 5), (21, 13)
  t.check(t.add_on(1, made[1], made[2]), 34);
}

TEST_CASE("transfers: a variable is read on another device when its reader runs, before and after an assignment") {
  three_cpus t;
  const auto v = [&] {
    const auto there = t.g.on_device("/cpu:1");
    return t.g.variable("v", fg::tensor<float>({1}, {10}));
  }();
  const auto before = t.on(2, [&] { return add(v, t.x); });
  fg::out<float> after;
  {
    const auto first = t.g.after(before);
    const auto grown = fg::assign_add(v, t.g.constant(fg::tensor<float>({1}, {1})));
    const auto then = t.g.after(grown);
    after = t.on(2, [&] { return add(v, before); });
  }
  for (const bool dynamic : {false, true}) {
    fg::session s{t.g, {.devices = t.cpus, .dynamic = dynamic}};
    s.initialize();
    for (int i = 0; i < 3; ++i) {
      const auto [a, b] = s.run(fg::fetch(before, after), {{t.x, filled(1, 1)}});
      CHECK(a[0] == static_cast<float>(11 + i));
      CHECK(b[0] == static_cast<float>(11 + i + 11 + i));
    }
  }
}

namespace {

fg::variable<float> variable_on(three_cpus& t, std::string_view name) {
  const auto there = t.g.on_device("/cpu:1");
  return t.g.variable(name, fg::tensor<float>({1}, {10}));
}

// A variable on the second device, which nodes on the third read.
struct read_variable {
  three_cpus t;
  fg::variable<float> v = variable_on(t, "v");

  std::size_t reads(const std::vector<fg::any_out>& fetches) {
    fg::session s{t.g, {.devices = t.cpus}};
    const std::vector<fg::edge_or_name> edges(fetches.begin(), fetches.end());
    const std::vector<fg::fed_shape> feeds{t.x};
    const auto told = s.try_explain(edges, {}, feeds);
    std::size_t count = 0;
    for (const fg::explained_node& n : told.value().nodes) count += n.name.starts_with("v to ");
    return count;
  }
  // What a run gives, in one plan and cut, twice each.
  void check(const fg::out<float>& y, float first, float second, float x = 1) {
    for (const bool is_cut : {false, true})
      for (const bool dynamic : {false, true}) {
        fg::session s{t.g, {.devices = t.cpus, .cut = is_cut ? fg::per_device : fg::cutting{}, .dynamic = dynamic}};
        s.initialize();
        CHECK(s.run(fg::fetch(y), {{t.x, filled(1, x)}})[0] == first);
        CHECK(s.run(fg::fetch(y), {{t.x, filled(1, x)}})[0] == second);
      }
  }
};

}  // namespace

TEST_CASE("transfers: readers of a variable on one device share a transfer while nothing writes it") {
  read_variable m;
  three_cpus& t = m.t;
  auto sum = t.add_on(2, m.v, t.x);
  for (int i = 0; i < 5; ++i) sum = t.add_on(2, m.v, sum);
  const auto elsewhere = t.add_on(0, m.v, sum);
  CHECK(m.reads({sum}) == 1);
  CHECK(m.reads({elsewhere}) == 2);
  m.check(elsewhere, 71, 71);
}

TEST_CASE("transfers: a read is not shared across a write, nor by the order of names alone") {
  read_variable m;
  three_cpus& t = m.t;
  const auto before = t.add_on(2, m.v, t.x), again = t.add_on(2, m.v, before);  // 10 + x, 20 + x
  // No edge orders the write and the reads: the order of their making does.
  const auto grown = fg::assign_add(m.v, t.g.constant(fg::tensor<float>({1}, {1})));
  const auto after = t.add_on(2, m.v, again), last = t.add_on(2, m.v, after);
  const auto y = [&] {
    const auto then = t.g.after(grown);
    return t.add_on(2, last, last);
  }();
  CHECK(m.reads({y}) == 2);
  m.check(y, 2 * (10 + 10 + 11 + 11 + 1), 2 * (11 + 11 + 12 + 12 + 1));
}

TEST_CASE("transfers: a reader that may not run, or that waits for a kernel that answers later, has a transfer of its own") {
  read_variable m;
  three_cpus& t = m.t;
  const auto sides = fg::switch_(t.x, less(t.x, t.g.constant(fg::tensor<float>(fg::shape{}, {5}))));
  const auto yes = t.add_on(2, m.v, sides.if_true), no = t.add_on(2, m.v, t.add_on(2, m.v, sides.if_false));
  const auto merged = fg::merge({no, yes}).value;
  const auto plain = t.add_on(2, m.v, t.x), other = t.add_on(2, m.v, plain);
  CHECK(m.reads({merged}) == 3);
  CHECK(m.reads({merged, other}) == 4);
  const auto late = t.on(2, [&] { return add(m.v, async_probe(t.x, [](fg::cpu, fg::done answer) { answer({}); })); });
  CHECK(m.reads({late, other}) == 2);
}

TEST_CASE("transfers: between the pieces of a partial run a variable may change, so that each reader has a transfer of its own") {
  read_variable m;
  three_cpus& t = m.t;
  const auto z = t.g.placeholder<float>("z", {1});
  const auto a = t.add_on(2, m.v, t.x), b = t.add_on(2, m.v, z);
  fg::session s{t.g, {.devices = t.cpus}};
  s.initialize();
  auto run = s.try_begin_partial(std::vector<fg::any_out>{t.x, z}, std::vector<fg::any_out>{a, b}).value();
  CHECK((*run.try_continue(std::vector<fg::fed>{{t.x, filled(1, 1)}}, std::vector<fg::any_out>{a}))[0].as<float>()[0] == 11);
  s.assign({{m.v, filled(1, 20)}});
  CHECK((*run.try_continue(std::vector<fg::fed>{{z, filled(1, 1)}}, std::vector<fg::any_out>{b}))[0].as<float>()[0] == 21);
}

TEST_CASE("transfers: a variable that another node names, too, is read by each reader anew") {
  three_cpus t;
  const auto v = variable_on(t, "v");
  fg::variable<float> same;
  static_cast<fg::out<float>&>(same) = t.on(1, [&] {
    return fg::apply_in<float>(t.g, fg::variable_v2_op{fg::shape{1}, {}, "v"}, {"alias"});
  });
  const auto before = t.add_on(2, v, t.x);
  const auto grown = [&] {
    const auto then = t.g.after(before);
    return fg::assign_add(same, t.g.constant(fg::tensor<float>({1}, {1})));
  }();
  const auto then = t.g.after(grown);
  const auto after = t.add_on(2, v, before);
  fg::session s{t.g, {.devices = t.cpus}};
  s.initialize();
  CHECK(s.run(fg::fetch(after), {{t.x, filled(1, 0)}})[0] == 21);
  std::size_t reads = 0;
  for (const std::string& name : t.crossing(after)) reads += name.starts_with("v to ");
  CHECK(reads == 2);
}

TEST_CASE("transfers: beyond the limit of a device a run ends in an error, and the next run is right") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto y = [&] {
    const auto there = g.on_device("/cpu:1");
    return add(x, x);
  }();
  const fg::device_list cpus = fg::cpu_devices(2, 4096);
  fg::session s{g, {.devices = cpus}};
  const fg::error why = s.try_run(fg::fetch(y), {{x, filled(5000, 1)}}).error();
  CHECK(why.code() == error_code::resource_exhausted);
  CHECK(std::string_view(why.what()).find("/device:cpu:1") != std::string_view::npos);
  CHECK(s.run(fg::fetch(y), {{x, filled(50, 1)}})[49] == 2);
}

TEST_CASE("transfers: a prepared step beyond the limit of a device says which, one beyond the session's says that") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {5000});
  const auto there = g.on_device("/cpu:1");
  const auto y = add(add(x, x), x);
  const fg::device_list cpus = fg::cpu_devices(2, 4096);
  fg::session s{g, {.devices = cpus}};
  const auto says = [](const fg::error& why, std::string_view text) {
    CHECK(why.code() == error_code::resource_exhausted);
    CHECK_MESSAGE(std::string_view(why.what()).find(text) != std::string_view::npos, why.what());
  };
  says(s.try_prepare(fg::feed(x), fg::fetch(y)).error(),
       "of working memory of /job:localhost/task:0/device:cpu:1; the limit of "
       "/job:localhost/task:0/device:cpu:1 is 4096, of which 0 are in use");
  fg::graph h;
  const auto z = h.placeholder<float>("z", {5000});
  fg::session of_one{h, {.memory_limit = 4096}};
  says(of_one.try_prepare(fg::feed(z), fg::fetch(add(add(z, z), multiply(z, z)))).error(),
       "of working memory; session_options::memory_limit is 4096");
}

TEST_CASE("transfers: a constant that waits for another node, on a device without kernels") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  fg::device accelerator("accel");
  const auto y = [&] {
    const auto then = g.after(add(x, x));
    const auto there = g.on_device("/device:accel:0");
    return g.constant(2.f);
  }();
  const auto sum = add(x, y);
  const fg::device* const devices[] = {&accelerator};
  fg::session s{g, {.devices = devices}};
  CHECK(s.run(fg::fetch(sum), {{x, 1.f}}).scalar() == 3);
  CHECK(s.prepare(fg::feed(x), fg::fetch(sum))(1.f).scalar() == 3);
}

TEST_CASE("transfers: constants and what is computed from them alone ask for devices that exist") {
  fg::graph g;
  const auto there = g.on_device("/cpu:9");
  const auto c = g.constant(2.f), sum = add(c, c);
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(c)).error().code() == error_code::invalid_argument);
  CHECK(s.try_run(fg::fetch(sum)).error().code() == error_code::invalid_argument);
}

TEST_CASE("transfers: a Merge reads a variable of another device itself, whatever it waits for") {
  three_cpus t;
  const auto v = [&] {
    const auto there = t.g.on_device("/cpu:1");
    return t.g.variable("v", fg::tensor<float>(fg::shape{}, {10}));
  }();
  const auto sides = fg::switch_(t.x, less(t.g.constant(0.f), t.g.constant(1.f)));
  const auto y = t.on(2, [&] {
    const auto after = t.g.after(sides.if_false);
    return fg::merge({fg::out<float>(v), sides.if_false}).value;
  });
  t.check(add(y, t.x), 11);
}

namespace {

// A session for each way of running, which has placed what the graph has so far.
struct placed_sessions {
  explicit placed_sessions(three_cpus& t) {
    for (const bool is_cut : {false, true})
      for (const bool dynamic : {false, true}) {
        const fg::session_options way{.devices = t.cpus, .cut = is_cut ? fg::per_device : fg::cutting{}, .dynamic = dynamic};
        auto& s = all.emplace_back(std::make_unique<fg::session>(t.g, way));
        CHECK(s->run(fg::fetch(t.x), {{t.x, filled(1, 1)}})[0] == 1);
      }
  }
  // All refuse to run `y`, where `taker` has been given what `maker` makes on another device, before anything has run.
  void refuse(three_cpus& t, const fg::out<float>& y, const fg::any_out& taker, const fg::any_out& maker,
              const std::atomic<int>& runs) {
    CHECK(taker.source->where.line() != maker.source->where.line());
    for (const auto& s : all) {
      const fg::edge_or_name edges[] = {y};
      const fg::error whys[] = {s->try_run(fg::fetch(y), {{t.x, filled(1, 1)}}).error(),
                                s->try_prepare(fg::feed(t.x), fg::fetch(y)).error(), s->try_explain(edges, {}, {}).error()};
      for (const fg::error& why : whys) {
        const std::string named = fg::message{"'", maker.source->name, "' (", __FILE__, ":", maker.source->where.line(), ")"};
        check_error(why, error_code::invalid_argument, taker.source->name, taker.source->op->name(),
                    {"this node is on /job:localhost/task:0/device:cpu:0", "takes a reference or a handle of " + named,
                     "on /job:localhost/task:0/device:cpu:2; neither can leave its device"});
        check_place(why, taker.source->where.line(), __FILE__);
      }
      CHECK(runs == 0);
      CHECK(s->run(fg::fetch(t.x), {{t.x, filled(1, 1)}})[0] == 1);  // others run
    }
  }
  std::vector<std::unique_ptr<fg::session>> all;
};

}  // namespace

TEST_CASE("transfers: a handle that would cross by an edge set later is an error that names both nodes with their lines") {
  three_cpus t;
  std::atomic<int> runs = 0;
  const auto queue_on = [&](std::string_view device, std::source_location at) {
    const auto there = t.g.on_device(device);
    return fg::fifo_queue<float>(t.g, {.capacity = 2, .shapes = {{}}}, {.name = {}, .location = at});
  };
  const auto here = queue_on("/cpu:0", std::source_location::current());
  const auto elsewhere = queue_on("/cpu:2", std::source_location::current());
  const auto merged = fg::merge({here.handle(), here.handle()});
  const auto y = add(counted(t.x, runs), [&] {
    const auto then = t.g.after(merged.value);
    return t.g.constant(1.f);
  }());
  placed_sessions sessions(t);
  t.g.set_back_edge(merged.value.source, 1, elsewhere.handle());
  sessions.refuse(t, y, merged.value, elsewhere.handle(), runs);
}

TEST_CASE("transfers: a reference that would cross by an edge set later is an error that names both nodes with their lines") {
  three_cpus t;
  std::atomic<int> runs = 0;
  const auto variable = [&](std::string_view device, std::source_location at = std::source_location::current()) {
    const auto there = t.g.on_device(device);
    return t.g.variable("v", fg::tensor<float>({1}, {10}), {.name = {}, .location = at});
  };
  const auto here = variable("/cpu:0");
  const auto elsewhere = variable("/cpu:2");
  const auto grown = fg::assign_add(here, counted(t.x, runs));
  const auto y = [&] {
    const auto then = t.g.after(grown);
    return add(t.x, t.x);
  }();
  placed_sessions sessions(t);
  t.g.set_back_edge(fg::any_out(fg::out<float>(grown)).source, 0, elsewhere);
  sessions.refuse(t, y, fg::out<float>(grown), elsewhere, runs);
}
