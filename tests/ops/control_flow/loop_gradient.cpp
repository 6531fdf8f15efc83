// Gradients of loops, conditions and whatever nests in them, up to the third order, against central differences.

#include <flowgraph/ops/control_flow/control_flow.hpp>

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/fold.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/runtime/session.hpp>

#include "../evaluate.hpp"

namespace {

using number = fg::out<double>;

// A function of two numbers, and its derivatives by graph.
class derivatives {
public:
  template <class F> explicit derivatives(F build) : y(build(x, w)) {}

  fg::graph g;
  number x = g.placeholder<double>("x", {}), w = g.placeholder<double>("w", {});
  number y;

  double at(const number& what, double x_value, double w_value, fg::thread_pool* pool = nullptr) const {
    fg::session s{g, {.pool = pool}};
    return s.run(fg::fetch(what), {{x, x_value}, {w, w_value}}).scalar();
  }

  // Of `what` by x and by w: equal to the differences; then of these, `order` times in all.
  void check(const number& what, int order) const {
    const auto [by_x, by_w] =
        fg::gradients({}, {.allow_none = true}, what, x, w);  // of a product by one factor there is no second
    const number dx = by_x.is_none() ? x * 0.0 : number(by_x), dw = by_w.is_none() ? x * 0.0 : number(by_w);
    for (const auto& [x_value, w_value] : {std::pair{0.9, 1.5}, {1.7, -0.6}}) {
      CAPTURE(order);
      CAPTURE(x_value);
      const double h = 1e-5;
      const double slope_x = (at(what, x_value + h, w_value) - at(what, x_value - h, w_value)) / (2 * h);
      const double slope_w = (at(what, x_value, w_value + h) - at(what, x_value, w_value - h)) / (2 * h);
      CHECK(at(dx, x_value, w_value) == doctest::Approx(slope_x).epsilon(1e-6));
      CHECK(at(dw, x_value, w_value) == doctest::Approx(slope_w).epsilon(1e-6));
      fg::thread_pool pool(3);
      CHECK(at(dx, x_value, w_value, &pool) == at(dx, x_value, w_value));
    }
    if (order == 1) return;
    if (!by_x.is_none()) check(dx, order - 1);
    if (!by_w.is_none()) check(dw, order - 1);
  }
};

// `count` times a = body(a, i).
template <class F> number repeat(number a, int count, F body, fg::while_options o = {}) {
  const fg::out<std::int32_t> zero = fg::cast<std::int32_t>(a * 0.0);
  return std::get<1>(fg::while_loop(
      std::tuple{zero, a}, [&](auto i, auto) { return i < count; },
      [&](auto i, auto v) {
        return std::tuple{i + 1, body(v, i)};
      },
      o));
}

}  // namespace

TEST_CASE("a loop: what it carries and what it takes from outside, to the third order") {
  derivatives d([](number x, number w) { return repeat(x, 3, [&](number a, auto) { return fg::tanh(a * w) + a * a * 0.3; }); });
  d.check(d.y, 3);
}

TEST_CASE("a loop that runs not once hands its gradient on") {
  derivatives d([](number x, number w) { return repeat(x, 0, [&](number a, auto) { return a * w; }) * w; });
  d.check(d.y, 2);
}

TEST_CASE("a loop in a loop") {
  derivatives d([](number x, number w) {
    return repeat(
        x, 3, [&](number a, auto) { return repeat(a, 2, [&](number b, auto) { return fg::tanh(b * w) + a * b * 0.2; }) * a; });
  });
  d.check(d.y, 2);
}

TEST_CASE("the inner loop runs another number of times in each iteration") {
  derivatives d([](number x, number w) {
    return repeat(x, 4, [&](number a, fg::out<std::int32_t> i) {
      return std::get<1>(fg::while_loop(
                 std::tuple{i, a}, [](auto j, auto) { return j > 0; },
                 [&](auto j, auto b) {
                   return std::tuple{j - 1, fg::tanh(b + w) * 0.7};
                 })) +
             a * 0.5;
    });
  });
  d.check(d.y, 2);
}

