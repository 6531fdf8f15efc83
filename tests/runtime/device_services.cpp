#include <flowgraph/runtime/device_services.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/device_kernel.hpp>
#include <flowgraph/observe/not_finite.hpp>
#include <flowgraph/runtime/explain.hpp>

#include "../harness/accelerator/kernels.hpp"
#include "../harness/engine_ops.hpp"

#include <map>

using namespace engine;

namespace {

// Fails when it runs: on an accelerator, later.
struct refusing_op {
  static constexpr std::string_view name = "Refusing";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float>) const {
    ctx.fail(error_code::invalid_argument, fg::message{"found ", static_cast<int>(x[0])});
  }
};

// Reads its second input on the host: how often to repeat the first.
struct repeat_op {
  static constexpr std::string_view name = "Repeat";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr auto host_inputs = fg::host_inputs(1);
  static constexpr auto host_outputs = fg::host_outputs(1);
  std::array<fg::shape, 2> shape(fg::shape_context& c, const fg::shape&, const fg::shape&) const {
    const fg::any_tensor* const times = c.constant(1);
    return {times ? fg::shape{static_cast<std::int64_t>(times->as<float>()[0])} : fg::shape{fg::any}, fg::shape{}};
  }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<const float> times, fg::view<float> y, fg::view<float> sum) const {
    std::fill(y.begin(), y.end(), x[0]);
    sum.scalar() = times[0];
  }
};

// Reads its second input on the host; may write over an input of the output's size.
struct scale_op {
  static constexpr std::string_view name = "Scale";
  static constexpr fg::op_facts facts{.not_differentiable = true, .in_place = true};
  static constexpr auto host_inputs = fg::host_inputs(1);
  fg::shape shape(const fg::shape& x, const fg::shape&) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<const float> by, fg::view<float> y) const { y[0] = x[0] * by[0]; }
};

// Looks at no element.
struct length_op {
  static constexpr std::string_view name = "Length";
  static constexpr fg::op_facts facts{.not_differentiable = true, .shape_only = true};
  static constexpr auto host_outputs = fg::host_outputs(0);
  fg::shape shape(const fg::shape&) const { return {}; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const { y.scalar() = static_cast<float>(x.size()); }
};

// How a session runs: by schedules, by the ready queue, with an executor for each device.
struct course {
  bool dynamic;
  fg::cutting cut;
};
const course courses[] = {{false, {}}, {true, {}}, {false, fg::per_device}};

}  // namespace

TEST_CASE("device_services: arithmetic runs there, and the host finds the answer") {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    accelerator::accelerators all(seed, 2);
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    fg::out<float> y = x;
    for (int i = 0; i < 6; ++i) {
      const auto there = g.on_device(i % 3 == 2 ? "/cpu:0" : i % 3 == 1 ? "/device:accel:1" : "/device:accel:0");
      y = add(multiply(y, y), x);
    }
    all.learn(g);
    fg::session alone{g, {.soft_placement = true}};
    const auto in = filled(4, 1.5f);
    const auto expected = alone.run(fg::fetch(y), {{x, in}});
    for (const auto& [dynamic, cut] : courses) {
      fg::session s{g, {.devices = all.devices(), .cut = cut, .dynamic = dynamic}};
      auto step = s.prepare(fg::feed(x), fg::fetch(y));
      for (int run = 0; run < 3; ++run) {
        CHECK(s.run(fg::fetch(y), {{x, in}})[3] == expected[3]);
        CHECK(step(in)[0] == expected[0]);
      }
    }
    CHECK(all.memory_of(0).in_use() == 0);
  }
}

TEST_CASE("device_services: variables lie there, and are read and written in order") {
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    accelerator::accelerators all(seed, 1);
    fg::graph g;
    auto there = g.on_device("/device:accel:0");
    auto w = g.variable<float>("w", filled(3, 3));
    auto more = fg::assign_add(w, add(w, w));
    auto twice = add(w, w);
    all.learn(g);
    {
      fg::session s{g, {.devices = all.devices(), .cut = courses[seed % 3].cut}};
      s.initialize();
      CHECK(s.run(fg::fetch(twice))[2] == 6);
      s.run(more);
      CHECK(s.run(fg::fetch(twice))[2] == 18);
      CHECK(s.run(fg::fetch(w))[2] == 9);
      auto step = s.prepare(fg::feed(), fg::fetch(more));
      CHECK(step()[2] == 27);
      CHECK(step()[2] == 81);
      CHECK(s.run(fg::fetch(w))[0] == 81);
      CHECK(all.memory_of(0).in_use() >= 12);
    }
    CHECK(all.memory_of(0).in_use() == 0);
  }
}

