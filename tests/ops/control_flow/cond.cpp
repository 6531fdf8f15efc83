#include <flowgraph/ops/control_flow/cond.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include "../evaluate.hpp"

#include <functional>

using namespace ops_test;

namespace {

struct choice {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<bool> p = g.placeholder<bool>("p", {});

  // Runs on the caller's thread and with a pool, with either predicate.
  template <class F> void each(F&& f) {
    fg::thread_pool pool(3);
    for (fg::thread_pool* t : {static_cast<fg::thread_pool*>(nullptr), &pool})
      for (const bool taken : {true, false}) {
        CAPTURE((t != nullptr));
        CAPTURE(taken);
        fg::session s{g, {.pool = t}};
        s.initialize();
        f(s, taken);
      }
  }
};

#ifdef FLOWGRAPH_EXCEPTIONS
template <class F> fg::error refusal_of_branches(F&& build) {
  try {
    build();
  } catch (const fg::error& e) { return e; }
  return {};
}
#endif

}  // namespace

TEST_CASE("cond: the value of the branch that is taken") {
  choice c;
  auto y = fg::cond(
      c.p, [&] { return c.x * 2.f; }, [&] { return c.x + 1.f; });
  auto [i, s] = fg::cond(
      c.p,
      [&] {
        return std::tuple{c.g.constant(1), c.g.constant(std::string("yes"))};
      },
      [&] {
        return std::tuple{c.g.constant(2), c.g.constant(std::string("no"))};
      });
  auto z = fg::cond(
      c.p, [&] { return c.x; }, [&] { return c.g.constant(7.f); });
  c.each([&, i = i, s = s](fg::session& run, bool taken) {
    const auto [a, b, d, e] = run.run(fg::fetch(y, i, s, z), {{c.x, 5.f}, {c.p, taken}});
    CHECK(a.scalar() == (taken ? 10.f : 6.f));
    CHECK(b.scalar() == (taken ? 1 : 2));
    CHECK(d.scalar() == (taken ? "yes" : "no"));
    CHECK(e.scalar() == (taken ? 5.f : 7.f));
  });
}

TEST_CASE("cond: only what the branch that is taken does happens") {
  choice c;
  auto v = c.g.variable("v", fg::tensor<float>(1.f)), w = c.g.variable("w", fg::tensor<float>(1.f));
  fg::target only = fg::cond(
      c.p, [&] { fg::assign_add(v, c.x); }, [&] { fg::assign(w, c.g.constant(3.f)); });
  fg::target last = fg::cond(
      c.p, [&] { return fg::target(fg::assign_add(v, c.x)); }, [] {});
  auto value = fg::cond(
      c.p,
      [&] {
        fg::assign_add(v, c.x);
        return v;
      },
      [&] { return fg::assign_add(w, c.x); });
  c.each([&](fg::session& s, bool taken) {
    auto values = [&] {
      const auto [a, b] = s.run(fg::fetch(v, w));
      return std::pair(a.scalar(), b.scalar());
    };
    s.run(only, {{c.x, 5.f}, {c.p, taken}});
    CHECK(values() == (taken ? std::pair(6.f, 1.f) : std::pair(1.f, 3.f)));
    s.run(last, {{c.x, 5.f}, {c.p, taken}});
    CHECK(values() == (taken ? std::pair(11.f, 1.f) : std::pair(1.f, 3.f)));
    CHECK(s.run(fg::fetch(value), {{c.x, 5.f}, {c.p, taken}}).scalar() == (taken ? 16.f : 8.f));
    CHECK(values() == (taken ? std::pair(16.f, 1.f) : std::pair(1.f, 8.f)));
  });
}

TEST_CASE("cond: what comes after a cond without values runs whichever branch was taken") {
  choice c;
  auto v = c.g.variable("v", fg::tensor<float>(1.f));
  fg::target done = fg::cond(
      c.p, [&] { fg::assign_add(v, c.x); }, [] {});
  fg::out<float> y;
  {
    auto after = c.g.after(done);
    y = v + 0.f;
  }
  c.each([&](fg::session& s, bool taken) {
    CHECK(s.run(fg::fetch(y), {{c.x, 5.f}, {c.p, taken}}).scalar() == (taken ? 6.f : 1.f));
  });
}

