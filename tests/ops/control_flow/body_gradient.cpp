// Gradients that are taken inside of bodies: of loops, of branches, and of what nests in them.

#include <flowgraph/ops/control_flow/control_flow.hpp>

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/map.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/runtime/session.hpp>

#include "../evaluate.hpp"

namespace {

using number = fg::out<double>;

// A function of two numbers, whose graph takes gradients inside of bodies, beside one that says what it computes.
class same_function {
public:
  template <class F, class Expected> same_function(F build, Expected expected) : y_(build(x_, w_)), expected_(expected(x_, w_)) {}

  // Both and their derivatives by x and w, `order` times, are equal; so are all threads, and prepared steps.
  void check(int order) const { check(y_, expected_, order); }

private:
  void check(const number& y, const number& expected, int order) const {
    CAPTURE(order);
    for (const bool dynamic : {false, true}) {
      fg::thread_pool one(1), four(4);
      for (fg::thread_pool* pool : {static_cast<fg::thread_pool*>(nullptr), &one, &four}) {
        CAPTURE((pool ? pool->size() : 0));
        CAPTURE(dynamic);
        fg::session s{g_, {.pool = pool, .dynamic = dynamic}};
        auto step = s.prepare(fg::feed(x_, w_), fg::fetch(y, expected));
        for (const auto& [x, w] : {std::pair{0.9, 1.5}, {1.7, -0.6}, {-0.4, 0.3}}) {
          CAPTURE(x);
          const auto [found, right] = s.run(fg::fetch(y, expected), {{x_, x}, {w_, w}});
          CHECK(found.scalar() == doctest::Approx(right.scalar()).epsilon(1e-9));
          const auto [again, as_right] = step(x, w);
          CHECK(again.scalar() == found.scalar());
        }
      }
    }
    if (order == 0) return;
    const auto [by_x, by_w] = fg::gradients({}, {.allow_none = true}, y, x_, w_);
    const auto [to_x, to_w] = fg::gradients({}, {.allow_none = true}, expected, x_, w_);
    check(or_zero(by_x), or_zero(to_x), order - 1);
    check(or_zero(by_w), or_zero(to_w), order - 1);
  }
  number or_zero(const fg::grad<double>& d) const { return d.is_none() ? x_ * 0.0 : number(d); }

  fg::graph g_;
  number x_ = g_.placeholder<double>("x", {}), w_ = g_.placeholder<double>("w", {});
  number y_, expected_;
};

// `count` times a = body(a, i).
template <class F> number in_loop(number a, int count, F body) {
  const fg::out<std::int32_t> zero = fg::cast<std::int32_t>(a * 0.0);
  return std::get<1>(fg::while_loop(
      std::tuple{zero, a}, [&](auto i, auto) { return i < count; },
      [&](auto i, auto v) {
        return std::tuple{i + 1, body(v, i)};
      }));
}
// The same without a loop.
template <class F> number in_line(number a, int count, F body) {
  for (int i = 0; i < count; ++i) a = body(a, i);
  return a;
}
number slope(number y, number x) { return fg::gradients(y, x); }

}  // namespace

TEST_CASE("in a loop: by its variable, where the body takes a value from outside") {
  same_function([](number x, number w) { return in_loop(x, 3, [&](number a, auto) { return a - slope(a * a * w, a) * 0.1; }); },
                [](number x, number w) { return in_line(x, 3, [&](number a, int) { return a - a * w * 0.2; }); })
      .check(2);
}

TEST_CASE("in a loop: by a value from outside, taken in the body alone") {
  same_function(
      [](number x, number w) { return in_loop(x, 3, [&](number a, auto) { return a * 0.5 - slope(fg::tanh(a * w), w); }); },
      [](number x, number w) {
        return in_line(x, 3, [&](number a, int) {
          const number t = fg::tanh(a * w);
          return a * 0.5 - (1.0 - t * t) * a;
        });
      })
      .check(2);
}