TEST_CASE("a branch in a loop, also one that is taken in some iterations only") {
  derivatives d([](number x, number w) {
    return repeat(x, 4, [&](number a, auto) {
      return fg::cond(
          a > 1.0, [&] { return a * w * 0.3 + a * 0.4; }, [&] { return fg::tanh(a * w) + a; });
    });
  });
  d.check(d.y, 2);
}

TEST_CASE("branches in branches in a loop, and a loop in a branch") {
  derivatives d([](number x, number w) {
    return repeat(x, 4, [&](number a, fg::out<std::int32_t> i) {
      return fg::cond(
          i < 2,
          [&] {
            return fg::cond(
                a < w, [&] { return a * a * 0.5; }, [&] { return fg::tanh(a) * w; });
          },
          [&] { return repeat(a, 2, [&](number b, auto) { return fg::tanh(b + w); }); });
    });
  });
  d.check(d.y, 2);
}

TEST_CASE("a condition outside of loops: the side that is not taken gives zero") {
  derivatives d([](number x, number w) {
    return fg::cond(
        x < w, [&] { return x * x; }, [&] { return repeat(w, 2, [&](number a, auto) { return a * x; }); });
  });
  d.check(d.y, 2);
}

TEST_CASE("several variables that feed each other, and one that no gradient needs") {
  derivatives d([](number x, number w) {
    auto [i, a, b, c] = fg::while_loop(
        std::tuple{x * 0.0, x, w, x}, [](auto k, auto, auto, auto) { return k < 3.0; },
        [](auto k, auto u, auto v, auto t) {
          return std::tuple{k + 1.0, fg::tanh(v), u * v + 0.1 * u, t * 2.0};
        });
    return a * b;
  });
  d.check(d.y, 2);
}

TEST_CASE("what a loop goes on for may depend on what it computes") {
  derivatives d([](number x, number w) {
    return fg::while_loop(
        x, [](number a) { return a < 20.0; }, [&](number a) { return a * a * 0.5 + a + fg::abs(w) + 1.0; });
  });
  d.check(d.y, 2);
}

TEST_CASE("a loop of products of matrices: equal to the same written out, for every number of iterations that may overlap") {
  for (const int parallel : {1, 2, 10}) {
    fg::graph g;
    auto x = g.placeholder<float>("x", {2, 3}), w = g.placeholder<float>("w", {3, 3});
    const auto step = [&](fg::out<float> a) { return fg::tanh(fg::matmul(a, w)); };
    auto [i, y] = fg::while_loop(
        std::tuple{g.constant(0), x}, [](auto k, auto) { return k < 5; },
        [&](auto k, auto a) {
          return std::tuple{k + 1, step(a)};
        },
        {.parallel_iterations = parallel});
    fg::out<float> unrolled = x;
    for (int k = 0; k < 5; ++k) unrolled = step(unrolled);
    const auto [dx, dw] = fg::gradients(fg::sum(y), x, w);
    const auto [ex, ew] = fg::gradients(fg::sum(unrolled), x, w);
    fg::thread_pool pool(3);
    for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
      fg::session s{g, {.pool = p}};
      const auto [ax, aw, bx, bw] =
          s.run(fg::fetch(fg::out<float>(dx), fg::out<float>(dw), fg::out<float>(ex), fg::out<float>(ew)),
                {{x, ops_test::counting<float>({2, 3})}, {w, ops_test::counting<float>({3, 3})}});
      for (std::size_t k = 0; k < ax.size(); ++k) CHECK(ax[k] == doctest::Approx(bx[k]));
      for (std::size_t k = 0; k < aw.size(); ++k) CHECK(aw[k] == doctest::Approx(bw[k]));
    }
  }
}

