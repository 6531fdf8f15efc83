// Works that go round: loops made of Enter, Merge, Switch, NextIteration and Exit, as they stand in files.

#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/division.hpp>

#include "values.hpp"
#include "works.hpp"

namespace bench {

namespace {

constexpr std::int32_t iterations = 10'000;

// One variable of a loop under construction: what enters is merged with what comes round.
template <class T> struct loop_variable {
  fg::out<T> merged;

  explicit loop_variable(fg::out<T> initial) {
    const fg::out<T> entered = fg::apply(fg::enter_op{.frame_name = "loop"}, initial);
    merged = fg::merge({entered, entered}).value;
  }
  // Where it is read in the body, and where it leaves the loop.
  std::pair<fg::out<T>, fg::out<T>> branch(fg::out<bool> condition) const {
    const fg::switched<T> side = fg::switch_(merged, condition);
    return {side.if_true, fg::apply(fg::exit_op{}, side.if_false)};
  }
  void close(fg::graph g, fg::out<T> next) const { g.set_back_edge(merged.source, 1, fg::apply(fg::next_iteration_op{}, next)); }
};

template <class T> fg::out<T> invariant(fg::out<T> value) {
  return fg::apply(fg::enter_op{.frame_name = "loop", .is_constant = true}, value);
}

fg::out<bool> goes_on(fg::out<std::int32_t> i, fg::graph g) {
  return fg::apply(fg::loop_cond_op{}, i < invariant(g.constant(iterations)));
}

// i = i + 1, from x.
fg::out<float> counter(fg::graph g, fg::out<float> x) {
  const loop_variable<std::int32_t> i(fg::cast<std::int32_t>(x));
  const auto [inside, done] = i.branch(goes_on(i.merged, g));
  i.close(g, inside + invariant(g.constant(std::int32_t{1})));
  return fg::cast<float>(done);
}

// Runs a loop over a counter and a number, and returns the last number.
template <class T, class Body> fg::out<float> repeated(fg::graph g, fg::out<float> x, T initial, Body&& body) {
  const loop_variable<std::int32_t> i(fg::cast<std::int32_t>(x));
  const loop_variable<T> a(g.constant(initial));
  const auto condition = goes_on(i.merged, g);
  i.close(g, i.branch(condition).first + invariant(g.constant(std::int32_t{1})));
  const auto [inside, done] = a.branch(condition);
  a.close(g, body(inside, [&](T value) { return invariant(g.constant(value)); }));
  return fg::cast<float>(done);
}

fg::out<float> collatz(fg::graph g, fg::out<float> x) {
  return repeated(g, x, std::int64_t{27}, [](auto n, auto number) {
    const auto is_even = fg::equal(fg::floor_mod(n, number(2)), number(0));
    return fg::select(is_even, fg::floor_div(n, number(2)), n * number(3) + number(1));
  });
}
// Newton's method for the square root of 2.
fg::out<float> newton(fg::graph g, fg::out<float> x) {
  return repeated(g, x, 1.0, [](auto a, auto number) { return (a + number(2) / a) * number(0.5); });
}
// A linear congruential generator.
fg::out<float> congruence(fg::graph g, fg::out<float> x) {
  return repeated(g, x, std::int64_t{1},
                  [](auto a, auto number) { return fg::floor_mod(a * number(48'271), number(2'147'483'647)); });
}
// A body of randomly chosen ops.
fg::out<float> drawn(fg::graph g, fg::out<float> x) {
  return repeated(g, x, 0.5f, [](auto a, auto number) {
    const auto b = fg::maximum(a * number(1.5f), number(1) - a), c = b - a * a;
    return fg::select(c < number(0.25f), b * number(0.5f), fg::minimum(c, number(0.75f)));
  });
}

// a = a W + B, from x.
fg::out<float> accumulate(fg::graph g, fg::out<float> x) {
  const auto w = invariant(g.constant(fill(1, {64, 64}, 0.125)));
  const auto b = invariant(g.constant(fill(2, {64, 64})));
  const loop_variable<std::int32_t> i(g.constant(std::int32_t{0}));
  const loop_variable<float> a(x);
  const auto condition = goes_on(i.merged, g);
  i.close(g, i.branch(condition).first + invariant(g.constant(std::int32_t{1})));
  const auto [inside, done] = a.branch(condition);
  a.close(g, fg::matmul(inside, w) + b);
  return done;
}

// The same products without a loop, a tenth as many.
constexpr std::int32_t products = iterations / 10;
fg::out<float> written_out(fg::graph g, fg::out<float> x) {
  const auto w = g.constant(fill(1, {64, 64}, 0.125)), b = g.constant(fill(2, {64, 64}));
  for (std::int32_t i = 0; i < products; ++i) x = fg::matmul(x, w) + b;
  return x;
}

void run(const options& o, std::string_view name, fg::out<float> (*build)(fg::graph, fg::out<float>), const fg::shape& shape,
         int per = iterations) {
  const auto pool = make_pool(o);
  const fg::tensor<float> zeros(shape);
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    fg::graph g;
    const auto x = g.placeholder<float>("x", is_dynamic(variant) ? fg::shape::unknown() : shape);
    const auto y = build(g, x);
    fg::session session{g, {.pool = pool.get(), .dynamic = is_dynamic(variant)}};
    const subject s{.variant = variant, .work = name, .unit = "ns/iteration", .per = static_cast<double>(per)};
    if (is_dynamic(variant)) {
      auto step = [&] { return session.run(fg::fetch(y), {{x, zeros}}); };
      measure(o, s, mean_magnitude(step()), [&] { step(); });
    } else {
      auto step = session.prepare(fg::feed(x), fg::fetch(y));
      measure(o, s, mean_magnitude(step(zeros)), [&] { step(zeros); });
    }
  }
}

constexpr work works[] = {
    {"while_loop",
     [](const options& o, std::string_view w) {
       run(o, w, accumulate, {64, 64});
     }},
    {"while_written_out",
     [](const options& o, std::string_view w) {
       run(o, w, written_out, {64, 64}, products);
     }},
    {"while_counter", [](const options& o, std::string_view w) { run(o, w, counter, {}); }},
    {"while_collatz", [](const options& o, std::string_view w) { run(o, w, collatz, {}); }},
    {"while_newton", [](const options& o, std::string_view w) { run(o, w, newton, {}); }},
    {"while_congruence", [](const options& o, std::string_view w) { run(o, w, congruence, {}); }},
    {"while_drawn", [](const options& o, std::string_view w) { run(o, w, drawn, {}); }},
};

}  // namespace

std::span<const work> loop_works() { return works; }

}  // namespace bench
