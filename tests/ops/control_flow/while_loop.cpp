#include <flowgraph/ops/control_flow/while_loop.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

// Runs on the caller's thread and with a pool, by schedules and by the ready queue.
template <class F> void each_way(const fg::graph& g, F&& f) {
  fg::thread_pool pool(3);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool})
    for (const bool dynamic : {false, true}) {
      CAPTURE((p != nullptr));
      CAPTURE(dynamic);
      fg::session s{g, {.pool = p, .dynamic = dynamic}};
      s.initialize();
      f(s);
    }
}

#ifdef FLOWGRAPH_EXCEPTIONS
// What building it is refused with.
template <class F> fg::error refusal_of_loop(F&& build) {
  try {
    build();
  } catch (const fg::error& e) { return e; }
  return {};
}
#endif

}  // namespace

TEST_CASE("while_loop: several variables of several types, for every number of iterations that may overlap") {
  fg::graph g;
  auto n = g.placeholder<std::int32_t>("n", {});
  auto w = g.constant(fg::tensor<float>{{2, 2}, {1, 1, 0, 1}});
  for (const int parallel : {1, 2, 10}) {
    CAPTURE(parallel);
    auto [steps, a, text] = fg::while_loop(
        std::tuple{g.constant(0), w, g.constant(std::string("x"))}, [&](auto i, auto, auto) { return i < n; },
        [&](auto i, auto b, auto t) {
          return std::tuple{i + 1, fg::matmul(b, w), t + g.constant(std::string("y"))};
        },
        {.parallel_iterations = parallel});
    CHECK(a.shape() == fg::shape{2, 2});
    each_way(g, [&, steps = steps, a = a, text = text](fg::session& s) {
      for (const int count : {-1, 0, 1, 7, 40}) {
        const auto [i, m, t] = s.run(fg::fetch(steps, a, text), {{n, count}});
        CHECK(i.scalar() == std::max(count, 0));
        CHECK(m.data()[1] == static_cast<float>(std::max(count, 0) + 1));
        CHECK(t.scalar() == 'x' + std::string(static_cast<std::size_t>(std::max(count, 0)), 'y'));
      }
    });
  }
}

TEST_CASE("while_loop: a single handle, and lists whose length only the program knows") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  fg::out<float> y = fg::while_loop(
      x, [](auto v) { return v < 100.f; }, [](auto v) { return v * 2.f; });
  const fg::out_list<double> many(5, g.constant(1.0));
  auto [i, list] = fg::while_loop(
      std::tuple{g.constant(std::int64_t(0)), many}, [](auto k, const auto&) { return k < std::int64_t(4); },
      [](auto k, const fg::out_list<double>& l) {
        fg::out_list<double> next;
        for (std::size_t j = 0; j < l.size(); ++j) next.push_back(l[j] * static_cast<double>(j));
        return std::tuple{k + std::int64_t(1), next};
      });
  REQUIRE(list.size() == 5);
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{x, 3.f}}).scalar() == 192.f);
  CHECK(s.run(fg::fetch(list[3])).scalar() == 81.0);
}

TEST_CASE("while_loop: what a body takes from outside comes in once") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {}), n = g.placeholder<float>("n", {});
  const std::size_t before = g.size();
  auto y = fg::while_loop(
      x, [&](auto v) { return v < n * n; }, [&](auto v) { return v + x * x + n; });
  std::size_t enters = 0;
  for (std::size_t i = before; i < g.size(); ++i) enters += g.at(i)->op->name() == "Enter" ? 1 : 0;
  CHECK(enters == 3);  // the variable, n, x
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{x, 1.f}, {n, 3.f}}).scalar() == 9.f);
}

TEST_CASE("while_loop: in a cond in a while_loop") {
  fg::graph g;
  auto n = g.placeholder<std::int32_t>("n", {});
  auto scale = g.placeholder<std::int32_t>("scale", {});
  // For odd i, i + ... + 1 times the scale; else -1.
  auto [last, sum] = fg::while_loop(
      std::tuple{g.constant(0), g.constant(0)}, [&](auto i, auto) { return i < n; },
      [&](auto i, auto total) {
        auto odd = fg::equal(i - i / 2 * 2, 1);
        auto part = fg::cond(
            odd,
            [&] {
              auto [j, inner] = fg::while_loop(
                  std::tuple{i, g.constant(0)}, [&](auto k, auto) { return 0 < k; },
                  [&](auto k, auto t) {
                    return std::tuple{k - 1, t + k * scale};
                  });
              return inner;
            },
            [&] { return g.constant(-1); });
        return std::tuple{i + 1, total + part};
      });
  each_way(g, [&, sum = sum](fg::session& s) {
    for (const int count : {0, 1, 2, 9}) {
      int expected = 0;
      for (int i = 0; i < count; ++i) expected += i % 2 ? i * (i + 1) / 2 * 3 : -1;
      CHECK(s.run(fg::fetch(sum), {{n, count}, {scale, 3}}).scalar() == expected);
    }
  });
}