TEST_CASE("device_services: loops and branches run there; the executor reads conditions on the host") {
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    accelerator::accelerators all(seed, 1);
    fg::graph g;
    auto limit = g.placeholder<float>("limit", {});
    auto there = g.on_device("/device:accel:0");
    auto one = g.constant(1.f);
    auto counted = counting_loop(g.constant(0.f), limit, one);
    auto y = add(counted, one);
    all.learn(g);
    for (const auto& [dynamic, cut] : courses) {
      fg::session s{g, {.devices = all.devices(), .cut = cut, .dynamic = dynamic}};
      auto step = s.prepare(fg::feed(limit), fg::fetch(y));
      for (const float last : {5.f, 0.f, 9.f}) {
        CHECK(s.run(fg::fetch(y), {{limit, last}}).scalar() == last + 1);
        CHECK(step(last).scalar() == last + 1);
      }
    }
    CHECK(all.memory_of(0).in_use() == 0);
  }
}

TEST_CASE("device_services: a kernel that fails later fails its run, by name, and no other") {
  accelerator::accelerators all(7, 1);
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto there = g.on_device("/device:accel:0");
  auto bad = fg::apply(refusing_op{}, add(x, x), fg::site{"bad"});
  auto good = add(x, x);
  all.learn(g);
  for (const auto& [dynamic, cut] : courses) {
    fg::session s{g, {.devices = all.devices(), .cut = cut, .dynamic = dynamic}};
    check_error(s.try_run(bad, {{x, filled(3, 2)}}).error(), error_code::invalid_argument, "bad", "Refusing", {"found 4"});
    CHECK(s.run(fg::fetch(good), {{x, filled(3, 2)}})[0] == 4);
    auto step = s.prepare(fg::feed(x), fg::fetch(bad));
    check_error(step.try_run(fg::run_options{}, filled(3, 3)).error(), error_code::invalid_argument, "bad", "Refusing",
                {"found 6"});
  }
}

TEST_CASE("device_services: a variable fed, assigned and read by two sessions of one container") {
  accelerator::accelerators all(3, 1);
  fg::graph g;
  auto x = g.placeholder<float>("x", {3});
  auto there = g.on_device("/device:accel:0");
  auto w = g.variable<float>("w", filled(3, 1));
  auto set = fg::assign(w, x);
  auto set_sum = fg::assign(w, add(x, w));
  all.learn(g);
  fg::container state;
  {
    fg::session first{g, {.resources = &state, .devices = all.devices()}},
        second{g, {.resources = &state, .devices = all.devices()}};
    first.initialize();
    first.run(set, {{x, filled(3, 5)}});
    CHECK(second.run(fg::fetch(w))[1] == 5);
    auto step = second.prepare(fg::feed(x), fg::fetch(set_sum));
    CHECK(step(filled(3, 2))[0] == 7);
    CHECK(step(filled(3, 2))[2] == 9);
    CHECK(first.run(fg::fetch(w))[1] == 9);
    CHECK(all.memory_of(0).in_use() >= 12);
  }
  state.clear();
  CHECK(all.memory_of(0).in_use() == 0);
}

TEST_CASE("device_services: what a kernel reads on the host is brought there") {
  accelerator::accelerators all(5, 1);
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto there = g.on_device("/device:accel:0");
  auto [many, times] = fg::apply(repeat_op{}, x, add(x, x));
  auto y = add(many, times);
  all.learn(g);
  for (const auto& [dynamic, cut] : courses) {
    fg::session s{g, {.devices = all.devices(), .cut = cut, .dynamic = dynamic}};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    for (int run = 0; run < 2; ++run) {
      CHECK(s.run(fg::fetch(y), {{x, 3.f}}).size() == 6);
      CHECK(step(2.f)[3] == 6);
    }
  }
}

