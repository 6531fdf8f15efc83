#include <flowgraph/runtime/schedule/owned_schedule.hpp>

#include <flowgraph/core/threads.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;

namespace {

// Twice as many elements.
struct repeated_op {
  static constexpr std::string_view name = "Repeated";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x.rank == 1 && x[0] >= 0 ? fg::shape{2 * x[0]} : fg::shape::unknown(); }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i / 2];
  }
};
// A number of the run and the iteration.
struct numbered_op {
  static constexpr std::string_view name = "Numbered";
  static constexpr fg::op_facts facts{.not_differentiable = true, .counts_runs = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y) const {
    const std::uint64_t key = ctx.ordinal() * 1000003 + ctx.iteration();
    std::fill(y.begin(), y.end(), x[0] * 0.5f + static_cast<float>(key % 1024));
  }
};

struct walks {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown());
  fg::out<float> n = g.placeholder<float>("n", {});
  fg::out<float> zero = g.placeholder<float>("zero", {}), one = g.constant(1.f);

  // x goes through `body` n times.
  values times(const std::function<values(const values&)>& body, values from, const loop_options& o = {}) {
    from.insert(from.begin(), zero);
    values made = loop(
        from, [&](const values& v) { return less(v[0], invariant(n, o)); },
        [&](const values& v) {
          values next = body(values(v.begin() + 1, v.end()));
          next.insert(next.begin(), add(v[0], invariant(one, o)));
          return next;
        },
        o);
    return {made.begin() + 1, made.end()};
  }
  fg::out<float> times(const std::function<fg::out<float>(fg::out<float>)>& body, const loop_options& o = {}) {
    return times([&](const values& v) { return values{body(v[0])}; }, {x}, o)[0];
  }
  auto plan_of(fg::session& s, fg::out<float> y) { return s.prepare(fg::feed(x, n, zero), fg::fetch(y)).plan(); }
  // The answer of a straight line and of the ready queue, which are the same bits.
  std::vector<float> run(fg::out<float> y, const fg::tensor<float>& at, float count) {
    std::vector<float> answers[2];
    for (const bool dynamic : {false, true}) {
      fg::session s{g, {.dynamic = dynamic}};
      const auto loops = plan_of(s, y).loops;
      for (const auto& l : loops) CHECK(l.is_straight != dynamic);
      answers[dynamic] = to_vector(s.run(fg::fetch(y), {{x, at}, {n, count}, {zero, 0.f}}));
    }
    CHECK(answers[0] == answers[1]);
    return answers[0];
  }
};

}  // namespace

TEST_CASE("owned_schedule: a loop is a straight line, and the plan says so") {
  walks w;
  auto y = w.times([&](fg::out<float> v) { return add(v, v); });
  fg::session s{w.g}, queued{w.g, {.dynamic = true}};
  const auto line = w.plan_of(s, y).loops;
  REQUIRE(line.size() == 1);
  CHECK(line[0].name == "loop");
  CHECK(line[0].is_straight);
  CHECK(line[0].why.empty());
  const auto queue = w.plan_of(queued, y).loops;
  REQUIRE(queue.size() == 1);
  CHECK_FALSE(queue[0].is_straight);
  CHECK(queue[0].why == "the session is dynamic");
  CHECK(w.run(y, fg::tensor<float>({2}, {1, 3}), 5) == std::vector<float>{32, 96});
  CHECK(w.run(y, fg::tensor<float>({2}, {1, 3}), 0) == std::vector<float>{1, 3});
}

TEST_CASE("owned_schedule: with threads, a loop whose iterations have something to gain keeps the ready queue") {
  walks w;
  fg::thread_pool pool(3);
  fg::session s{w.g, {.pool = &pool}};
  auto wait = [](fg::cpu) {};
  // One expensive kernel after the other: nothing overlaps.
  auto chain = w.times([&](fg::out<float> v) { return expensive_probe(expensive_probe(v, wait), wait); }, {.name = "chain"});
  // Two that do not wait for each other; and one that no iteration waits for.
  const values wide =
      w.times([&](const values& v) { return values{add(expensive_probe(v[0], wait), expensive_probe(v[0], wait))}; }, {w.x},
              {.name = "wide"});
  const values ahead = w.times(
      [&](const values& v) {
        return values{add(v[0], v[0]), add(v[1], expensive_probe(v[0], wait))};
      },
      {w.x, w.x}, {.name = "ahead"});
  CHECK(w.plan_of(s, chain).loops.at(0).is_straight);
#ifndef FLOWGRAPH_NO_THREADS
  CHECK_FALSE(w.plan_of(s, wide[0]).loops.at(0).is_straight);
  CHECK_FALSE(w.plan_of(s, ahead[1]).loops.at(0).is_straight);
#endif
  CHECK(w.plan_of(s, ahead[0]).loops.at(0).is_straight);  // what is not asked for is not in the plan
  fg::session alone{w.g};
  CHECK(w.plan_of(alone, wide[0]).loops.at(0).is_straight);
  auto answering =
      w.times([&](fg::out<float> v) { return async_probe(v, [](fg::cpu, fg::done d) { d({}); }); }, {.name = "late"});
  const auto late = w.plan_of(alone, answering).loops.at(0);
  CHECK_FALSE(late.is_straight);
  CHECK(late.why == "a kernel is asynchronous");
}