TEST_CASE("while_loop: a body that takes nothing from the iteration runs in each of them, and not once more") {
  fg::graph g;
  auto n = g.placeholder<std::int32_t>("n", {});
  auto step = g.placeholder<float>("step", {});
  auto count = g.variable("count", fg::tensor<float>(0.f)), checks = g.variable("checks", fg::tensor<float>(0.f));
  auto y = fg::while_loop(
      g.constant(0),
      [&](auto i) {
        fg::assign_add(checks, g.constant(1.f));
        return i < n;
      },
      [&](auto i) {
        fg::assign_add(count, step);
        return i + 1;
      });
  each_way(g, [&](fg::session& s) {
    s.run(y, {{n, 5}, {step, 2.f}});
    CHECK(s.run(fg::fetch(count)).scalar() == 10.f);
    CHECK(s.run(fg::fetch(checks)).scalar() == 6.f);
  });
}

TEST_CASE("while_loop: what iterations do to a variable happens one after the other, and later reads see it") {
  fg::graph g;
  auto n = g.placeholder<float>("n", {});
  auto v = g.variable("v", fg::tensor<float>(1.f));
  fg::out<fg::resource> r = fg::apply_in<float>(g, fg::var_handle_op{.declared = fg::shape{}}, {.name = "r"});
  auto r_initial = fg::apply_as<float>(fg::site{}, fg::assign_variable_op{}, r, g.constant(1.f));
  auto r_value = fg::apply_as<float>(fg::site{}, fg::read_variable_op{}, r);
  // v = 2 v + i, and the sum of what was read before each change and after it.
  auto [i, sum] = fg::while_loop(
      std::tuple{g.constant(0.f), g.constant(0.f)}, [&](auto k, auto) { return k < n; },
      [&](auto k, auto t) {
        auto before = v + 0.f;
        fg::assign(v, before * 2.f + k);
        auto after = v + 0.f;
        fg::apply_as<float>(fg::site{}, fg::assign_add_variable_op{}, r, k);
        return std::tuple{k + 1.f, t + before + after};
      });
  each_way(g, [&, sum = sum](fg::session& s) {
    float value = 1, expected = 0, total = 1;
    for (float k = 0; k < 12; ++k) {
      expected += value;
      value = 2 * value + k;
      expected += value;
      total += k;
    }
    s.run(r_initial);
    CHECK(s.run(fg::fetch(sum), {{n, 12.f}}).scalar() == expected);
    CHECK(s.run(fg::fetch(v)).scalar() == value);
    CHECK(s.run(fg::fetch(r_value)).scalar() == total);
  });
}

TEST_CASE("while_loop: what a branch or an inner loop reads in an iteration is not changed by the next one") {
  fg::graph g;
  auto n = g.placeholder<float>("n", {});
  auto v = g.variable("v", fg::tensor<float>(0.f));
  auto [i, sum] = fg::while_loop(
      std::tuple{g.constant(0.f), g.constant(0.f)}, [&](auto k, auto) { return k < n; },
      [&](auto k, auto t) {
        fg::assign(v, k);
        auto read = fg::cond(
            k < 5.f, [&] { return v + 1.f; }, [&] { return v - 1.f; });
        auto [j, twice] = fg::while_loop(
            std::tuple{k - k, k - k}, [](auto l, auto) { return l < 2.f; },
            [&](auto l, auto s) {
              return std::tuple{l + 1.f, s + v};
            });
        fg::assign_add(v, g.constant(1000.f));  // after the inner loop
        return std::tuple{k + 1.f, t + read + twice};
      });
  each_way(g, [&, sum = sum](fg::session& s) {
    for (int round = 0; round < 20; ++round) CHECK(s.run(fg::fetch(sum), {{n, 10.f}}).scalar() == 3 * 45.f);
  });
}

