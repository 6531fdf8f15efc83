#include <flowgraph/passes/arithmetic.hpp>

#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/math/bitwise.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/complex.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include <cstring>
#include <limits>

#include "drafted.hpp"

using namespace engine;

namespace {

// Numbers that laws of arithmetic like to change.
template <class T> fg::tensor<T> hard_numbers() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)
    return {{8},
            {T(0), -T(0), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), -limits::quiet_NaN(),
             limits::denorm_min(), limits::lowest()}};
  else return {{4}, {T(0), T(1), limits::max(), limits::lowest()}};
}

template <class T> struct law {
  fg::graph g;
  fg::tensor<T> numbers = hard_numbers<T>();
  fg::out<T> x = g.placeholder<T>("x", numbers.shape());

  fg::out<T> scalar(T v) { return g.constant(v); }
  // How many nodes go of y, whose last node is read by an identity that is fetched.
  template <class U> std::size_t changed(const fg::out<U>& y, const fg::pass_options& options = {}) {
    const auto end = fg::identity(y);
    return passed(fg::passes::arithmetic, g, {x}, {end}, {}, options).changed;
  }
  // It goes, and every bit is as before.
  template <class U> void check_exact(const fg::out<U>& y) {
    CHECK(changed(y) >= 1);
    check_same_with_passes(g, {fg::identity(y)}, {{x, numbers}});
  }
};

}  // namespace

TEST_CASE_TEMPLATE("arithmetic: what a number does not change", T, float, double, std::int32_t, std::int64_t) {
  law<T> m;
  m.check_exact(m.x * m.scalar(T(1)));
  m.check_exact(m.scalar(T(1)) * m.x);
  m.check_exact(m.x - m.scalar(T(0)));
  m.check_exact(m.x + m.scalar(std::is_floating_point_v<T> ? -T(0) : T(0)));
  m.check_exact(m.x * m.g.constant(fg::tensor<T>({1}, {T(1)})));
  CHECK(m.changed(m.x * m.scalar(T(2))) == 0);
  CHECK(m.changed(m.x - m.scalar(T(1))) == 0);
  CHECK(m.changed(m.scalar(T(0)) - m.x) == 0);
  // The constant would broadcast.
  CHECK(m.changed(m.x * m.g.constant(fg::tensor<T>({1, 1}, {T(1)}))) == 0);
}

TEST_CASE("arithmetic: quotients by one") {
  law<float> m;
  m.check_exact(m.x / m.scalar(1.f));
  CHECK(m.changed(m.scalar(1.f) / m.x) == 0);
  law<std::int32_t> n;
  n.check_exact(fg::apply(fg::div_op{}, n.x, n.scalar(1)));
}

TEST_CASE("arithmetic: a sum with zero changes the sign of -0, so it goes with fast_math alone") {
  law<float> m;
  const auto y = m.x + m.scalar(0.f);
  CHECK(m.changed(y) == 0);
  CHECK(m.changed(y, {.fast_math = true}) == 1);
  CHECK(m.changed(m.x - m.scalar(-0.f)) == 0);
  CHECK(m.changed(m.x - m.scalar(-0.f), {.fast_math = true}) == 1);
  const auto bits = [&](const fg::pass_options& passes) {
    const float found = fg::session{m.g, {.passes = passes}}.run(fg::fetch(y), {{m.x, m.numbers}})[1];
    return std::signbit(found);
  };
  CHECK_FALSE(bits({.further = {fg::passes::arithmetic}}));
}

TEST_CASE("arithmetic: twice is not at all") {
  law<float> m;
  m.check_exact(-(-m.x));
  CHECK(m.changed(-m.x) == 0);
  law<std::int32_t> n;
  n.check_exact(-(-n.x));
  n.check_exact(fg::apply(fg::invert_op{}, fg::apply(fg::invert_op{}, n.x)));
  CHECK(n.changed(-fg::apply(fg::invert_op{}, n.x)) == 0);
  const auto asked = less(m.x, m.scalar(1.f));
  m.check_exact(fg::logical_not(fg::logical_not(asked)));
}

TEST_CASE("arithmetic: a cast to a type that has every value, and back") {
  law<float> m;
  m.check_exact(fg::cast<float>(fg::cast<double>(m.x)));
  CHECK(m.changed(fg::cast<float>(fg::cast<std::int32_t>(m.x))) == 0);
  law<double> d;
  CHECK(d.changed(fg::cast<double>(fg::cast<float>(d.x))) == 0);
  law<std::int32_t> n;
  n.check_exact(fg::cast<std::int32_t>(fg::cast<std::int64_t>(n.x)));
  n.check_exact(fg::cast<std::int32_t>(fg::cast<double>(n.x)));
  CHECK(n.changed(fg::cast<std::int32_t>(fg::cast<float>(n.x))) == 0);
  CHECK(n.changed(fg::cast<std::int32_t>(fg::cast<std::uint32_t>(n.x))) == 0);
  CHECK(n.changed(fg::cast<std::int64_t>(fg::cast<std::int64_t>(n.x))) == 0);
}

