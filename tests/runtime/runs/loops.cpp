#include <flowgraph/ops/control_flow/control_flow.hpp>

#include "../../harness/engine_ops.hpp"
#include "../../harness/refusal.hpp"
#include "../../harness/sanitized.hpp"

#include <set>

using namespace engine;

namespace {

// An op that draws random numbers is told run and iteration.
struct keyed_probe_op : probe_op {
  static constexpr std::string_view name = "KeyedProbe";
  static constexpr fg::op_facts facts = probe_op::facts.with({.counts_runs = true});
};

struct loops {
  fg::thread_pool pool{3};
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> n = g.placeholder<float>("n", {});
  fg::out<float> one = g.constant(1.f);

  template <class F> void each(F&& f) {
    for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
      CAPTURE((p != nullptr));
      for (const bool dynamic : {false, true}) {
        CAPTURE(dynamic);
        fg::session s{g, {.pool = p, .dynamic = dynamic}};
        f(s);
      }
    }
  }
};

// What a faulty loop is made of.
struct parts {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> first = enter(x, {}, {.name = "first"});

  fg::error prepared(fg::target t) {
    fg::session s{g};
    return s.try_run(t, {{x, 1.f}}).error();
  }
};

}  // namespace

TEST_CASE("loops: as many iterations as the condition asks for, also none") {
  loops l;
  auto y = counting_loop(l.x, l.n, l.one);
  l.each([&](fg::session& s) {
    for (const float limit : {-5.f, 0.f, 1.f, 2.f, 9.f, 10.f, 11.f, 12.f, 1000.f})
      CHECK(s.run(fg::fetch(y), {{l.x, 0.f}, {l.n, limit}}).scalar() == std::max(0.f, limit));
  });
}

TEST_CASE("loops: several variables, for every number of iterations that may overlap") {
  loops l;
  for (const int parallel : {1, 2, 3, 10, 1000}) {
    CAPTURE(parallel);
    const loop_options o{"fibonacci" + std::to_string(parallel), parallel};
    const values made = loop(
        {l.x, l.x, l.one}, [&](const values& v) { return less(v[0], invariant(l.n, o)); },
        [&](const values& v) {
          return values{add(v[0], invariant(l.one, o)), v[2], add(v[1], v[2])};
        },
        o);
    l.each([&](fg::session& s) {
      auto [i, a, b] = s.run(fg::fetch(made[0], made[1], made[2]), {{l.x, 0.f}, {l.n, 20.f}});
      CHECK(i.scalar() == 20.f);
      CHECK(a.scalar() == 6765.f);
      CHECK(b.scalar() == 10946.f);
      CHECK(s.run(fg::fetch(made[1]), {{l.x, 0.f}, {l.n, 0.f}}).scalar() == 0.f);
    });
  }
}

TEST_CASE("loops: variables may run ahead of each other as far as iterations overlap") {
  loops l;
  for (const int parallel : {1, 2, 7}) {
    CAPTURE(parallel);
    const loop_options o{"ahead" + std::to_string(parallel), parallel};
    answering_threads threads;
    auto delay = threads.after(std::chrono::microseconds(300));
    std::atomic<int> running = 0, most = 0;
    const values made = loop(
        {l.x, l.x}, [&](const values& v) { return less(v[0], invariant(l.n, o)); },
        [&](const values& v) {
          // The counter goes ahead; what it starts in each iteration takes its time.
          auto slow = async_probe(v[0], [&](fg::cpu c, fg::done d) {
            most = std::max(most.load(), ++running);
            delay(c, std::move(d));
          });
          auto done = probe(slow, [&](fg::cpu) { --running; });
          return values{add(v[0], invariant(l.one, o)), add(v[1], done)};
        },
        o);
    fg::session s{l.g};
    auto [i, sum] = s.run(fg::fetch(made[0], made[1]), {{l.x, 0.f}, {l.n, 25.f}});
    CHECK(i.scalar() == 25.f);
    CHECK(sum.scalar() == 300.f);
    CHECK(most <= parallel);
    if (parallel > 1) CHECK(most > 1);
  }
}

