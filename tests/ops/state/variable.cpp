#include <flowgraph/ops/state/variable.hpp>

#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

namespace {

fg::tensor<float> floats(std::initializer_list<float> values) { return {{values.size()}, values}; }

}  // namespace

TEST_CASE("a variable is read wherever its handle is used, and keeps its value from run to run") {
  fg::graph g;
  auto w = g.variable("w", floats({1, 2}));
  auto y = fg::assign_add(w, g.constant(floats({10, 20})));
  fg::session s{g};
  s.initialize();
  CHECK(s.run(fg::fetch(w))[1] == 2.f);
  CHECK(s.run(fg::fetch(y))[1] == 22.f);
  CHECK(s.run(fg::fetch(y))[1] == 42.f);
  CHECK(s.run(fg::fetch(w))[0] == 21.f);
}

TEST_CASE("nodes of a variable are named as in TensorFlow, and wait for no control scope") {
  fg::graph g;
  auto gate = g.placeholder<float>("gate", {});
  auto in = g.in_scope("layer");
  auto after = g.after(gate);
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto again = g.variable("w", fg::zeros<float>({2}));
  CHECK(w.name() == "layer/w");
  CHECK(w.initializer->name == "layer/w/Assign");
  CHECK(again.name() == "layer/w_1");
  CHECK(again.initializer->name == "layer/w_1/Assign");
  fg::session s{g};
  s.initialize();  // the gate is not fed
  CHECK(s.run(fg::fetch(fg::is_initialized(w)), {{gate, 0.f}}).scalar());
}

TEST_CASE("a fetched value stays what it was when the variable changes") {
  fg::graph g;
  auto w = g.variable("w", floats({1, 2, 3}));
  auto change = fg::assign_sub(w, g.constant(floats({1, 1, 1})));
  fg::session s{g};
  s.initialize();
  const fg::tensor<float> before = s.run(fg::fetch(w));
  s.run(change);
  CHECK(before[0] == 1.f);
  CHECK(s.run(fg::fetch(w))[0] == 0.f);
}

TEST_CASE("the sole owner is changed in place") {
  fg::graph g;
  auto w = g.variable("w", floats({1, 2, 3}));
  auto change = fg::assign_add(w, g.constant(floats({1, 1, 1})));
  fg::session s{g};
  s.initialize();
  s.run(change);  // the initial value belongs to the graph's constant: copied once
  const void* before = s.run(fg::fetch(w)).data();
  s.run(change);
  CHECK(s.run(fg::fetch(w)).data() == before);
}

TEST_CASE("Assign shares what it is given, but not memory of the caller") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto x = g.placeholder<float>("x", {2});
  auto set = fg::assign(w, x);
  fg::session s{g};
  const fg::tensor<float> owned = floats({3, 4});
  s.run(set, {{x, owned}});
  CHECK(s.run(fg::fetch(w)).data() == owned.data());

  float samples[] = {5, 6};
  s.run(set, {{x, fg::tensor<float>::borrow({2}, samples)}});
  samples[0] = 7;
  CHECK(s.run(fg::fetch(w))[0] == 5.f);
  CHECK(owned[0] == 3.f);
}

TEST_CASE("a prepared step that assigns keeps nothing of its arena") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto x = g.placeholder<float>("x", {2});
  auto set = fg::assign(w, x + x);
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x), fg::fetch(set));
  CHECK(step(floats({1, 2}))[1] == 4.f);
  const fg::tensor<float> first = s.run(fg::fetch(w));
  CHECK(step(floats({3, 4}))[1] == 8.f);
  CHECK(first[1] == 4.f);
  CHECK(s.run(fg::fetch(w))[0] == 6.f);
}

TEST_CASE("accesses that no edge orders happen in the order of creation; a fetch of the variable comes last") {
  fg::graph g;
  auto w = g.variable("w", floats({1}));
  auto before = fg::identity<float>(w);
  auto doubled = fg::assign_add(w, fg::identity<float>(w));
  auto between = fg::identity<float>(w);
  auto set = fg::assign(w, g.constant(floats({10})));
  auto after = fg::identity<float>(w);
  fg::session s{g};
  s.initialize();
  const auto [a, b, c, d, e, last] = s.run(fg::fetch(after, between, before, doubled, set, w));
  CHECK(c[0] == 1.f);
  CHECK(b[0] == 2.f);
  CHECK(a[0] == 10.f);
  CHECK(last[0] == 10.f);
  CHECK(d.size() + e.size() == 2);
}

TEST_CASE("a variable that has no value yet is named") {
  fg::graph g;
  auto w = g.variable("w", floats({1, 2}));
  auto y = w + w;
  auto more = fg::assign_add(w, g.constant(floats({1, 2})));
  fg::session s{g};
  CHECK_FALSE(s.run(fg::fetch(fg::is_initialized(w))).scalar());
  for (const fg::target& t : {fg::target(y), fg::target(more)}) {
    const auto result = s.try_run(t);
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == fg::error_code::failed_precondition);
    CHECK(result.error().message().find("'w'") != std::string_view::npos);
  }
  s.initialize();
  CHECK(s.run(fg::fetch(fg::is_initialized(w))).scalar());
}