TEST_CASE("device_services: a cut sends a value once for each memory of a part, and copies nothing where a shape is asked for") {
  accelerator::accelerators all(5, 2);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto on = [&](std::size_t device, auto make) {
    const auto there = g.on_device(fg::message{"/device:accel:", device}.string());
    return make();
  };
  const auto a = on(0, [&] { return add(x, x, {.name = "a"}); });
  const auto scaled = on(0, [&] { return fg::apply(scale_op{}, a, a, fg::site{"scaled"}); });  // its own value, on the host
  const auto length = on(1, [&] { return fg::apply(length_op{}, a, fg::site{"length"}); });
  const auto beside = on(1, [&] { return add(fg::apply(scale_op{}, a, a, fg::site{"beside"}), length); });
  all.learn(g);
  fg::session s{g, {.devices = all.devices(), .cut = fg::per_device}};
  const fg::explanation e = s.explain(fg::fetch(scaled, beside), {{x, fg::shape{1}}});
  INFO(to_text(e));
  std::map<std::string, int> crossing;
  for (const fg::explained_node& n : e.nodes)
    if (n.kind == "transfer") ++crossing[n.name];
  const std::string first = "/job:localhost/task:0/device:accel:0", second = "/job:localhost/task:0/device:accel:1",
                    host = "/job:localhost/task:0/device:cpu:0";
  const std::map<std::string, int> expected{{"x to " + first, 1},
                                            {"a to the host at " + first, 1},
                                            {"a to " + second, 1},
                                            {"a to the host at " + second, 1},
                                            {"a for its shape to " + second, 1},
                                            {"length to " + second, 1},
                                            {"scaled to " + host, 1},
                                            {"TestAdd to " + host, 1}};
  CHECK(crossing == expected);
  std::map<std::string, int> sent;
  for (const fg::explained_exchange& one : e.exchanges) ++sent[one.name + " to " + e.parts[one.to].device];
  CHECK(sent == std::map<std::string, int>{{"a to " + second, 3},  // for either memory, and for its shape
                                           {"scaled to " + host, 1},
                                           {"TestAdd to " + host, 1}});
  const auto [alone, beyond] = s.run(fg::fetch(scaled, beside), {{x, filled(1, 3)}});
  CHECK(alone[0] == 36);
  CHECK(beyond[0] == 37);
}

TEST_CASE("device_services: nested loops over a CPU and two accelerators, each with an executor of its own") {
  fg::thread_pool pool(4);
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    accelerator::accelerators all(seed, 2);
    fg::graph g;
    const auto on = [&](std::string_view device, auto make) {
      const auto there = g.on_device(device);
      return make();
    };
    const auto zero = g.placeholder<float>("zero", {});
    const auto one = g.constant(1.f), three = g.constant(3.f);
    const auto outer = loop(
        {zero, zero}, [&](const values& v) { return on("/device:accel:0", [&] { return less(v[0], invariant(three)); }); },
        [&](const values& v) {
          const auto inner = loop(
              {v[1], v[0]},
              [&](const values& w) {
                return on("/device:accel:1", [&] { return less(w[1], invariant(invariant(three), {"inner"})); });
              },
              [&](const values& w) {
                const auto step = invariant(invariant(one), {"inner"});
                return values{on("/device:accel:0", [&] { return add(w[0], step); }),
                              on("/cpu:0", [&] { return add(w[1], step); })};
              },
              {"inner"});
          return values{on("/device:accel:1", [&] { return add(v[0], invariant(one)); }), inner[0]};
        });
    const auto y = on("/device:accel:1", [&] { return add(outer[1], outer[1]); });
    all.learn(g);
    {
      fg::session s{g, {.pool = seed % 2 == 0 ? &pool : nullptr, .devices = all.devices(), .cut = fg::per_device}};
      auto step = s.prepare(fg::feed(zero), fg::fetch(y));
      for (int run = 0; run < 3; ++run) {
        CHECK(s.run(fg::fetch(y), {{zero, 0.f}}).scalar() == 12);  // 3 + 2 + 1, twice
        CHECK(step(1.f).scalar() == 8);
      }
    }
    for (std::size_t d = 0; d < 2; ++d) CHECK(all.memory_of(d).in_use() == 0);
  }
}