TEST_CASE("owned_schedule: iterations allocate nothing once they are warm") {
  walks w;
  const loop_options inner{.name = "inner"};
  // A product with a loop inside, a branch, an op that works in place, and two variables that trade places.
  const values made = w.times(
      [&](const values& v) {
        const auto doubled = add(v[0], raised(v[1]));
        const auto deeper = loop(
            {nothing(v[0]), doubled}, [&](const values& u) { return less(u[0], invariant(invariant(w.one), inner)); },
            [&](const values& u) {
              return values{add(u[0], invariant(invariant(w.one), inner)), raised(u[1])};
            },
            inner);
        return values{v[1], deeper[1]};
      },
      {w.x, w.x});
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}}) {
    CAPTURE(size);
    counting_memory memory;
    std::size_t few = 0;
    {
      fg::session s{w.g, {.memory = &memory}};
      auto run = [&](float n) {
        const std::size_t before = memory.allocations();
        s.run(fg::fetch(made[0], made[1]), {{w.x, zeros(size)}, {w.n, n}, {w.zero, 0.f}});
        return memory.allocations() - before;
      };
      few = run(6);
      CHECK(run(6) == few);
      CHECK(run(500) == few);
    }
    CHECK(memory.in_use() == 0);
  }
  CHECK(w.run(made[1], fg::tensor<float>({1}, {0.f}), 3) == std::vector<float>{8});
}

TEST_CASE("owned_schedule: variables that trade places, that stay, that share a value") {
  walks w;
  const values made = w.times(
      [&](const values& v) {
        const auto sum = add(v[0], v[1]);
        return values{v[1], sum, v[2], sum};
      },
      {w.x, w.x, w.x, w.x});
  const fg::tensor<float> at({1}, {1.f});
  const float expected[] = {8, 13, 1, 13};
  for (std::size_t k = 0; k < made.size(); ++k) {
    CAPTURE(k);
    CHECK(w.run(made[k], at, 5)[0] == expected[k]);
  }
}

TEST_CASE("owned_schedule: shapes that change from one iteration to the next") {
  walks w;
  auto y = w.times([&](fg::out<float> v) { return fg::apply(repeated_op{}, v); });
  CHECK(w.run(y, fg::tensor<float>({1}, {2.f}), 3) == std::vector<float>(8, 2.f));
}

TEST_CASE("owned_schedule: random numbers are those of the ready queue") {
  walks w;
  auto y = w.times([&](fg::out<float> v) { return fg::apply(numbered_op{}, v); });
  w.run(y, fg::tensor<float>({1}, {1.f}), 20);
}

TEST_CASE("owned_schedule: a branch inside runs on the side that lives") {
  walks w;
  std::atomic<int> small = 0, large = 0;
  auto y = w.times([&](fg::out<float> v) {
    const auto side = fg::switch_(v, less(v, invariant(w.n)));
    return fg::merge({counted(add(side.if_false, invariant(w.one)), large), counted(add(side.if_true, side.if_true), small)})
        .value;
  });
  fg::session s{w.g};
  REQUIRE(w.plan_of(s, y).loops.at(0).is_straight);
  CHECK(s.run(fg::fetch(y), {{w.x, 1.f}, {w.n, 6.f}, {w.zero, 0.f}}).scalar() == 11.f);  // 1 2 4 8 9 10 11
  CHECK(small == 3);
  CHECK(large == 3);
}