TEST_CASE("in a loop: of a value that was made outside, by one from outside") {
  same_function(
      [](number x, number w) {
        const number y = fg::tanh(x * w) * w;
        return in_loop(x, 3, [&](number a, auto) { return a * 0.5 + slope(y * a, w); });
      },
      [](number x, number w) {
        const number dy = slope(fg::tanh(x * w) * w, w);
        return in_line(x, 3, [&](number a, int) { return a * 0.5 + dy * a; });
      })
      .check(2);
}

TEST_CASE("in a branch: by what it takes from outside, directly and through a value made outside") {
  same_function(
      [](number x, number w) {
        const number y = x * x * w;
        return fg::cond(
            x < w, [&] { return slope(y * x, x); }, [&] { return slope(x * w * w + y, w); });
      },
      [](number x, number w) {
        return fg::cond(
            x < w, [&] { return x * x * w * 3.0; }, [&] { return x * w * 2.0 + x * x; });
      })
      .check(2);
}

TEST_CASE("in a branch: a gradient that is a value from outside itself") {
  same_function(
      [](number x, number w) {
        return fg::cond(
            x < w, [&] { return slope(x * w, x); }, [&] { return slope(x + w, w); });
      },
      [](number x, number w) {
        return fg::cond(
            x < w, [&] { return w * 1.0; }, [&] { return x * 0.0 + 1.0; });
      })
      .check(1);
}

TEST_CASE("in a loop in a branch in a loop") {
  same_function(
      [](number x, number w) {
        const number y = fg::tanh(w) * x;
        return in_loop(x, 3, [&](number a, auto) {
          return fg::cond(
              a < w, [&] { return in_loop(a, 2, [&](number b, auto) { return b * 0.5 + slope(fg::tanh(a * b * w) * y, w); }); },
              [&] { return a * 0.9 + slope(a * a * y, a); });
        });
      },
      [](number x, number w) {
        const number y = fg::tanh(w) * x;
        return in_line(x, 3, [&](number a, int) {
          return fg::cond(
              a < w,
              [&] {
                return in_line(a, 2, [&](number b, int) {
                  const number t = fg::tanh(a * b * w), u = fg::tanh(w);
                  return b * 0.5 + (1.0 - t * t) * a * b * y + t * x * (1.0 - u * u);
                });
              },
              [&] { return a * 0.9 + a * y * 2.0; });
        });
      })
      .check(2);
}

TEST_CASE("of a loop, in the body of another one") {
  const auto inner = [](number a, number w) { return in_loop(a, 2, [&](number b, auto) { return fg::tanh(b * w) + a * 0.1; }); };
  const auto line = [](number a, number w) { return in_line(a, 2, [&](number b, int) { return fg::tanh(b * w) + a * 0.1; }); };
  same_function([&](number x, number w) { return in_loop(x, 2, [&](number a, auto) { return a + slope(inner(a, w), a); }); },
                [&](number x, number w) { return in_line(x, 2, [&](number a, int) { return a + slope(line(a, w), a); }); })
      .check(2);
  same_function(
      [&](number x, number w) { return in_loop(x, 2, [&](number a, auto) { return a * 0.5 + slope(inner(a, w), w); }); },
      [&](number x, number w) {
        return in_line(x, 2, [&](number a, int) {
          const number own = fg::identity(w);  // `a` depends on w, too
          return a * 0.5 + slope(line(a, own), own);
        });
      })
      .check(1);
}

TEST_CASE("of a loop that stands outside of the body") {
  same_function(
      [](number x, number w) {
        const number y = in_loop(x, 3, [&](number b, auto) { return fg::tanh(b * w) + b * 0.3; });
        return in_loop(x, 2, [&](number a, auto) { return a * 0.5 + slope(y * a, w); });
      },
      [](number x, number w) {
        const number dy = slope(in_line(x, 3, [&](number b, int) { return fg::tanh(b * w) + b * 0.3; }), w);
        return in_line(x, 2, [&](number a, int) { return a * 0.5 + dy * a; });
      })
      .check(2);
}