TEST_CASE("cond: effects of a cond in a cond, and in a loop, are effects of the whole") {
  choice c;
  auto v = c.g.variable("v", fg::tensor<float>(0.f));
  fg::target nested = fg::cond(
      c.p,
      [&] {
        fg::while_loop(
            c.g.constant(0.f), [](auto i) { return i < 4.f; },
            [&](auto i) {
              fg::cond(
                  i < 2.f, [&] { fg::assign_add(v, c.x); }, [] {});
              return i + 1.f;
            });
      },
      [] {});
  c.each([&](fg::session& s, bool taken) {
    s.run(nested, {{c.x, 5.f}, {c.p, taken}});
    CHECK(s.run(fg::fetch(v)).scalar() == (taken ? 10.f : 0.f));
  });
}

TEST_CASE("cond: in a branch, one of two branches touches a variable after a loop, the other without one") {
  choice c;
  auto v = c.g.variable("v", fg::tensor<float>(0.f)), w = c.g.variable("w", fg::tensor<float>(0.f));
  fg::out<fg::resource> h = fg::apply_in<float>(c.g, fg::var_handle_op{.declared = fg::shape{}}, {.name = "h"});
  c.g.add_initializer(fg::target(fg::apply_as<float>(fg::site{}, fg::assign_variable_op{}, h, c.g.constant(0.f))).source);
  auto add_one = [&] {
    fg::assign_add(w, c.g.constant(1.f));
    fg::apply_as<float>(fg::site{}, fg::assign_add_variable_op{}, h, c.g.constant(1.f));
  };
  auto y = fg::cond(
      c.p,
      [&] {
        return fg::cond(
            c.x < 3.f,
            [&] {
              fg::while_loop(
                  c.x - c.x, [](auto i) { return i < 2.f; },
                  [&](auto i) {
                    fg::assign_add(v, c.x);
                    return i + 1.f;
                  });
              add_one();
              return c.x;
            },
            [&] {
              add_one();
              return -c.x;
            });
      },
      [&] { return c.x * 0.f; });
  fg::out<float> last;
  {
    auto after = c.g.after(y);
    last = fg::apply_as<float>(fg::site{}, fg::read_variable_op{}, h) + w * 100.f + v * 10000.f;
  }
  c.each([&](fg::session& s, bool taken) {
    float looped = 0, ones = 0;
    for (const float x : {2.f, 5.f}) {
      const auto [a, b] = s.run(fg::fetch(y, last), {{c.x, x}, {c.p, taken}});
      looped += taken && x < 3 ? 2 * x : 0;
      ones += taken ? 1 : 0;
      CHECK(a.scalar() == (taken ? (x < 3 ? x : -x) : 0.f));
      CHECK(b.scalar() == ones + ones * 100 + looped * 10000);
    }
  });
}

TEST_CASE("cond: a case_of with one branch has its effects in every iteration of the loop around it") {
  choice c;
  auto v = c.g.variable("v", fg::tensor<float>(0.f));
  auto y = fg::while_loop(
      c.x - c.x, [](auto i) { return i < 4.f; },
      [&](auto i) {
        fg::case_of(fg::cast<std::int32_t>(i), [&] { fg::assign_add(v, c.x); });
        return i + 1.f;
      });
  c.each([&](fg::session& s, bool) {
    const float before = s.run(fg::fetch(v)).scalar();
    s.run(y, {{c.x, 5.f}});
    CHECK(s.run(fg::fetch(v)).scalar() == before + 20.f);
  });
}

TEST_CASE("cond: control dependencies, around it and in a branch") {
  choice c;
  auto v = c.g.variable("v", fg::tensor<float>(1.f));
  auto changed = fg::assign(v, c.x);
  fg::out<float> y;
  {
    auto after = c.g.after(changed);
    y = fg::cond(
        c.p, [&] { return v * 2.f; }, [&] { return c.g.constant(0.f) - v; });
  }
  auto z = fg::cond(
      c.p,
      [&] {
        auto after = c.g.after(changed);
        return v * 2.f;
      },
      [&] { return c.x; });
  c.each([&](fg::session& s, bool taken) {
    CHECK(s.run(fg::fetch(y), {{c.x, 5.f}, {c.p, taken}}).scalar() == (taken ? 10.f : -5.f));
    s.initialize();
    CHECK(s.run(fg::fetch(z), {{c.x, 5.f}, {c.p, taken}}).scalar() == (taken ? 10.f : 5.f));
  });
}