TEST_CASE("device_services: a value that one accelerator has sent stays as it was while it is written over there") {
  fg::thread_pool pool(2);
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    CAPTURE(seed);
    accelerator::accelerators all(seed, 2);
    fg::graph g;
    const auto on = [&](std::string_view device, auto make) {
      const auto there = g.on_device(device);
      return make();
    };
    const auto x = g.placeholder<float>("x", {fg::any});
    const auto v = on("/device:accel:0", [&] { return g.variable("v", filled(3, 1)); });
    const auto twice = on("/device:accel:0", [&] { return add(x, x); });
    const auto sent = on("/device:accel:1", [&] { return add(add(twice, v), x); });
    const auto grown = on("/device:accel:0", [&] { return fg::assign_add(v, add(add(twice, twice), x)); });
    all.learn(g);
    {
      fg::session s{g, {.pool = seed % 2 == 0 ? &pool : nullptr, .devices = all.devices(), .cut = fg::per_device}};
      s.initialize();
      for (float known = 1, in = 1; in < 5; ++in) {
        const auto [a, b] = s.run(fg::fetch(sent, fg::out<float>(grown)), {{x, filled(3, in)}});
        CHECK(a[2] == 3 * in + known);
        known += 5 * in;
        CHECK(b[0] == known);
      }
    }
    for (std::size_t d = 0; d < 2; ++d) CHECK(all.memory_of(d).in_use() == 0);
  }
}

TEST_CASE("device_services: a host input is not written over for an output elsewhere") {
  accelerator::accelerators all(5, 1);
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto by = add(x, x);
  auto there = g.on_device("/device:accel:0");
  auto y = fg::apply(scale_op{}, g.constant(3.f), by);
  all.learn(g);
  for (const auto& [dynamic, cut] : courses) {
    fg::session s{g, {.devices = all.devices(), .cut = cut, .dynamic = dynamic}};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    CHECK(s.run(fg::fetch(y), {{x, 2.f}}).scalar() == 12);
    CHECK(step(1.f).scalar() == 6);
  }
}

namespace {

fg::thread_pool& threads_elsewhere() {
  static fg::thread_pool made(2);
  return made;
}

// Adds on another thread, after it has returned; refuses negative numbers.
constexpr auto add_later = [](const add_op&, fg::cpu, fg::view<const float> x, fg::view<const float> y, fg::view<float> z,
                              fg::done answer) {
  threads_elsewhere().submit([=, answer = std::move(answer)]() mutable {
    if (x[0] < 0) return answer(fg::error(error_code::out_of_range, "negative"));
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = x[i] + y[i];
    answer();
  });
};

// Two of them, on two devices, go on when both have begun.
struct meeting_op {
  static constexpr std::string_view name = "Meeting";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::atomic<int>* arrived = nullptr;
  std::thread::id* by = nullptr;
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    *by = std::this_thread::get_id();
    ++*arrived;
    for (int i = 0; i < 5000 && *arrived < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + static_cast<float>(*arrived);
  }
};

}  // namespace

TEST_CASE("device_services: a kernel of a device may answer later, in a loop too, and fail its run") {
  fg::device later("later");
  REQUIRE(later.add<add_op>(add_later));
  const fg::device* const devices[] = {&later};
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  const auto y = loop(
      {x}, [&](const values& v) { return less(v[0], invariant(g.constant(10.f))); },
      [&](const values& v) {
        const auto there = g.on_device("/device:later:0");
        return values{add(v[0], invariant(g.constant(1.f)), {.name = "one_more"})};
      })[0];
  for (const fg::cutting& cut : {fg::cutting{}, fg::cutting(fg::per_device)}) {
    fg::session s{g, {.devices = devices, .cut = cut}};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    for (int i = 0; i < 3; ++i) {
      CHECK(step(0.5f).scalar() == 10.5f);
      CHECK(fg::tensor<float>(s.run(fg::fetch(y), {{x, 3.f}})).scalar() == 10.f);
    }
    const auto failed = s.try_run(fg::fetch(y), {{x, -1.f}});
    REQUIRE_FALSE(failed);
    check_error(failed.error(), error_code::out_of_range, "one_more, iteration 0 of loop", "TestAdd", {"negative"});
    CHECK(step(9.f).scalar() == 10.f);
  }
}