TEST_CASE("of branches that stand outside of the body, in one another") {
  const auto chosen = [](number x, number w) {
    return fg::cond(
        x < w,
        [&] {
          return fg::cond(
              w < 1.0, [&] { return fg::tanh(x) * w; }, [&] { return x * w * w; });
        },
        [&] { return fg::tanh(w * x) + x; });
  };
  same_function(
      [&](number x, number w) {
        const number y = chosen(x, w);
        return in_loop(x, 2, [&](number a, auto) { return a * 0.5 + slope(y * a, w); });
      },
      [&](number x, number w) {
        const number dy = slope(chosen(x, w), w);
        return in_line(x, 2, [&](number a, int) { return a * 0.5 + dy * a; });
      })
      .check(2);
  same_function(
      [&](number x, number w) {
        const number y = chosen(x, w);
        return fg::cond(
            x < 1.0, [&] { return slope(y * x, x); }, [&] { return slope(y, w); });
      },
      [&](number x, number w) {
        const number y = chosen(x, w), dx = slope(y * x, x), dw = slope(y, w);
        return fg::cond(
            x < 1.0, [&] { return dx; }, [&] { return dw; });
      })
      .check(2);
}

TEST_CASE("of a loop in a branch that stands outside, in a branch in a loop") {
  const auto chosen = [](number x, number w) {
    return fg::cond(
        x < w, [&] { return in_loop(x, 2, [&](number b, auto) { return fg::tanh(b * w); }); }, [&] { return x * w; });
  };
  same_function(
      [&](number x, number w) {
        const number y = chosen(x, w);
        return in_loop(x, 2, [&](number a, auto) {
          return fg::cond(
              a < 1.0, [&] { return a * 0.5 + slope(y * a, w); }, [&] { return slope(y, x) - a; });
        });
      },
      [&](number x, number w) {
        const number y = chosen(x, w), dx = slope(y, x), dw = slope(y, w);
        return in_line(x, 2, [&](number a, int) {
          return fg::cond(
              a < 1.0, [&] { return a * 0.5 + dw * a; }, [&] { return dx - a; });
        });
      })
      .check(1);
}

TEST_CASE("gradients of gradients, both in the body") {
  same_function(
      [](number x, number w) {
        return in_loop(x, 2, [&](number a, auto) { return a * 0.5 + slope(slope(fg::tanh(a * w), a) * w, w); });
      },
      [](number x, number w) {
        return in_line(x, 2, [&](number a, int) {
          const number own = fg::identity(w);
          return a * 0.5 + slope(slope(fg::tanh(a * own), a) * own, own);
        });
      })
      .check(1);
}

TEST_CASE("the rows of a Jacobian, in map_fn") {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {fg::any});
  const auto y = fg::tanh(x) * fg::sum(x);
  const auto jacobian = fg::map_fn([&](fg::out<double> row) { return fg::out<double>(fg::gradients(row, x)); }, y);
  const number total = fg::sum(jacobian * jacobian);
  const fg::out<double> slopes = fg::gradients(total, x);
  fg::session s{g};
  const std::vector<double> at{0.3, -0.7, 1.1};
  const auto found = s.run(fg::fetch(jacobian), {{x, ops_test::vector<double>({0.3, -0.7, 1.1})}});
  double sum = 0.3 - 0.7 + 1.1;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double t = std::tanh(at[i]);
      CHECK(found.data()[i * 3 + j] == doctest::Approx(t + (i == j ? (1 - t * t) * sum : 0)));
    }
  const double h = 1e-6;
  const auto second = s.run(fg::fetch(slopes), {{x, ops_test::vector<double>({0.3, -0.7, 1.1})}});
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> up = at, down = at;
    up[k] += h, down[k] -= h;
    const double after = s.run(fg::fetch(total), {{x, ops_test::vector<double>({up[0], up[1], up[2]})}}).scalar();
    const double before = s.run(fg::fetch(total), {{x, ops_test::vector<double>({down[0], down[1], down[2]})}}).scalar();
    CHECK(second.data()[k] == doctest::Approx((after - before) / (2 * h)).epsilon(1e-6));
  }
}