TEST_CASE("cond: a predicate that is a variable is read once, one that is a constant chooses once and for all") {
  choice c;
  auto flag = c.g.variable("flag", fg::tensor<bool>(true));
  auto y = fg::cond(
      flag,
      [&] {
        fg::assign(flag, c.g.constant(false));
        return c.x * 2.f;
      },
      [&] { return c.x; });
  auto z = fg::cond(
      c.g.constant(true), [&] { return c.g.constant(1.f); }, [&] { return c.g.constant(2.f); });
  fg::session s{c.g};
  s.initialize();
  CHECK(s.run(fg::fetch(y), {{c.x, 5.f}}).scalar() == 10.f);
  CHECK(s.run(fg::fetch(y), {{c.x, 5.f}}).scalar() == 5.f);
  CHECK(s.run(fg::fetch(z)).scalar() == 1.f);
}

TEST_CASE("cond: branches of other extents give an extent that is not known") {
  choice c;
  auto two = c.g.constant(vector<float>({1, 2})), three = c.g.constant(vector<float>({1, 2, 3}));
  auto y = fg::cond(
      c.p, [&] { return two; }, [&] { return three; });
  CHECK(y.shape() == fg::shape{fg::any});
  c.each([&](fg::session& s, bool taken) { CHECK(s.run(fg::fetch(y), {{c.p, taken}}).size() == (taken ? 2u : 3u)); });
}

TEST_CASE("cond: gradients follow the branch that is taken") {
  choice c;
  auto y = fg::cond(
      c.p,
      [&] {
        return fg::cond(
            c.x < 0.f, [&] { return -c.x; }, [&] { return c.x * c.x; });
      },
      [&] { return c.x * 3.f; });
  fg::out<float> dx = fg::gradients(y, c.x);
  fg::session s{c.g};
  auto slope = [&](float x, bool p) { return s.run(fg::fetch(dx), {{c.x, x}, {c.p, p}}).scalar(); };
  CHECK(slope(-2, true) == -1.f);
  CHECK(slope(5, true) == 10.f);
  CHECK(slope(5, false) == 3.f);
}

TEST_CASE("cond: gradients of rows, of what one branch alone takes, and of gradients") {
  choice c;
  auto x = c.g.placeholder<double>("x", {3, 2}), z = c.g.placeholder<double>("z", {});
  auto rows = c.g.constant(fg::tensor<std::int32_t>{{2}, {1, 1}});
  auto y = fg::cond(
      c.p, [&] { return fg::sum(fg::gather(x, rows)) * z; }, [&] { return fg::sum(x * x * x); });
  auto [dx, dz] = fg::gradients(y, x, z);
  fg::out<double> values = dx;
  fg::out<double> second = fg::gradients(fg::sum(values), x);
  c.each([&, dz = dz](fg::session& s, bool taken) {
    const fg::tensor<double> at = counting<double>({3, 2});
    const auto [a, b, d] = s.run(fg::fetch(values, fg::out<double>(dz), second), {{x, at}, {z, 10.0}, {c.p, taken}});
    for (std::size_t i = 0; i < 6; ++i) {
      const double v = at.data()[i];
      CHECK(a.data()[i] == (taken ? (i / 2 == 1 ? 20.0 : 0.0) : 3 * v * v));
      CHECK(d.data()[i] == (taken ? 0.0 : 6 * v));
    }
    CHECK(b.scalar() == (taken ? 14.0 : 0.0));
  });
}

TEST_CASE("cond: a thousand of them, each in the one before") {
  choice c;
  const std::function<fg::out<float>(int)> nest = [&](int depth) -> fg::out<float> {
    if (depth == 0) return c.x * 2.f;
    return fg::cond(
        c.p, [&] { return nest(depth - 1); }, [&] { return c.x; }, {.name = "c"});
  };
  auto y = nest(1000);
  fg::session s{c.g};
  CHECK(s.run(fg::fetch(y), {{c.x, 5.f}, {c.p, true}}).scalar() == 10.f);
  CHECK(s.run(fg::fetch(y), {{c.x, 5.f}, {c.p, false}}).scalar() == 5.f);
}