TEST_CASE("device_services: devices with threads of their own run beside each other, the session has none") {
  fg::thread_pool first(2), second(2);
  const fg::device_list cpus = fg::cpu_devices(3);
  cpus[1].set_pool(first);
  cpus[2].set_pool(second);
  std::atomic<int> arrived = 0;
  std::thread::id by[2];
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  const auto meet = [&](const char* device, std::thread::id* who) {
    const auto there = g.on_device(device);
    return fg::apply(meeting_op{&arrived, who}, x);
  };
  auto y = add(meet("/cpu:1", &by[0]), meet("/cpu:2", &by[1]));
  fg::session s{g, {.devices = cpus}};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  for (const bool is_prepared : {false, true, true}) {
    arrived = 0;
    const fg::tensor<float> found =
        is_prepared ? step(filled(4, 1)) : fg::tensor<float>(s.run(fg::fetch(y), {{x, filled(4, 1)}}));
    CHECK(to_vector(found) == std::vector<float>(4, 6));
    CHECK(by[0] != by[1]);
    CHECK(by[0] != std::this_thread::get_id());
    CHECK(by[1] != std::this_thread::get_id());
  }
}

namespace {

// A variable on an accelerator, and a session of its container for each way to run.
struct far_variable {
  accelerator::accelerators all{7, 1};
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {3});
  fg::variable<float> w = [&] {
    const auto there = g.on_device("/device:accel:0");
    return g.variable<float>("w", filled(3, 4));
  }();
  fg::out<float> sum = add(w, x, {.name = "sum"});
  fg::target grown = fg::assign_add(w, x);
  fg::container state;

  far_variable() { all.learn(g); }
  fg::session session(const course& c) {
    return fg::session(g, {.resources = &state, .devices = all.devices(), .cut = c.cut, .dynamic = c.dynamic});
  }
};

}  // namespace

TEST_CASE(
    "device_services: a variable in a device's memory is refused by name in a session that has not the device, and the reverse") {
  far_variable m;
  const auto refuses = [&](fg::session& s, std::string_view why) {
    for (const auto& made : {s.try_run(fg::fetch(m.sum), {{m.x, filled(3, 1)}}).error(),
                             s.try_run(m.grown, {{m.x, filled(3, 1)}}).error(), s.try_run(fg::fetch(m.w)).error()})
      check_error(made, error_code::failed_precondition, "w", "VariableV2", {"variable 'w'", why});
    const auto step = s.try_prepare(fg::feed(m.x), fg::fetch(m.sum));
    if (step) {
      auto run = std::move(s.try_prepare(fg::feed(m.x), fg::fetch(m.sum))).value();
      check_error(run.try_run(fg::run_options{}, filled(3, 1)).error(), error_code::failed_precondition, "w", "VariableV2",
                  {why});
    } else {
      check_error(step.error(), error_code::failed_precondition, "w", "VariableV2", {why});
    }
  };
  for (const course& c : courses) {
    fg::session alone{m.g, {.resources = &m.state, .soft_placement = true, .dynamic = c.dynamic}};
    {
      fg::session s = m.session(c);
      s.initialize();
      CHECK(s.run(fg::fetch(m.sum), {{m.x, filled(3, 1)}})[2] == 5);
      refuses(alone, "lies in the memory of a device");
      CHECK(s.run(fg::fetch(m.sum), {{m.x, filled(3, 1)}})[2] == 5);
    }
    m.state.clear();
    alone.initialize();
    CHECK(alone.run(fg::fetch(m.sum), {{m.x, filled(3, 1)}})[2] == 5);
    {
      fg::session s = m.session(c);
      refuses(s, "lies on the host");
    }
    CHECK(alone.run(fg::fetch(m.sum), {{m.x, filled(3, 1)}})[2] == 5);
    m.state.clear();
  }
}