TEST_CASE("a history of many iterations is let go without recursion") {
  fg::graph g;
  auto x = g.placeholder<double>("x", {});
  const number y = repeat(x, 200'000, [](number a, auto) { return a * 0.99999 + 1e-6 * a * a; });
  const number dx = fg::gradients(y, x);
  fg::session s{g};
  CHECK(s.run(fg::fetch(dx), {{x, 0.5}}).scalar() > 0);
}

TEST_CASE("without back propagation the walk ends at the loop") {
  fg::graph g;
  auto x = g.placeholder<double>("x", {});
  const number y = repeat(x, 3, [](number a, auto) { return a * 2.0; }, {.back_prop = false});
  const number dx = fg::gradients(y * x, x);
  fg::session s{g};
  CHECK(s.run(fg::fetch(dx), {{x, 1.0}}).scalar() == 8.0);
}

namespace {

// tanh(tanh(x)), by a loop. If `dense`, the gradient of a lookup in the result arrives as a dense tensor at the loop.
number bent(const number& x, bool dense) {
  const auto count = fg::constant(fg::graph_of(*x.source), fg::tensor<std::int32_t>(2));
  const number y = fg::for_range(0, count, x, [](auto, const number& a) { return fg::tanh(a); });
  return dense ? y * 1.0 : y;
}

// Builds f(x, ids, dense), and compares the gradient of slices with that of a dense tensor.
template <class F> void check_lookup(F f) {
  fg::graph g;
  const number x = g.placeholder<double>("x", {3});
  const auto ids = g.constant(ops_test::vector<std::int32_t>({1, 1}));
  const number slices = fg::gradients(fg::sum(f(x, ids, false)), x), dense = fg::gradients(fg::sum(f(x, ids, true)), x);
  for (const bool dynamic : {false, true}) {
    fg::session s{g, {.dynamic = dynamic}};
    auto step = s.prepare(fg::feed(x), fg::fetch(slices, dense));
    for (const double scale : {1.0, 2.0}) {
      const auto [found, expected] = step(ops_test::vector<double>({0.1 * scale, 0.2 * scale, 0.3 * scale}));
      REQUIRE(found.shape() == fg::shape{3});
      for (std::size_t i = 0; i < 3; ++i) CHECK(found[i] == doctest::Approx(expected[i]));
    }
  }
}

}  // namespace

TEST_CASE("a lookup in the result of a loop: slices arrive at the Exit") {
  using indices = fg::out<std::int32_t>;
  check_lookup([](const number& x, const indices& ids, bool dense) { return fg::gather(bent(x, dense), ids); });
  check_lookup([](const number& x, const indices& ids, bool dense) {
    const number y = bent(x, dense);
    return fg::gather(y, ids) + fg::gather(y, ids + 1);
  });
  check_lookup([](const number& x, const indices& ids, bool dense) {
    const number y = fg::foldl([](auto a, auto row) { return a * row; }, fg::reshape(x, fg::shape{3, 1}), x);
    return fg::gather(dense ? y * 1.0 : y, ids);
  });
  check_lookup([](const number& x, const indices& ids, bool dense) {
    const auto count = fg::constant(fg::graph_of(*x.source), fg::tensor<std::int32_t>(2));
    return fg::for_range(0, count, x, [&](auto, const number& a) {
      return fg::concat({fg::gather(bent(a, dense), ids), fg::slice(a, {0}, {1})}, 0);
    });
  });
  check_lookup([](const number& x, const indices& ids, bool dense) {
    return fg::cond(
        fg::sum(x) > 0.0, [&] { return fg::gather(bent(x, dense), ids); }, [&] { return fg::slice(x, {0}, {2}); });
  });
}

TEST_CASE("a loop: stopped handles inside, before and after it") {
  fg::graph g;
  const number x = g.placeholder<double>("x", {}), before = x * 2.0;
  number inside;
  const number y = repeat(before, 3, [&](number a, auto) {
    inside = a;
    return a * x;
  });
  const number loss = y * x;  // 2 x^5
  const auto by = [&](const number& wanted, std::initializer_list<number> stopped) {
    const std::vector<fg::any_out> stop(stopped.begin(), stopped.end());
    return number(fg::gradients(loss, wanted, {.stop = stop}));
  };
  fg::session s{g};
  const auto at_two = [&](const number& slope) { return s.run(fg::fetch(slope), {{x, 2.0}}).scalar(); };
  CHECK(at_two(by(x, {})) == 160);
  CHECK(at_two(by(before, {before})) == 16);  // x^4
  CHECK(at_two(by(x, {before, x})) == 128);   // 4 before x^3
  CHECK(at_two(by(y, {y})) == 2);
  CHECK(at_two(by(x, {y})) == 32);
  CHECK(at_two(by(x, {inside})) == 32 + 2 * 16);  // of the loop, only the last product: before x^2 x
}