TEST_CASE("loops: nested, with values of the outer one inside") {
  loops l;
  for (const int parallel : {1, 2, 10}) {
    const loop_options outer{"outer" + std::to_string(parallel), parallel}, inner{"inner" + std::to_string(parallel), parallel};
    // sum of i * j for j < i < n
    const values made = loop(
        {l.x, l.x}, [&](const values& v) { return less(v[0], invariant(l.n, outer)); },
        [&](const values& v) {
          auto step = invariant(l.one, outer), zero = invariant(l.x, outer);
          const values row = loop(
              {zero, zero}, [&](const values& w) { return less(w[0], invariant(v[0], inner)); },
              [&](const values& w) {
                return values{add(w[0], invariant(step, inner)), add(w[1], multiply(w[0], invariant(v[0], inner)))};
              },
              inner);
          return values{add(v[0], step), add(v[1], row[1])};
        },
        outer);
    float expected = 0;
    for (float i = 0; i < 12; ++i)
      for (float j = 0; j < i; ++j) expected += i * j;
    l.each([&](fg::session& s) {
      for (int round = 0; round < 2; ++round) CHECK(s.run(fg::fetch(made[1]), {{l.x, 0.f}, {l.n, 12.f}}).scalar() == expected);
    });
  }
}

TEST_CASE("loops: three deep") {
  loops l;
  const loop_options o[]{{"a", 2}, {"b", 3}, {"c", 1}};
  using handle = fg::out<float>;
  std::function<handle(int, handle, handle, handle)> nest = [&](int depth, handle first, handle limit, handle by) {
    fg::out<float> step, end;
    return loop(
        {first, first},
        [&](const values& v) {
          end = invariant(limit, o[depth]);
          return less(v[0], end);
        },
        [&](const values& v) {
          step = invariant(by, o[depth]);
          auto grown = depth == 2 ? step : nest(depth + 1, invariant(first, o[depth]), end, step);
          return values{add(v[0], step), add(v[1], grown)};
        },
        o[depth])[1];
  };
  auto y = nest(0, l.x, l.n, l.one);
  l.each([&](fg::session& s) { CHECK(s.run(fg::fetch(y), {{l.x, 0.f}, {l.n, 7.f}}).scalar() == 343.f); });
}

TEST_CASE("loops: one after the other, and side by side") {
  loops l;
  auto first = counting_loop(l.x, l.n, l.one, {.name = "first"});
  auto second = counting_loop(first, add(l.n, l.n), l.one, {.name = "second"});
  auto beside = counting_loop(l.x, add(first, second), l.one, {.name = "beside"});
  l.each([&](fg::session& s) {
    auto [a, b, c] = s.run(fg::fetch(first, second, beside), {{l.x, 0.f}, {l.n, 10.f}});
    CHECK(a.scalar() == 10.f);
    CHECK(b.scalar() == 20.f);
    CHECK(c.scalar() == 30.f);
  });
}

TEST_CASE("loops: a condition inside a loop") {
  loops l;
  const loop_options o{"loop", 4};
  // Collatz: steps until 1
  const values made = loop(
      {l.x, l.n}, [&](const values& v) { return less(invariant(l.one, o), v[1]); },
      [&](const values& v) {
        auto half = multiply(v[1], invariant(l.g.constant(0.5f), o));
        auto odd = less(invariant(l.g.constant(0.25f), o), probe(half, [](fg::cpu c) {
                          float& e = c.call().outputs[0]->tensor.as_writable<float>()[0];
                          e -= std::floor(e);
                        }));
        const auto even_or_odd = fg::switch_(v[1], odd);
        auto up = add(multiply(even_or_odd.if_true, invariant(l.g.constant(3.f), o)), invariant(l.one, o));
        auto down = multiply(even_or_odd.if_false, invariant(l.g.constant(0.5f), o));
        return values{add(v[0], invariant(l.one, o)), fg::merge({down, up}).value};
      },
      o);
  l.each([&](fg::session& s) {
    CHECK(s.run(fg::fetch(made[0]), {{l.x, 0.f}, {l.n, 1.f}}).scalar() == 0.f);
    CHECK(s.run(fg::fetch(made[0]), {{l.x, 0.f}, {l.n, 27.f}}).scalar() == 111.f);
  });
}