TEST_CASE("device_services: a tensor in a device's memory is refused as a feed, by the edge, and as a tensor of a type") {
  far_variable m;
  const fg::any_tensor there = filled(3, 1).erased().copy(&m.all.memory_of(0)).value();
  REQUIRE(there.is_far());
  CHECK(fg::tensor<float>::from(there).error().code() == error_code::failed_precondition);
  CHECK(std::string_view(fg::tensor<float>::from(there).error().what()).find("float[3] lies in the memory of a device") !=
        std::string_view::npos);
  CHECK(fg::tensor<float>::from(there.copy().value()).value()[2] == 1);
  for (const course& c : courses) {
    fg::session s = m.session(c);
    s.initialize();
    check_error(s.try_run(fg::fetch(m.sum), {fg::fed{fg::any_out(m.x), there}}).error(), error_code::invalid_argument, "x",
                "Placeholder", {"'x' lies in the memory of a device"});
    auto run = s.try_begin_partial(std::vector<fg::any_out>{m.x}, std::vector<fg::any_out>{m.sum}).value();
    const auto go_on = [&](const fg::any_tensor& t) {
      return run.try_continue(std::vector<fg::fed>{{fg::any_out(m.x), t}}, std::vector<fg::any_out>{m.sum});
    };
    check_error(go_on(there).error(), error_code::invalid_argument, "x", "Placeholder", {"'x' lies in the memory of a device"});
    CHECK((*go_on(filled(3, 1).erased()))[0].as<float>()[2] == 5);
  }
}

TEST_CASE("device_services: whatever is fetched, watched or merged on the host is brought there") {
  accelerator::accelerators all(9, 1);
  fg::graph g;
  const auto there = [&](auto make) {
    const auto on = g.on_device("/device:accel:0");
    return make();
  };
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto v = there([&] { return g.variable<float>("v", fg::tensor<float>(fg::shape{}, {10})); });
  const auto here = g.variable<float>("here", fg::tensor<float>(fg::shape{}, {20}));
  const auto sides = fg::switch_(x, less(g.constant(0.f), g.constant(1.f)));
  const auto of_far = add(fg::merge({fg::out<float>(v), sides.if_false}).value, x);
  const auto of_near = there([&] { return add(fg::merge({fg::out<float>(here), sides.if_false}).value, x); });
  const auto of_reference = there([&] { return fg::identity(v); });
  const auto twice = there([&] { return add(x, x); });
  const auto infinite = there([&] { return multiply(add(twice, v), g.constant(1e38f)); });
  all.learn(g);
  for (const auto& [dynamic, cut] : courses) {
    fg::session s{g, {.devices = all.devices(), .cut = cut, .dynamic = dynamic}};
    s.initialize();
    auto step = s.prepare(fg::feed(x), fg::fetch(of_far, of_near, of_reference, twice, v));
    for (int run = 0; run < 3; ++run) {
      const auto [a, b, c, d, e] = s.run(fg::fetch(of_far, of_near, of_reference, twice, v), {{x, filled(2, 1)}});
      const auto [f, h, i, j, k] = step(filled(2, 1));
      CHECK((a[1] == 11 && b[1] == 21 && c.scalar() == 10 && d[1] == 2 && e.scalar() == 10));
      CHECK((f[1] == 11 && h[1] == 21 && i.scalar() == 10 && j[1] == 2 && k.scalar() == 10));
    }
    auto partial = s.try_begin_partial(std::vector<fg::any_out>{x}, std::vector<fg::any_out>{twice, v}).value();
    const auto pieces = partial.try_continue(std::vector<fg::fed>{{x, filled(2, 3)}}, std::vector<fg::any_out>{twice, v}).value();
    CHECK(pieces[0].as<float>()[1] == 6);
    CHECK(pieces[1].as<float>()[0] == 10);
    if (cut.divide) continue;
    fg::finite_check check;
    s.run(fg::fetch(infinite), {{x, filled(2, 1)}}, {.measure = &check});
    REQUIRE(check.found());
    CHECK(check.found()->node == infinite.source->name);
  }
}