TEST_CASE("owned_schedule: an error names the iterations, and the next run is as if it had not been") {
  walks w;
  const loop_options inner{.name = "inner"};
  std::atomic<int> left = -1;
  auto y = w.times([&](fg::out<float> v) {
    return loop(
        {multiply(v, invariant(w.zero)), v}, [&](const values& u) { return less(u[0], invariant(invariant(w.n), inner)); },
        [&](const values& u) {
          auto checked = probe(u[1],
                               [&](fg::cpu ctx) {
                                 if (left-- == 0) ctx.fail(error_code::data_loss, "the kernel refuses");
                               },
                               {"checked"});
          return values{add(u[0], invariant(invariant(w.one), inner)), add(checked, invariant(invariant(w.one), inner))};
        },
        inner)[1];
  });
  counting_memory memory;
  {
    fg::session s{w.g, {.memory = &memory}};
    REQUIRE(w.plan_of(s, y).loops.at(1).is_straight);
    for (int at : {0, 5, 7, 24}) {
      CAPTURE(at);
      left = at;
      const fg::error why = s.try_run(fg::fetch(y), {{w.x, 0.f}, {w.n, 5.f}, {w.zero, 0.f}}).error();
      CHECK(why.code() == error_code::data_loss);
      const std::string where =
          "checked, iteration " + std::to_string(at % 5) + " of inner in iteration " + std::to_string(at / 5) + " of loop";
      CHECK(why.node() == where);
      left = -1;
      CHECK(s.run(fg::fetch(y), {{w.x, 0.f}, {w.n, 5.f}, {w.zero, 0.f}}).scalar() == 25.f);
    }
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("owned_schedule: an endless loop can be stopped, and has a deadline") {
  walks w;
  flowgraph::stop_source stop;
  std::atomic<int> rounds = 0;
  auto y = w.times([&](fg::out<float> v) {
    return probe(v, [&](fg::cpu) {
      if (++rounds == 50) stop.request_stop();
    });
  });
  for (const bool threads : {false, true}) {
    rounds = 0;
    stop = {};
    fg::thread_pool pool(2);
    fg::session s{w.g, {.pool = threads ? &pool : nullptr}};
    const fg::tensor<float> endless(std::numeric_limits<float>::infinity());
    const auto stopped = s.try_run(fg::fetch(y), {{w.x, 1.f}, {w.n, endless}, {w.zero, 0.f}}, {.stop = stop.get_token()});
    CHECK(stopped.error().code() == error_code::cancelled);
    CHECK(rounds == 50);
    const auto late = s.try_run(fg::fetch(y), {{w.x, 1.f}, {w.n, endless}, {w.zero, 0.f}},
                                fg::run_options::within(std::chrono::milliseconds(5)));
    CHECK(late.error().code() == error_code::deadline_exceeded);
  }
}

TEST_CASE("owned_schedule: what enters alive in part is run iteration by iteration") {
  walks w;
  const auto side = fg::switch_(w.x, less(w.x, w.n));
  const loop_options o{.name = "part"};
  // The step is dead when x is not below n: so is what it makes, and the loop ends dead but for the variable that does without.
  const values made = loop(
      {w.zero, w.zero}, [&](const values& v) { return less(v[0], invariant(w.n, o)); },
      [&](const values& v) {
        return values{add(v[0], invariant(w.one, o)), add(v[1], invariant(side.if_true, o))};
      },
      o);
  for (const bool dynamic : {false, true}) {
    fg::session s{w.g, {.dynamic = dynamic}};
    CHECK(s.run(fg::fetch(made[1]), {{w.x, 2.f}, {w.n, 3.f}, {w.zero, 0.f}}).scalar() == 6.f);
    const auto dead = s.try_run(fg::fetch(made[1]), {{w.x, 4.f}, {w.n, 3.f}, {w.zero, 0.f}});
    CHECK_FALSE(dead.has_value());
    CHECK(s.run(fg::fetch(made[1]), {{w.x, 2.f}, {w.n, 3.f}, {w.zero, 0.f}}).scalar() == 6.f);
  }
}

TEST_CASE("owned_schedule: a variable goes round as a reference; leaving, its value is asked for") {
  walks w;
  auto v = w.g.variable("v", fg::tensor<float>(2.f));
  const loop_options o{.name = "round"};
  fg::out<bool> goes_on;
  const values made = loop(
      {w.zero}, [&](const values& u) { return less(u[0], invariant(w.n, o)); },
      [&](const values& u) {
        const fg::node* passes = u[0].source->inputs[0].from;
        goes_on = fg::out<bool>(passes->inputs[1].from, 0);
        return values{add(u[0], invariant(w.one, o))};
      },
      o);
  const auto entered = fg::apply(fg::ref_enter_op{{o.name, false, 10}}, v);
  const auto merged = std::get<0>(fg::apply(fg::ref_merge_op{}, fg::out_list<float>{entered, entered}));
  const auto [left, stays] = fg::apply(fg::ref_switch_op{}, merged, goes_on);
  w.g.set_back_edge(merged.source, 1, fg::apply(fg::ref_next_iteration_op{}, stays));
  const auto value = fg::apply(fg::exit_op{}, left, {"value"});
  fg::session s{w.g};
  const std::vector<fg::fed> feeds{{w.n, 3.f}, {w.zero, 0.f}};
  auto run = [&] { return s.try_run(fg::run_request{feeds, std::vector<fg::any_out>{value, made[0]}, {}}); };
  const auto refused = run();
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == error_code::failed_precondition);
  s.initialize();
  const auto found = run();
  REQUIRE(found.has_value());
  CHECK((*found)[0].as<float>().scalar() == 2.f);
  CHECK((*found)[1].as<float>().scalar() == 3.f);
}
