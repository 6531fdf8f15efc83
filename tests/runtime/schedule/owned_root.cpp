#include <flowgraph/runtime/schedule/owned_root.hpp>

#include <flowgraph/core/threads.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;

namespace {

// A loop between plain nodes, and a branch on whether its answer is small.
struct flows {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown());
  fg::out<float> n = g.placeholder<float>("n", {});
  fg::out<float> zero = g.constant(0.f), one = g.constant(1.f);
  fg::out<float> twice = add(x, x, {"twice"});
  fg::out<float> grown = grow(twice);
  fg::out<float> result = add(grown, x, {"result"});

  // `from` with one added n times.
  fg::out<float> grow(fg::out<float> from, const loop_options& o = {}) {
    return loop(
        {fg::identity(zero), from}, [&](const values& v) { return less(v[0], invariant(n, o)); },
        [&](const values& v) {
          return values{add(v[0], invariant(one, o)), add(v[1], invariant(one, o))};
        },
        o)[1];
  }
};

}  // namespace

TEST_CASE("owned_root: a step with a loop is one straight line, and says so") {
  flows f;
  fg::session s{f.g};
  auto step = s.prepare(fg::feed(f.x, f.n), fg::fetch(f.result));
  CHECK(step.plan().queued.empty());
  CHECK(step.plan().nodes >= 3);
  CHECK(step(filled(3, 2), 5.f)[2] == 11.f);
  CHECK(step(filled(2, 1), 0.f)[1] == 3.f);
  CHECK(step.plan().buffers > 0);
  CHECK_FALSE(step.plan().live_bytes);  // nobody may read an unknown number as none
  answering_threads threads;
  auto late = async_probe(f.result, threads.after(std::chrono::microseconds(10)));
  auto queued = s.prepare(fg::feed(f.x, f.n), fg::fetch(late));
  CHECK(queued.plan().queued == "a kernel is asynchronous");
  CHECK_FALSE(queued.plan().live_bytes);
  CHECK(queued(filled(1, 2), 5.f)[0] == 11.f);
}

TEST_CASE("owned_root: runs allocate nothing once warm, whatever the caller does with the results") {
  counting_memory memory;
  fg::tensor<float> kept;
  {
    flows f;
    fg::session s{f.g, {.memory = &memory}};
    auto step = s.prepare(fg::feed(f.x, f.n), fg::fetch(f.result, f.grown));
    for (const std::size_t size : {std::size_t{3}, std::size_t{5000}}) {
      CAPTURE(size);
      const fg::tensor<float> x = filled(size, 2);
      fg::tensor<float> before;
      std::size_t warm = 0;
      for (int round = 0; round < 40; ++round) {
        auto [result, grown] = step(x, static_cast<float>(round % 7));
        CHECK(result[size - 1] == 6.f + static_cast<float>(round % 7));
        if (round > 0) CHECK(before[0] == 6.f + static_cast<float>((round - 1) % 7));
        before = result;
        if (round == 20) warm = memory.allocations();
      }
      CHECK(memory.allocations() == warm);
      kept = before;
    }
  }
  CHECK(kept[4999] == 6.f + 4);
  kept = {};
  CHECK(memory.in_use() == 0);
}

TEST_CASE("owned_root: the latest sets of shapes find their memory again, however long others run between") {
  flows f;
  const auto allocated = [&](std::size_t kept) {
    counting_memory memory;
    fg::session s{f.g, {.memory = &memory, .kept_layouts = kept}};
    auto step = s.prepare(fg::feed(f.x, f.n), fg::fetch(f.result));
    std::size_t warm = 0;
    for (int round = 0; round < 4; ++round) {
      if (round == 1) warm = memory.allocations();
      for (const std::size_t size : {std::size_t{30}, std::size_t{5000}, std::size_t{900}}) {
        const fg::tensor<float> x = filled(size, 2);
        for (int i = 0; i < 200; ++i) CHECK(step(x, 2.f)[0] == 8.f);
      }
    }
    return memory.allocations() - warm;
  };
  CHECK(allocated(8) == 0);
  CHECK(allocated(3) == 0);
  CHECK(allocated(1) > 0);
}