TEST_CASE("loops: on a branch that is not taken, with dead ends") {
  loops l;
  auto p = l.g.placeholder<bool>("p", {});
  std::atomic<int> runs = 0;
  const auto x = fg::switch_(l.x, p), n = fg::switch_(l.n, p);
  const values inside = loop(
      {x.if_true, x.if_true}, [&](const values& v) { return less(v[0], invariant(n.if_true)); },
      [&](const values& v) {
        return values{counted(add(v[0], invariant(l.one)), runs), add(v[1], v[1])};
      });
  auto y = fg::merge({x.if_false, inside[0]});
  auto z = fg::merge({n.if_false, inside[1]});
  l.each([&](fg::session& s) {
    runs = 0;
    auto [a, which, b] = s.run(fg::fetch(y.value, y.index, z.value), {{l.x, 1.f}, {l.n, 5.f}, {p, false}});
    CHECK(a.scalar() == 1.f);
    CHECK(which.scalar() == 0);
    CHECK(b.scalar() == 5.f);
    CHECK(runs == 0);
    CHECK_FALSE(s.try_run(fg::fetch(inside[0]), {{l.x, 1.f}, {l.n, 5.f}, {p, false}}).has_value());
    auto [c, other, d] = s.run(fg::fetch(y.value, y.index, z.value), {{l.x, 1.f}, {l.n, 5.f}, {p, true}});
    CHECK(c.scalar() == 5.f);
    CHECK(other.scalar() == 1);
    CHECK(d.scalar() == 16.f);
  });
}

TEST_CASE("loops: with one dead variable among live ones") {
  loops l;
  auto p = l.g.placeholder<bool>("p", {});
  std::atomic<int> runs = 0;
  auto maybe = fg::switch_(l.x, p).if_true;
  const values made = loop(
      {l.x, maybe}, [&](const values& v) { return less(v[0], invariant(l.n)); },
      [&](const values& v) {
        return values{add(v[0], invariant(l.one)), counted(add(v[1], v[0]), runs)};
      });
  auto y = fg::merge({made[1], l.n});
  l.each([&](fg::session& s) {
    runs = 0;
    CHECK(s.run(fg::fetch(made[0]), made[1], {{l.x, 0.f}, {l.n, 30.f}, {p, false}}).scalar() == 30.f);
    CHECK(s.run(fg::fetch(y.value), {{l.x, 0.f}, {l.n, 30.f}, {p, false}}).scalar() == 30.f);
    CHECK(runs == 0);
    CHECK(s.run(fg::fetch(made[1]), {{l.x, 0.f}, {l.n, 4.f}, {p, true}}).scalar() == 6.f);
  });
}

TEST_CASE("loops: with a dead invariant, read by a loop inside from the second iteration on") {
  loops l;
  auto p = l.g.placeholder<bool>("p", {});
  auto maybe = fg::switch_(l.one, p).if_true;
  const loop_options outer{"outer", 3}, inner{"inner", 3};
  const values made = loop(
      {l.x, l.x}, [&](const values& v) { return less(v[0], invariant(l.n, outer)); },
      [&](const values& v) {
        auto step = invariant(l.one, outer);
        auto dead = invariant(maybe, outer);
        auto rows = counting_loop(invariant(l.x, outer), v[0], dead, inner);
        auto either = fg::merge({add(rows, dead), step});
        (void)either;
        return values{add(v[0], step), add(v[1], fg::merge({rows, step}).value)};
      },
      outer);
  l.each([&](fg::session& s) {
    CHECK(s.run(fg::fetch(made[0]), {{l.x, 0.f}, {l.n, 6.f}, {p, false}}).scalar() == 6.f);
    CHECK(s.run(fg::fetch(made[0]), {{l.x, 0.f}, {l.n, 6.f}, {p, true}}).scalar() == 6.f);
    auto [i, sum] = s.run(fg::fetch(made[0], made[1]), {{l.x, 0.f}, {l.n, 6.f}, {p, false}});
    CHECK(i.scalar() == 6.f);
    CHECK(sum.scalar() == 6.f);
  });
}