TEST_CASE("case_of: the branch of that number, else the last one") {
  choice c;
  auto i = c.g.placeholder<std::int32_t>("i", {});
  auto three = fg::case_of(
      i, [&] { return c.x; }, [&] { return c.x * 10.f; }, [&] { return c.g.constant(-1.f); });
  auto one = fg::case_of(i, [&] { return c.x + 1.f; });
  auto v = c.g.variable("v", fg::tensor<float>(0.f));
  fg::target nothing = fg::case_of(
      fg::site{"many"}, i, [] {}, [&] { fg::assign(v, c.x); }, [] {}, [] {}, [] {});
  CHECK(nothing.source->name.starts_with("many"));
  c.each([&](fg::session& s, bool) {
    for (const int at : {-5, -1, 0, 1, 2, 3, 1000}) {
      const auto [a, b] = s.run(fg::fetch(three, one), {{c.x, 5.f}, {i, at}});
      CHECK(a.scalar() == (at == 0 ? 5.f : at == 1 ? 50.f : -1.f));
      CHECK(b.scalar() == 6.f);
      s.initialize();
      s.run(nothing, {{c.x, 5.f}, {i, at}});
      CHECK(s.run(fg::fetch(v)).scalar() == (at == 1 ? 5.f : 0.f));
    }
  });
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("cond: branches that cannot be one value are refused, and the error names both") {
  choice c;
  const unsigned line = __LINE__ + 2;
  const fg::error rank = refusal_of_branches([&] {
    fg::cond(
        c.p, [&] { return c.x; },
        [&] {
          return c.g.constant(vector<float>({1, 2}));
        },
        {.name = "pick"});
  });
  CHECK(rank.node() == "pick");
  CHECK(rank.where().line() == line);
  for (const char* part : {"value 0", "[]", "[2]", "true branch", "false branch"}) CHECK(says(rank, part));
  const fg::error number = refusal_of_branches([&] {
    fg::cond(
        c.p, [&] { return fg::out_list<float>{c.x}; },
        [&] {
          return fg::out_list<float>{c.x, c.x};
        });
  });
  for (const char* part : {"1 values", "false branch 2"}) CHECK(says(number, part));
  CHECK(says(refusal_of_branches([&] {
               auto many = c.g.placeholder<bool>("many", {2});
               fg::cond(
                   many, [&] { return c.x; }, [&] { return c.x + 1.f; });
             }),
             "scalar"));
}

TEST_CASE("cond: what is inside of a branch stays there") {
  choice c;
  fg::out<float> inside;
  auto y = fg::cond(
      c.p, [&] { return inside = c.x * 2.f; }, [&] { return c.x; }, {.name = "pick"});
  for (const auto& why : {refusal_of_branches([&] { inside + y; }), refusal_of_branches([&] {
                            fg::cond(
                                c.p, [&] { return c.x; }, [&] { return inside + 1.f; });
                          })})
    for (const char* part : {"pick/Mul", "inside of the true branch of 'pick'", "return it"}) CHECK(says(why, part));
  fg::session s{c.g};
  CHECK(s.run(fg::fetch(y), {{c.x, 5.f}, {c.p, true}}).scalar() == 10.f);
}

TEST_CASE("cond: a branch that throws leaves the graph as usable as before") {
  choice c;
  auto throws = []() -> fg::out<float> { throw std::runtime_error("mine"); };
  CHECK_THROWS_AS(fg::cond(c.p, throws, [&] { return c.x; }), std::runtime_error);
  auto y = c.x + 1.f;
  CHECK(y.source->name == "AddV2");
  fg::session s{c.g};
  CHECK(s.run(fg::fetch(y), {{c.x, 1.f}}).scalar() == 2.f);
}
#endif

TEST_CASE("cond: one predicate from outside in both branches, also in a loop") {
  fg::graph g;
  auto p = g.placeholder<bool>("p", {}), q = g.placeholder<bool>("q", {});
  auto x = g.placeholder<float>("x", {});
  const auto chosen = [&](auto outer, auto y) {
    return fg::cond(
        outer,
        [&] {
          return fg::cond(
              p, [&] { return y + 1.f; }, [&] { return y + 2.f; });
        },
        [&] {
          return fg::cond(
              p, [&] { return y + 3.f; }, [&] { return y + 4.f; });
        });
  };
  auto once = chosen(q, x);
  auto [n, twice] = fg::while_loop(
      std::tuple{g.constant(0), x}, [](auto i, auto) { return i < 2; },
      [&](auto i, auto y) {
        return std::tuple{i + 1, chosen(fg::equal(i, 1), y)};
      });
  for (const bool dynamic : {false, true}) {
    fg::session s{g, {.dynamic = dynamic}};
    auto step = s.prepare(fg::feed(p, q, x), fg::fetch(once, twice));
    for (const bool by : {true, false, true})
      for (const bool outer : {false, true}) {
        const auto [a, b] = s.run(fg::fetch(once, twice), {{p, by}, {q, outer}, {x, 0.f}});
        CHECK(a.scalar() == (outer ? 1 : 3) + (by ? 0 : 1));
        CHECK(b.scalar() == 4 + (by ? 0 : 2));
        const auto [c, d] = step(by, outer, 0.f);
        CHECK(c.scalar() == a.scalar());
        CHECK(d.scalar() == b.scalar());
      }
  }
}