TEST_CASE("a value of another shape is refused, and the variable left as it was") {
  fg::graph g;
  auto w = g.variable("w", floats({1, 2}));
  auto x = g.placeholder<float>("x", fg::shape::unknown());
  auto set = fg::assign(w, x);
  auto add = fg::assign_add(w, x);
  auto any = fg::apply(fg::assign_op{.validate_shape = false}, w, x);
  fg::session s{g};
  s.initialize();
  for (const fg::target& t : {fg::target(set), fg::target(add)}) {
    const auto result = s.try_run(t, {{x, floats({1, 2, 3})}});
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == fg::error_code::invalid_argument);
    CHECK(result.error().message().find("[2]") != std::string_view::npos);
    CHECK(result.error().message().find("[3]") != std::string_view::npos);
  }
  CHECK(s.run(fg::fetch(w))[1] == 2.f);
  s.run(any, {{x, floats({1, 2, 3})}});
  CHECK(s.run(fg::fetch(w)).size() == 3);
}

TEST_CASE("sessions with one container share its variables") {
  fg::container shared;
  fg::graph a, b;
  auto w = a.variable("w", floats({1, 2}));
  auto same = b.variable("w", fg::zeros<float>({2}));
  fg::session one{a, {.resources = &shared}}, other{b, {.resources = &shared}};
  one.initialize();
  CHECK(other.run(fg::fetch(same))[1] == 2.f);
  shared.clear();
  CHECK_FALSE(static_cast<bool>(one.try_run(fg::fetch(w))));
}

TEST_CASE("a shared variable that two graphs declare with different shapes is an error that names both") {
  fg::container shared;
  fg::graph a, b, open, scalar;
  auto w = a.variable("w", floats({1, 2}));
  const fg::out<float> longer = b.variable("w", floats({1, 2, 3})),
                       none = scalar.variable("w", fg::tensor<float>(fg::shape{}, {1})),
                       any = fg::apply_in<float>(open, fg::variable_v2_op{{fg::any}, {}, {}}, {.name = "w"});
  fg::session one{a, {.resources = &shared}}, other{b, {.resources = &shared}}, third{open, {.resources = &shared}},
      fourth{scalar, {.resources = &shared}};
  one.initialize();
  for (const auto& result : {other.try_run(fg::fetch(longer)), fourth.try_run(fg::fetch(none))}) {
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code() == fg::error_code::invalid_argument);
    CHECK(result.error().message().find("variable 'w' exists with shape [2], expected [") != std::string_view::npos);
    CHECK(result.error().node() == "w");
  }
  CHECK_FALSE(other.try_initialize());
  CHECK(third.run(fg::fetch(any))[1] == 2.f);
  CHECK(one.run(fg::fetch(w)).size() == 2);
}

TEST_CASE("strings and integers") {
  fg::graph g;
  auto name = g.variable("name", fg::constant<std::string>({2}, "x"));
  auto steps = g.variable("steps", fg::tensor<std::int64_t>(std::int64_t{41}));
  auto rename = fg::assign(name, g.constant(fg::tensor<std::string>({2}, {"a", "b"})));
  auto next = fg::assign_add(steps, g.constant(std::int64_t{1}));
  fg::session s{g};
  s.initialize();
  CHECK(s.run(fg::fetch(name))[1] == "x");
  CHECK(s.run(fg::fetch(rename))[1] == "b");
  CHECK(s.run(fg::fetch(next)).scalar() == 42);
}

TEST_CASE("initializers: values, shapes and bounds") {
  fg::graph g;
  auto z = g.variable("z", fg::zeros<float>({40, 50}));  // filled when it runs, not stored
  auto o = g.variable("o", fg::ones<std::int32_t>({3}));
  auto c = g.variable("c", fg::constant<double>({2}, 2.5));
  auto u = g.variable("u", fg::glorot_uniform<float>({30, 20}));
  auto n = g.variable("n", fg::he_normal<float>({3, 3, 8, 5}));
  auto v = g.variable("v", fg::initial_value<float>(u + u));
  fg::session s{g};
  s.initialize();
  const auto [tz, to, tc, tu, tn, tv] = s.run(fg::fetch(z, o, c, u, n, v));
  CHECK(tz.shape() == fg::shape{40, 50});
  CHECK(tz[1999] == 0.f);
  CHECK(to[2] == 1);
  CHECK(tc[1] == 2.5);
  const float bound = std::sqrt(6.f / 50), deviation = std::sqrt(2.f / 72) / .8796f;
  float largest = 0, smallest = 0;
  for (const float x : tu) {
    largest = std::max(largest, x);
    smallest = std::min(smallest, x);
  }
  CHECK(largest < bound);
  CHECK(largest > 0.9f * bound);
  CHECK(smallest >= -bound);
  CHECK(smallest < -0.9f * bound);
  for (const float x : tn) CHECK(std::abs(x) <= 2 * deviation);
  for (std::size_t i = 0; i < tv.size(); ++i) CHECK(tv[i] == 2 * tu[i]);
}

TEST_CASE("two graphs with one seed begin alike, two variables of one graph do not") {
  auto build = [](std::int64_t seed) {
    fg::graph g;
    g.set_seed(seed);
    auto a = g.variable("a", fg::glorot_uniform<float>({5}));
    auto b = g.variable("b", fg::glorot_uniform<float>({5}));
    fg::session s{g};
    s.initialize();
    return s.run(fg::fetch(a, b));
  };
  const auto [a, b] = build(1);
  const auto [a1, b1] = build(1);
  const auto [a2, b2] = build(2);
  CHECK(a[0] == a1[0]);
  CHECK(b[4] == b1[4]);
  CHECK(a[0] != b[0]);
  CHECK(a[0] != a2[0]);
}