TEST_CASE("loops: an Exit that is fetched twice, one that is not, and a variable that does not change") {
  loops l;
  const values made = loop(
      {l.x, l.n, l.x}, [&](const values& v) { return less(v[0], v[1]); },
      [&](const values& v) {
        return values{add(v[0], invariant(l.one)), v[1], add(v[2], v[2])};
      });
  l.each([&](fg::session& s) {
    auto [a, b, unchanged] = s.run(fg::fetch(made[0], made[0], made[1]), {{l.x, 1.f}, {l.n, 8.f}});
    CHECK(a.scalar() == 8.f);
    CHECK(b.scalar() == 8.f);
    CHECK(unchanged.scalar() == 8.f);
    CHECK(s.run(fg::fetch(made[2]), {{l.x, 1.f}, {l.n, 8.f}}).scalar() == 128.f);
  });
}

TEST_CASE("loops: their first values and invariants may come from variables, which they may change") {
  loops l;
  auto v = l.g.variable("v", fg::tensor<float>(2.f));
  auto total = l.g.variable("total", fg::tensor<float>(0.f));
  const values made = loop(
      {v}, [&](const values& w) { return less(w[0], invariant(l.n)); },
      [&](const values& w) { return values{add(w[0], invariant(v))}; });
  const auto entered = fg::apply(fg::ref_enter_op{{"changes", true, 1}}, total);
  const values changes = loop(
      {l.x},
      [&](const values& w) {
        return less(w[0], invariant(l.n, {"changes", 1}));
      },
      [&](const values& w) {
        auto step = invariant(l.one, {"changes", 1});
        auto grown = fg::apply(fg::assign_add_op{}, entered, w[0]);
        auto after = l.g.after(grown);
        return values{add(w[0], step)};
      },
      {"changes", 1});
  l.each([&](fg::session& s) {
    const fg::error why = s.try_run(fg::fetch(made[0]), {{l.n, 9.f}}).error();
    check_error(why, error_code::failed_precondition, why.node(), "Enter", {"uninitialized", "'v'"});
    s.initialize();
    CHECK(s.run(fg::fetch(made[0]), {{l.n, 9.f}}).scalar() == 10.f);
    s.run(changes[0], {{l.x, 0.f}, {l.n, 5.f}});
    CHECK(s.run(fg::fetch(total)).scalar() == 10.f);
  });
}

TEST_CASE("loops: every iteration has a number of its own, the same in every run") {
  loops l;
  std::mutex mutex;
  std::vector<std::uint64_t> keys;
  const loop_options outer{"outer", 4}, inner{"inner", 2};
  auto note = [&](fg::out<float> x) {
    return fg::apply(keyed_probe_op{{[&](fg::cpu c) {
                       std::lock_guard lock(mutex);
                       keys.push_back(c.iteration());
                     }}},
                     x);
  };
  auto outside = note(l.x);
  const values made = loop(
      {outside}, [&](const values& v) { return less(v[0], invariant(l.n, outer)); },
      [&](const values& v) {
        auto step = invariant(l.one, outer), quarter = invariant(l.g.constant(0.25f), outer);
        auto once = note(v[0]);
        auto row = loop(
            {multiply(once, invariant(l.x, outer))}, [&](const values& w) { return less(w[0], invariant(step, inner)); },
            [&](const values& w) { return values{note(add(w[0], invariant(quarter, inner)))}; }, inner)[0];
        return values{add(once, row)};
      },
      outer);
  std::multiset<std::uint64_t> before;
  l.each([&](fg::session& s) {
    keys.clear();
    s.run(made[0], {{l.x, 0.f}, {l.n, 10.f}});
    CHECK(keys.size() == 1 + 10 + 40);
    CHECK(keys.front() == 0);
    const std::multiset<std::uint64_t> all(keys.begin(), keys.end());
    CHECK(std::set<std::uint64_t>(keys.begin(), keys.end()).size() == keys.size());
    if (!before.empty()) CHECK(all == before);
    before = all;
  });
}