TEST_CASE("owned_root: large values give their memory to those that follow") {
  flows f;
  counting_memory memory;
  fg::session s{f.g, {.memory = &memory}};
  fg::out<float> y = f.result;
  for (int i = 0; i < 50; ++i) y = add(y, f.one);
  auto step = s.prepare(fg::feed(f.x, f.n), fg::fetch(y));
  const std::size_t size = 10'000;
  for (int round = 0; round < 3; ++round) CHECK(step(filled(size, 1), 2.f)[0] == 55.f);
  CHECK(memory.most_in_use() < 12 * size * sizeof(float));
}

TEST_CASE("owned_root: what is fetched from a branch not taken is an error, and nothing else is") {
  flows f;
  const auto side = fg::switch_(f.x, less(f.n, f.one), {"side"});
  std::atomic<int> runs = 0;
  auto taken = counted(add(side.if_true, f.one), runs, {"taken"});
  auto both = fg::merge({add(side.if_false, f.n), taken}).value;
  fg::session s{f.g};
  auto whole = s.prepare(fg::feed(f.x, f.n), fg::fetch(both));
  auto part = s.prepare(fg::feed(f.x, f.n), fg::fetch(both, taken));
  CHECK(part.plan().queued.empty());
  for (int round = 0; round < 3; ++round) {
    runs = 0;
    CHECK(whole(4.f, 0.f).scalar() == 5.f);
    CHECK(whole(4.f, 3.f).scalar() == 7.f);
    auto [a, b] = part(4.f, 0.f);
    CHECK(a.scalar() == 5.f);
    CHECK(b.scalar() == 5.f);
    CHECK(runs == 2);
    const auto dead = part.try_run({}, 4.f, 3.f);
    REQUIRE_FALSE(dead.has_value());
    check_error(dead.error(), error_code::invalid_argument, "taken", "Probe", {"dead", "not taken"});
  }
}

TEST_CASE("owned_root: a branch reads a variable when it is reached, and names one without a value") {
  fg::graph g;
  auto p = g.placeholder<bool>("p", {});
  auto v = g.variable("v", fg::tensor<float>(2.f));
  auto one = g.constant(1.f);
  auto changed = fg::assign_add(v, one);
  auto ordered = g.after(changed);
  const auto side = fg::switch_(fg::out<float>(v), p, {"side"});
  auto y = fg::merge({add(side.if_false, one), multiply(side.if_true, side.if_true)}).value;
  fg::session s{g};
  auto step = s.prepare(fg::feed(p), fg::fetch(y, v));
  CHECK(step.plan().queued.empty());
  const auto refused = step.try_run({}, true);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == error_code::failed_precondition);
  CHECK(refused.error().message().find("'v'") != std::string_view::npos);
  s.initialize();
  for (float now = 3; now < 6; ++now) {
    auto [made, value] = step(now != 4.f);
    CHECK(made.scalar() == (now == 4.f ? 5.f : now * now));
    CHECK(value.scalar() == now);
  }
  s.resources().clear();
  CHECK_FALSE(step.try_run({}, true).has_value());
  s.initialize();
  auto [made, value] = step(true);
  CHECK(made.scalar() == 9.f);
}

TEST_CASE("owned_root: a failure names where, and the next run is as if it had not been") {
  flows f;
  std::atomic<int> left = -1;
  const loop_options o{"checked"};
  auto y = loop(
      {fg::identity(f.zero), f.grown}, [&](const values& v) { return less(v[0], invariant(f.n, o)); },
      [&](const values& v) {
        auto next = probe(v[1],
                          [&](fg::cpu ctx) {
                            if (left-- == 0) ctx.fail(error_code::data_loss, "the kernel refuses");
                          },
                          {"probe"});
        return values{add(v[0], invariant(f.one, o)), next};
      },
      o)[1];
  fg::session s{f.g};
  auto step = s.prepare(fg::feed(f.x, f.n), fg::fetch(y));
  REQUIRE(step.plan().queued.empty());
  for (const int at : {0, 3, -1}) {
    left = at;
    const auto made = step.try_run({}, filled(2, 1), 4.f);
    CHECK(made.has_value() == (at < 0));
    if (!made) CHECK(made.error().node() == "probe, iteration " + std::to_string(at) + " of checked");
    if (made) CHECK((*made)[1] == 6.f);
  }
  flowgraph::stop_source stop;
  auto endless =
      step.try_run(fg::run_options::within(std::chrono::milliseconds(5)), filled(2, 1), std::numeric_limits<float>::infinity());
  CHECK(endless.error().code() == error_code::deadline_exceeded);
  stop.request_stop();
  CHECK(step.try_run({.stop = stop.get_token()}, filled(2, 1), 4.f).error().code() == error_code::cancelled);
  CHECK(step(filled(2, 1), 4.f)[0] == 6.f);
}