TEST_CASE("through arrays that stand outside of the loop: each iteration has gradients of its own") {
  fg::graph g;
  const auto x = g.placeholder<double>("x", {fg::any, 2});
  const auto w = g.placeholder<double>("w", {2});
  // y[i] = sum of tanh(x[i] * w) and of the totals so far; of maps in maps.
  const auto mapped = fg::map_fn(
      [&](fg::out<double> row) { return fg::sum(fg::map_fn([&](fg::out<double> one) { return fg::tanh(one) * one; }, row * w)); },
      x);
  const auto y =
      fg::scan([](fg::out<double> total, fg::out<double> one) { return total * 0.5 + one * one; }, mapped, g.constant(0.0));
  const auto by_w = fg::map_fn([&](fg::out<double> one) { return fg::out<double>(fg::gradients(one * one, w)); }, y);
  fg::out_list<double> rows;
  for (int i = 0; i < 3; ++i) {
    const number one = fg::gather(y, g.constant(i));
    rows.push_back(fg::gradients(one * one, w));
  }
  const number total = fg::sum(by_w * by_w);
  const number expected = fg::sum(rows[0] * rows[0]) + fg::sum(rows[1] * rows[1]) + fg::sum(rows[2] * rows[2]);
  const fg::out<double> second = fg::gradients(total, w), expected_second = fg::gradients(expected, w);
  const auto of_x = ops_test::counting<double>({3, 2});
  const auto of_w = ops_test::vector<double>({0.3, -0.2});
  for (const bool dynamic : {false, true}) {
    fg::thread_pool four(4);
    for (fg::thread_pool* pool : {static_cast<fg::thread_pool*>(nullptr), &four}) {
      fg::session s{g, {.pool = pool, .dynamic = dynamic}};
      const auto [found, a, b, c, f2, e2] =
          s.run(fg::fetch(by_w, rows[0], rows[1], rows[2], second, expected_second), {{x, of_x}, {w, of_w}});
      for (int j = 0; j < 2; ++j) {
        CHECK(found.data()[j] == doctest::Approx(a.data()[j]));
        CHECK(found.data()[2 + j] == doctest::Approx(b.data()[j]));
        CHECK(found.data()[4 + j] == doctest::Approx(c.data()[j]));
        CHECK(f2.data()[j] == doctest::Approx(e2.data()[j]));
      }
      auto step = s.prepare(fg::feed(x, w), fg::fetch(second));
      CHECK(ops_test::same_bits<double>(step(of_x, of_w), f2));
    }
  }
}

TEST_CASE("what a body does not see is refused with the reason") {
  const auto refused = [](auto build) {
    fg::graph g;
    const number x = g.placeholder<double>("x", {}), other = g.placeholder<double>("other", {});
    return refusal(g, [&] { build(x, other); });
  };
  const auto in_body = [](number x, auto f) { static_cast<void>(in_loop(x, 2, [&](number a, auto) { return f(a); })); };
  using ops_test::says;
  CHECK(says(refused([&](number x, number) { in_body(x, [&](number a) { return slope(a * a, x); }); }),
             "only by a variable of the loop around ('while/Merge_1')"));
  CHECK(says(refused([&](number x, number other) { in_body(x, [&](number a) { return slope(a * a, other); }); }),
             "does not depend on 'other'"));
  const auto inside_of = [&](number x) {
    number inside;
    in_body(x, [&](number a) { return inside = a * 0.5; });
    return inside;
  };
  CHECK(says(refused([&](number x, number) { static_cast<void>(slope(inside_of(x), x)); }), "is inside of loop 'while'"));
  CHECK(says(refused([&](number x, number) { static_cast<void>(slope(x * x, inside_of(x))); }), "is inside of loop 'while'"));
}

TEST_CASE("of a loop that stands outside, in a branch") {
  const auto outer = [](number x, number w) { return in_loop(x, 3, [&](number b, auto) { return fg::tanh(b * w) + b * 0.3; }); };
  same_function(
      [&](number x, number w) {
        const number y = outer(x, w);
        return fg::cond(
            x < 1.0, [&] { return slope(y, w); }, [&] { return y * w; });
      },
      [&](number x, number w) {
        const number y = outer(x, w), dw = slope(y, w);
        return fg::cond(
            x < 1.0, [&] { return dw; }, [&] { return y * w; });
      })
      .check(1);
}