TEST_CASE("while_loop: a branch, and what comes after a branch, see what a loop before them did to a variable") {
  fg::graph g;
  auto n = g.placeholder<float>("n", {});
  auto v = g.variable("v", fg::tensor<float>(0.f));
  auto count_up = [&](fg::out<float> from) {
    fg::while_loop(
        from - from, [](auto i) { return i < 30.f; },
        [&](auto i) {
          fg::assign_add(v, g.constant(1.f));
          return i + 1.f;
        });
  };
  auto [k, sum] = fg::while_loop(
      std::tuple{g.constant(0.f), g.constant(0.f)}, [&](auto i, auto) { return i < n; },
      [&](auto i, auto t) {
        count_up(i);
        auto in_branch = fg::cond(
            i < 5.f, [&] { return v + 0.5f; }, [&] { return v - 0.5f; });
        fg::cond(
            i < 50.f, [&] { count_up(i); }, [] {});
        auto after = v + 0.f;
        return std::tuple{i + 1.f, t + in_branch + after};
      });
  each_way(g, [&, sum = sum](fg::session& s) {
    for (int round = 0; round < 3; ++round) {
      float value = s.run(fg::fetch(v)).scalar(), expected = 0;
      for (int i = 0; i < 10; ++i) {
        value += 30;
        expected += value + (i < 5 ? 0.5f : -0.5f);
        value += 30;
        expected += value;
      }
      CHECK(s.run(fg::fetch(sum), {{n, 10.f}}).scalar() == expected);
    }
  });
}

TEST_CASE("while_loop: a variable made in a body stands outside of it") {
  fg::graph g;
  fg::variable<float> v;
  auto y = fg::while_loop(
      g.constant(0.f), [](auto x) { return x < 6.f; },
      [&](auto x) {
        v = g.variable("v", fg::tensor<float>(2.f));
        return x + v;
      });
  fg::session s{g};
  s.initialize();
  CHECK(s.run(fg::fetch(y)).scalar() == 6.f);
  CHECK(s.run(fg::fetch(v)).scalar() == 2.f);
}

TEST_CASE("while_loop: a placeholder made in a body is fed as any other") {
  fg::graph g;
  fg::out<float> x;
  auto y = fg::while_loop(
      g.constant(0.f), [](auto v) { return v < 6.f; },
      [&](auto v) {
        x = g.placeholder<float>("x", {});
        return v + x;
      });
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{x, 4.f}}).scalar() == 8.f);
}

TEST_CASE("while_loop: control dependencies, around it and in its body") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f));
  auto changed = fg::assign(v, g.constant(5.f));
  fg::out<float> y, z;
  {
    auto after = g.after(changed);
    y = fg::while_loop(
        g.constant(0.f), [](auto x) { return x < 6.f; }, [&](auto x) { return x + v; });
  }
  z = fg::while_loop(
      g.constant(0.f), [](auto x) { return x < 6.f; },
      [&](auto x) {
        auto after = g.after(changed);
        return x + v;
      });
  fg::session s{g};
  for (const auto& result : {y, z}) {
    s.initialize();
    CHECK(s.run(fg::fetch(result)).scalar() == 10.f);
  }
}

TEST_CASE("while_loop: ends at maximum_iterations") {
  fg::graph g;
  auto n = g.placeholder<std::int32_t>("n", {});
  for (const int limit : {0, 1, 4}) {
    auto y = fg::while_loop(
        g.constant(0), [&](auto i) { return i < n; }, [](auto i) { return i + 1; }, {.maximum_iterations = limit});
    fg::session s{g};
    CHECK(s.run(fg::fetch(y), {{n, 100}}).scalar() == limit);
    CHECK(s.run(fg::fetch(y), {{n, 1}}).scalar() == std::min(limit, 1));
  }
}

TEST_CASE("while_loop: a million iterations in constant memory") {
  fg::graph g;
  auto n = g.placeholder<std::int64_t>("n", {});
  auto y = fg::while_loop(
      g.constant(std::int64_t(0)), [&](auto i) { return i < n; }, [](auto i) { return i + std::int64_t(1); });
  fg::session s{g, {.memory_limit = 1 << 20}};
  CHECK(s.run(fg::fetch(y), {{n, std::int64_t(1'000'000)}}).scalar() == 1'000'000);
}

TEST_CASE("while_loop: shapes that iterations change are said to") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto [i, grown] = fg::while_loop(
      std::tuple{g.constant(0), x}, [](auto k, auto) { return k < 3; },
      [&](auto k, auto v) {
        return std::tuple{k + 1, fg::concat({v, x}, 0)};
      },
      {.shapes = {fg::shape{}, fg::shape{fg::any}}});
  CHECK(grown.shape() == fg::shape{fg::any});
  fg::session s{g};
  CHECK(s.run(fg::fetch(grown), {{x, vector<float>({1, 2})}}).shape() == fg::shape{8});
}