TEST_CASE("owned_root: feeds and constants can be fetched, a target needs no fetch, and a feed is not kept") {
  flows f;
  auto total = f.g.variable("total", fg::tensor<float>(0.f));
  auto note = fg::assign_add(total, f.grow(f.zero, {"note"}));
  counting_memory memory;
  fg::session s{f.g, {.memory = &memory}};
  s.initialize();
  auto step = s.prepare(fg::feed(f.x, f.n), fg::fetch(f.x, f.one, f.grown), note);
  CHECK(step.plan().queued.empty());
  int released = 0;
  {
    std::vector<float> mine{1, 2};
    auto lent = fg::tensor<float>::borrow({2}, mine.data(), [&] { ++released; });
    auto [x, one, grown] = step(lent, 3.f);
    CHECK(x[1] == 2.f);
    CHECK(one.scalar() == 1.f);
    CHECK(grown[1] == 7.f);
    CHECK(released == 0);
  }
  auto [x, one, grown] = step(filled(1, 5), 2.f);
  CHECK(released == 1);
  CHECK(s.run(fg::fetch(total)).scalar() == 5.f);
}

TEST_CASE("owned_root: a variable that enters a loop is read after it as well") {
  flows f;
  auto v = f.g.variable("v", fg::tensor<float>(1.f));
  const loop_options o{"changes"};
  const auto entered = fg::apply(fg::ref_enter_op{{o.name, true, 10}}, v);
  const values made = loop(
      {fg::identity(f.zero)}, [&](const values& u) { return less(u[0], invariant(f.n, o)); },
      [&](const values& u) {
        auto step = invariant(f.one, o);
        auto after = f.g.after(fg::apply(fg::assign_add_op{}, entered, step));
        return values{add(u[0], step)};
      },
      o);
  auto ordered = f.g.after(made[0]);
  auto y = add(v, f.zero);
  fg::session s{f.g};
  s.initialize();
  auto step = s.prepare(fg::feed(f.n), fg::fetch(y));
  CHECK(step.plan().queued.empty());
  CHECK(step(3.f).scalar() ==
        5.f);  // added in the iteration that ends the loop, too: nothing that a Switch hands on is asked for
  CHECK(s.run(fg::fetch(y), {{f.n, 2.f}}).scalar() == 8.f);
  CHECK(step(2.f).scalar() == 11.f);
}

TEST_CASE("owned_root: variables that are read and updated stay where they are") {
  flows f;
  counting_memory memory;
  for (const std::size_t size : {std::size_t{2}, std::size_t{5000}}) {
    CAPTURE(size);
    auto v = f.g.variable("v", filled(size, 1));
    auto seen = fg::identity(fg::out<float>(v));
    auto step_by = add(multiply(seen, f.zero), f.grow(f.zero, {"step" + std::to_string(size)}));
    auto update = fg::assign_add(v, step_by);
    fg::session s{f.g, {.memory = &memory}};
    s.initialize();
    auto step = s.prepare(fg::feed(f.n), fg::fetch(), update);
    REQUIRE(step.plan().queued.empty());
    for (int round = 0; round < 5; ++round) step(2.f);
    const void* const data = s.run(fg::fetch(v)).data();
    const std::size_t warm = memory.allocations();
    for (int round = 0; round < 10; ++round) step(2.f);
    CHECK(memory.allocations() == warm);
    const auto now = s.run(fg::fetch(v));
    CHECK(now.data() == data);
    CHECK(now[size - 1] == 31.f);
  }
}