TEST_CASE("loops: expensive bodies run on the pool and give the same") {
  loops l;
  auto big = l.g.placeholder<float>("big", {fg::any});
  auto pass = [](fg::cpu) {};
  const values made = loop(
      {l.x, big, big}, [&](const values& v) { return less(v[0], invariant(l.n)); },
      [&](const values& v) {
        auto half = invariant(l.g.constant(0.5f));
        auto a = multiply(expensive_probe(v[1], pass), half);
        auto b = add(expensive_probe(v[2], pass), expensive_probe(v[1], pass));
        return values{add(v[0], invariant(l.one)), a, b};
      });
  std::vector<float> expected;
  l.each([&](fg::session& s) {
    for (int round = 0; round < 3; ++round) {
      const fg::tensor<float> ones({4096}, std::vector<float>(4096, 1.f));
      const fg::tensor<float> sum = s.run(fg::fetch(made[2]), {{l.x, 0.f}, {l.n, 10.f}, {big, ones}});
      if (expected.empty()) expected = to_vector(sum);
      CHECK(to_vector(sum) == expected);
    }
  });
  CHECK(expected[4095] == doctest::Approx(1 + 2 * (1 - std::pow(0.5, 10))));
}

TEST_CASE("loops: a million iterations") {
  loops l;
  auto y = counting_loop(l.x, l.n, l.one);
  fg::session s{l.g};
  const float count = flowgraph_test::is_sanitized ? 1e5f : 1e6f;
  CHECK(s.run(fg::fetch(y), {{l.x, 0.f}, {l.n, count}}).scalar() == count);
}

TEST_CASE("ill-formed loops: a back edge that was never connected") {
  parts p;
  auto merged = fg::merge({p.first, p.first}, {.name = "merged"}).value;
  const unsigned line = __LINE__ - 1;
  auto y = add(merged, merged);
  const fg::error why = p.prepared(y);
  check_error(why, error_code::invalid_argument, "merged", "Merge", {"never connected"});
  check_place(why, line, __FILE__);
}

TEST_CASE("ill-formed loops: a Merge that iterations come back to and nothing enters") {
  parts p;
  auto merged = fg::merge({p.first, p.first}, {.name = "merged"}).value;
  auto next = fg::apply(fg::next_iteration_op{}, add(merged, merged));
  p.g.set_back_edge(merged.source, 0, next);
  p.g.set_back_edge(merged.source, 1, next);
  check_error(p.prepared(merged), error_code::invalid_argument, "merged", "Merge", {"no Enter does"});
}

TEST_CASE("ill-formed loops: a Merge of nothing") {
  parts p;
  const fg::error why = refusal(p.g, [&] {
    const fg::merge_op op;
    const fg::node_request r{.table = &fg::table_of<fg::merge_op, float>, .op = &op};
    p.g.add(r, {"nothing"});
  });
  check_error(why, error_code::invalid_argument, "nothing", "Merge", {"at least one"});
}

TEST_CASE("ill-formed loops: Enters of one loop that disagree about its parallel iterations") {
  parts p;
  auto limit = fg::apply(fg::enter_op{"loop", true, 3}, p.x, fg::site{"limit"});
  const unsigned line = __LINE__ - 1;
  auto y = add(p.first, limit);
  const fg::error why = p.prepared(y);
  check_error(why, error_code::invalid_argument, "limit", "Enter", {"'loop'", "parallel_iterations", "10", "'first'", "3"});
  check_place(why, line, __FILE__);
}

TEST_CASE("ill-formed loops: frames of one name in two frames are two loops") {
  parts p;
  auto outer = enter(p.x, {.name = "a"}), inner = enter(enter(p.x, {.name = "b"}), {.name = "a", .parallel_iterations = 2});
  auto left = fg::apply(fg::exit_op{}, outer), also = fg::apply(fg::exit_op{}, fg::apply(fg::exit_op{}, inner));
  fg::session s{p.g};
  const auto [a, b] = s.run(fg::fetch(left, also), {{p.x, 3.f}});
  CHECK(a.scalar() == 3.f);
  CHECK(b.scalar() == 3.f);
}