TEST_CASE("while_loop: a loop in a copy of its graph") {
  fg::graph g;
  auto y = fg::while_loop(
      g.constant(1.f), [](auto x) { return x < 9.f; }, [](auto x) { return x + x; });
  const fg::graph copy = g.clone();
  fg::session s{copy};
  const fg::out<float> twin{copy.at(y.source->id), y.port};
  CHECK(s.run(fg::fetch(twin)).scalar() == 16.f);
}

TEST_CASE("while_loop: an error in a nested loop says in which iterations") {
  fg::graph g;
  auto x = g.placeholder<float>("x", fg::shape::unknown());
  auto [i, y] = fg::while_loop(
      std::tuple{g.constant(0), x}, [](auto k, auto) { return k < 3; },
      [&](auto k, auto v) {
        auto [j, w] = fg::while_loop(
            std::tuple{g.constant(0), v}, [](auto l, auto) { return l < 2; },
            [&](auto l, auto u) {
              auto is_there = fg::logical_and(fg::equal(k, 2), fg::equal(l, 1));
              auto wrong = fg::cond(
                  is_there,
                  [&] {
                    return fg::concat({u, u}, 0);
                  },
                  [&] { return u; });
              return std::tuple{l + 1, fg::apply(fg::add_v2_op{}, wrong, x, fg::site{"sum"})};
            },
            {.name = "inner"});
        return std::tuple{k + 1, w};
      },
      {.name = "outer"});
  fg::session s{g};
  const auto failed = s.try_run(fg::fetch(y), {{x, vector<float>({1, 2})}});
  REQUIRE_FALSE(failed);
  CHECK(std::string(failed.error().node()) == "outer/inner/sum, iteration 1 of outer/inner in iteration 2 of outer");
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("while_loop: a variable whose shape does not stay is refused, and the error says what to do") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  unsigned line = 0;
  const fg::error why = refusal_of_loop([&] {
    line = __LINE__ + 1;
    fg::while_loop(
        std::tuple{g.constant(0), x}, [](auto k, auto) { return k < 3; },
        [&](auto k, auto v) {
          return std::tuple{k + 1, fg::concat({v, x}, 0)};
        });
  });
  CHECK(why.code() == fg::error_code::invalid_argument);
  CHECK(why.node() == "while");
  CHECK(why.where().line() >= line);
  CHECK(why.where().line() <= line + 1);
  for (const char* part : {"variable 1", "[4]", "[2]", "shapes"}) CHECK(says(why, part));
  CHECK(says(refusal_of_loop([&] {
               fg::while_loop(
                   x, [&](auto) { return g.constant(false); }, [](auto v) { return v; }, {.shapes = {fg::shape{3}}});
             }),
             "enters with"));
  CHECK(says(refusal_of_loop([&] {
               fg::while_loop(
                   x, [](auto v) { return v < 1.f; }, [](auto v) { return v; });
             }),
             "scalar"));
}

TEST_CASE("while_loop: what is inside of a body stays there") {
  fg::graph g;
  auto zero = g.constant(0);
  fg::out<std::int32_t> inside;
  auto y = fg::while_loop(
      zero, [](auto i) { return i < 3; }, [&](auto i) { return inside = i + 1; }, {.name = "count"});
  const auto outside = refusal_of_loop([&] { inside + y; });
  for (const char* part : {"count/AddV2", "inside of loop 'count'", "return it"}) CHECK(says(outside, part));
  CHECK(says(refusal_of_loop([&] {
               fg::while_loop(
                   zero, [](auto i) { return i < 3; }, [&](auto i) { return i + inside; });
             }),
             "inside of loop 'count'"));
  CHECK(says(refusal_of_loop([&] {
               auto after = g.after(inside);
               zero + y;
             }),
             "inside of loop 'count'"));
}

TEST_CASE("while_loop: a body that throws leaves nothing behind that runs") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  CHECK_THROWS_AS(fg::while_loop(
                      x, [](auto v) { return v < 3.f; },
                      [&](auto v) {
                        v + 1.f;
                        throw std::runtime_error("mine");
                        return v;
                      },
                      {.name = "half"}),
                  std::runtime_error);
  auto y = x + 1.f;
  CHECK(y.source->name == "AddV2");
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{x, 1.f}}).scalar() == 2.f);
  const auto half = s.try_run(fg::target(g.find("half/AddV2")), {{x, 1.f}});
  REQUIRE_FALSE(half);
  CHECK(says(half.error(), "never connected"));
  auto z = fg::while_loop(
      x, [](auto v) { return v < 3.f; }, [](auto v) { return v + 1.f; });
  CHECK(s.run(fg::fetch(z), {{x, 1.f}}).scalar() == 3.f);
}
#endif