TEST_CASE("owned_root: with threads, loops that do not wait for each other go by the ready queue") {
  flows f;
  fg::thread_pool pool(3);
  fg::session threads{f.g, {.pool = &pool}}, alone{f.g};
  auto heavy = [&](fg::out<float> from, const std::string& name) {
    const loop_options o{name};
    return loop(
        {fg::identity(f.zero), from}, [&](const values& v) { return less(v[0], invariant(f.n, o)); },
        [&](const values& v) {
          return values{add(v[0], invariant(f.one, o)), expensive_probe(v[1], [](fg::cpu) {})};
        },
        o)[1];
  };
  auto first = heavy(f.x, "first");
  const auto plan = [&](fg::session& s, fg::out<float> y) { return s.prepare(fg::feed(f.x, f.n), fg::fetch(y)).plan(); };
  auto beside = add(first, heavy(f.x, "beside")), behind = heavy(first, "behind");
  CHECK(plan(threads, beside).queued == "threads can run loops at the same time");
  for (const auto& l : plan(threads, beside).loops) CHECK(l.is_straight);
  CHECK(plan(threads, behind).queued.empty());
  CHECK(plan(alone, beside).queued.empty());
  CHECK(threads.prepare(fg::feed(f.x, f.n), fg::fetch(beside))(3.f, 2.f).scalar() == 6.f);
}

TEST_CASE("owned_root: a Switch that nothing can reach asks for nothing") {
  flows f;
  auto v = f.g.variable("v", fg::tensor<float>(1.f));  // not initialised
  const auto side = fg::switch_(f.x, less(f.x, f.one));
  const auto never = add(side.if_true, side.if_false);
  const auto behind = fg::switch_(fg::out<float>(v), less(never, f.one));
  auto reached = add(behind.if_true, f.one), result = add(f.x, f.one);
  fg::session s{f.g};
  s.run(reached, {{f.x, 2.f}});
  auto step = s.prepare(fg::feed(f.x), fg::fetch(result), reached);
  CHECK(step.plan().queued.empty());
  CHECK(step(2.f).scalar() == 3.f);
  CHECK(step(0.f).scalar() == 1.f);
}

TEST_CASE("owned_root: conditions and Merges of constants are decided when the step is prepared") {
  flows f;
  const auto yes = f.g.constant(true);
  const auto sides = fg::switch_(f.x, yes);
  const auto chosen = fg::merge({add(sides.if_false, f.one), multiply(sides.if_true, f.one)}).value;
  const auto first = fg::merge({sides.if_true, f.g.constant(9.f)}).value;
  fg::session s{f.g};
  auto step = s.prepare(fg::feed(f.x), fg::fetch(chosen, first));
  CHECK(step.plan().queued.empty());
  const auto [a, b] = step(5.f);
  const auto [queued_a, queued_b] = fg::session(f.g, {.dynamic = true}).run(fg::fetch(chosen, first), {{f.x, 5.f}});
  CHECK(a.scalar() == 5.f);
  CHECK(queued_a.scalar() == 5.f);
  CHECK(b.scalar() == queued_b.scalar());
  const auto calls = s.explain(fg::fetch(chosen), {{f.x, {}}}).calls;
  CHECK(std::none_of(calls.begin(), calls.end(), [](const auto& c) { return c.op == "TestAdd"; }));
}

TEST_CASE("owned_root: a loop whose condition is a constant") {
  flows f;
  for (const bool goes_on : {false, true}) {
    const auto entered = enter(f.x);
    const auto merged = fg::merge({entered, entered}).value;
    const auto within = f.g.after(merged);
    const auto sides = fg::switch_(merged, fg::apply(fg::loop_cond_op{}, f.g.constant(goes_on)));
    f.g.set_back_edge(merged.source, 1, fg::apply(fg::next_iteration_op{}, fg::identity(sides.if_true)));
    const auto end_of_loop = fg::apply(fg::exit_op{}, sides.if_false);
    fg::session s{f.g};
    auto step = s.prepare(fg::feed(f.x), fg::fetch(end_of_loop));
    CHECK(step.plan().queued.empty());
    const auto end = step.try_run(fg::run_options::within(std::chrono::milliseconds(5)), 4.f);
    if (goes_on) CHECK(end.error().code() == error_code::deadline_exceeded);
    else CHECK(end->scalar() == 4.f);
  }
}