TEST_CASE("arithmetic: transposes that cancel") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2, 3, 4});
  const auto there = fg::transpose(x, {1, 2, 0});
  const auto changed = [&](const fg::out<float>& y) { return passed(fg::passes::arithmetic, g, {x}, {fg::identity(y)}).changed; };
  const auto back = fg::transpose(there, {2, 0, 1}), counted_back = fg::transpose(there, {-1, 0, 1});
  CHECK(changed(back) == 1);
  CHECK(changed(counted_back) == 1);
  CHECK(changed(fg::transpose(there, {1, 2, 0})) == 0);
  CHECK(changed(fg::transpose(x, {0, 1, 2})) == 1);
  CHECK(changed(there) == 0);
  fg::tensor<float> value(fg::shape{2, 3, 4});
  for (std::size_t i = 0; i < 24; ++i) value.writable()[i] = static_cast<float>(i);
  check_same_with_passes(g, {fg::identity(back), fg::identity(counted_back), fg::transpose(there, {1, 2, 0})}, {{x, value}});
  // The first one goes, too, unless somebody reads it.
  CHECK(passed(fg::passes::arithmetic, g, {x}, {add(back, x, {"end"})}).names() == all_names{"x", "end"});
  CHECK(passed(fg::passes::arithmetic, g, {x}, {add(back, x), there}).made.size() == 4);
}

TEST_CASE("arithmetic: reshapes") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2, 3});
  const auto y = fg::reshape(fg::reshape(x, {6}, {"first"}), {3, 2}, {"second"});
  const passed p(fg::passes::arithmetic, g, {x}, {y});
  CHECK(p.changed == 1);
  CHECK(p.name_of_input("second") == "x");
  for (const draft_node& n : p.made) CHECK(n.name != "first");
  const auto same = fg::identity(fg::reshape(y, {2, 3}));
  CHECK(passed(fg::passes::arithmetic, g, {x}, {same}).names().size() == 2);
  check_same_with_passes(g, {y, same}, {{x, fg::tensor<float>({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f})}});
  // A shape that is open may be another one.
  const auto z = g.placeholder<float>("z", {fg::any});
  CHECK(passed(fg::passes::arithmetic, g, {z}, {fg::identity(fg::reshape(z, {6}))}).changed == 0);
}

TEST_CASE("arithmetic: a reduction over no axis") {
  law<float> m;
  const auto nothing = m.g.constant(fg::tensor<std::int32_t>(fg::shape{0}));
  m.check_exact(fg::max(m.x, nothing));
  m.check_exact(fg::prod(m.x, nothing));
  // A sum begins with 0.
  CHECK(m.changed(fg::sum(m.x, nothing)) == 0);
  CHECK(m.changed(fg::sum(m.x, nothing), {.fast_math = true}) == 1);
  CHECK(m.changed(fg::mean(m.x, nothing)) == 0);
  CHECK(m.changed(fg::max(m.x, 0)) == 0);
  check_same_with_passes(m.g, {fg::identity(fg::sum(m.x, nothing)), fg::identity(fg::mean(m.x, nothing))}, {{m.x, m.numbers}});
  law<std::int32_t> n;
  const auto none = n.g.constant(fg::tensor<std::int32_t>(fg::shape{0}));
  n.check_exact(fg::sum(n.x, none));
  n.check_exact(fg::min(n.x, none));
}

TEST_CASE("arithmetic: where more than the value matters, a node stays") {
  law<float> m;
  const auto y = m.x * m.scalar(1.f);
  CHECK(passed(fg::passes::arithmetic, m.g, {m.x}, {y}).changed == 0);
  const auto after = [&] {
    auto order = m.g.after(y);
    return m.x + m.x;
  }();
  CHECK(passed(fg::passes::arithmetic, m.g, {m.x}, {after + y}).changed == 0);
  // A variable is read at its place in the order.
  auto v = m.g.variable("v", m.numbers);
  const auto before = fg::out<float>(v) * m.scalar(1.f);
  const auto write = fg::assign_add(v, m.x);
  CHECK(passed(fg::passes::arithmetic, m.g, {m.x}, {fg::identity(before)}, {write}).changed == 0);
  // Colocated nodes stay where there are several devices.
  drafted_graph spread(m.g, {m.x}, {fg::identity([&] {
                         auto with = m.g.colocate_with(m.x);
                         return m.x * m.scalar(1.f);
                       }())});
  const fg::pass_options options;
  fg::pass_report report;
  fg::detail::pass_call call{options, [](const draft_node&, std::vector<fg::any_tensor>&) { return fg::error(); }, report};
  const fg::further_pass& pass = fg::passes::arithmetic;
  CHECK(pass.run(pass, spread.made, call) == 0);
  spread.made.is_spread = false;
  CHECK(pass.run(pass, spread.made, call) == 1);
}
