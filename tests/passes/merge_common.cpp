#include <flowgraph/passes/merge_common.hpp>

#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/random/random.hpp>

#include "drafted.hpp"

#include <limits>

using namespace engine;

namespace {

struct scaled_op {
  static constexpr std::string_view name = "Scaled";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  float by = 1;
  std::vector<std::int64_t> unused = {};
  std::string label = {};
  static constexpr auto attrs =
      fg::attrs(fg::attr("by", &scaled_op::by), fg::attr("unused", &scaled_op::unused), fg::attr("label", &scaled_op::label));
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] * by;
  }
};
// Its attribute holds a float of the double that it counts with.
struct precise_op {
  static constexpr std::string_view name = "Precise";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  double by = 1;
  static constexpr auto attrs = fg::attrs(fg::attr("by", &precise_op::by));
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>((x[i] * by - 1) * 1e9);
  }
};

// The draft after the pass.
struct merged : drafted_graph {
  fg::pass_report did;

  merged(const fg::graph& g, std::vector<fg::any_out> feeds, std::vector<fg::any_out> fetches,
         std::vector<fg::target> targets = {}, const fg::pass_options& options = {})
      : drafted_graph(g, std::move(feeds), std::move(fetches), std::move(targets)) {
    REQUIRE_FALSE(why);
    did = fg::detail::merge_common(made, options);
  }
};

struct two_of_each {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2}), z = g.placeholder<float>("z", {2});
  fg::out<float> a = fg::apply(add_op{}, x, z, {"a"}), b = fg::apply(add_op{}, x, z, {"b"});
  fg::tensor<float> ones{{2}, {1.f, 1.f}}, twos{{2}, {2.f, 2.f}};

  std::size_t count(fg::out<float> p, fg::out<float> q) { return merged(g, {x, z}, {p, q}).did.changed; }
};

}  // namespace

TEST_CASE("merge_common: the first of equal nodes stays, and what reads the others reads it") {
  two_of_each m;
  auto c = fg::apply(multiply_op{}, m.a, m.b, {"c"});
  auto d = fg::apply(multiply_op{}, m.b, m.a, {"d"});  // equal once a and b are one
  auto y = fg::apply(add_op{}, c, d, {"y"});
  const merged p(m.g, {m.x, m.z}, {y});
  CHECK(p.names() == all_names{"x", "z", "a", "c", "y"});
  CHECK(p.name_of_input("y", 1) == "c");
  CHECK(p.did.name == "merge_common");
  CHECK(p.did.changed == 2);
  check_same_with_passes(m.g, {y}, {{m.x, m.ones}, {m.z, m.twos}});
  // The order of inputs tells nodes apart, and the op.
  CHECK(m.count(m.a, fg::apply(add_op{}, m.z, m.x)) == 0);
  CHECK(m.count(m.a, fg::apply(multiply_op{}, m.x, m.z)) == 0);
}

TEST_CASE("merge_common: its switch") {
  two_of_each m;
  auto y = multiply(m.a, m.b);
  fg::session with{m.g}, without{m.g, {.passes = {.merge_common = false}}}, dynamic{m.g, {.dynamic = true}};
  CHECK(report_of(with.explain(fg::fetch(y), {m.x, m.z}).passes, "merge_common").changed == 1);
  for (fg::session* s : {&without, &dynamic}) {
    const fg::pass_report off = report_of(s->explain(fg::fetch(y), {m.x, m.z}).passes, "merge_common");
    CHECK_FALSE(off.is_on);
    CHECK(off.changed == 0);
  }
}

TEST_CASE("merge_common: fetches, targets and control edges of the node that goes lead to the one that stays") {
  two_of_each m;
  auto after = [&] {
    auto order = m.g.after(m.b);
    return fg::apply(add_op{}, m.x, m.x, {"after"});
  }();
  const merged p(m.g, {m.x, m.z}, {m.b, m.a, after}, {m.b});
  CHECK(p.names() == all_names{"x", "z", "a", "after"});
  CHECK(p.made.fetches[0] == p.made.fetches[1]);
  CHECK(p.made.targets[0] == p.made.fetches[1].from);
  CHECK(p.at("after").controls[0] == p.made.targets[0]);
  check_same_with_passes(m.g, {m.b, m.a, after}, {{m.x, m.ones}, {m.z, m.twos}}, {m.b});
  // What the caller writes to one answer does not show in the other.
  fg::session s{m.g};
  auto step = s.prepare(fg::feed(m.x, m.z), fg::fetch(m.a, m.b));
  for (int i = 0; i < 2; ++i) {
    auto [first, second] = step(m.ones, m.twos);
    first.writable()[0] = 7.f;
    CHECK(to_vector(second) == std::vector<float>{3.f, 3.f});
  }
}

TEST_CASE("merge_common: what is fed is not what it would be") {
  two_of_each m;
  auto y = multiply(m.a, m.b);
  fg::session s{m.g};
  CHECK(to_vector(s.run(fg::fetch(y), {{m.x, m.ones}, {m.z, m.twos}, {m.b, m.ones}})) == std::vector<float>{3.f, 3.f});
}

TEST_CASE("merge_common: attributes agree to the bit") {
  two_of_each m;
  const auto scaled = [&](scaled_op op) { return fg::apply(std::move(op), m.x); };
  CHECK(m.count(scaled({2.f}), scaled({2.f})) == 1);
  CHECK(m.count(scaled({2.f, {1, 2}, "l"}), scaled({2.f, {1, 2}, "l"})) == 1);
  CHECK(m.count(scaled({2.f}), scaled({std::nextafter(2.f, 3.f)})) == 0);
  CHECK(m.count(scaled({0.f}), scaled({-0.f})) == 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(m.count(scaled({nan}), scaled({nan})) == 1);
  CHECK(m.count(scaled({2.f, {1}}), scaled({2.f, {1, 2}})) == 0);
  CHECK(m.count(scaled({2.f, {}, "k"}), scaled({2.f, {}, "l"})) == 0);
  check_same_with_passes(m.g, {scaled({0.f}), scaled({-0.f})}, {{m.x, fg::tensor<float>({2}, {1.f, -1.f})}});
  // Of many, each is compared with those of its attributes alone.
  fg::out_list<float> all;
  for (int i = 0; i < 5000; ++i) all.push_back(scaled({static_cast<float>(i % 2500)}));
  const merged p(m.g, {m.x}, {all.begin(), all.end()});
  CHECK(p.did.changed == 2500);
  CHECK(p.made.fetches[2600] == p.made.fetches[100]);
}

TEST_CASE("merge_common: an op that holds more than its attributes say is not merged") {
  two_of_each m;
  std::atomic<int> runs = 0;
  auto y = add(fg::apply(pure_probe_op{&runs}, m.x), fg::apply(pure_probe_op{&runs}, m.x));
  fg::session{m.g}.run(fg::fetch(y), {{m.x, m.ones}});
  CHECK(runs == 2);
  CHECK(m.count(fg::apply(precise_op{1.0}, m.x), fg::apply(precise_op{1.0 + 1e-12}, m.x)) == 0);
}

TEST_CASE("merge_common: equal constants are one, to the bit") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  const auto plus = [&](float v) { return add(x, g.constant(v)); };
  const auto changed = [&](fg::out<float> p, fg::out<float> q) { return merged(g, {x}, {p, q}).did.changed; };
  CHECK(changed(plus(1.f), plus(1.f)) == 2);
  CHECK(changed(plus(0.f), plus(-0.f)) == 0);
  CHECK(changed(plus(1.f), add(x, g.constant(fg::tensor<float>({1}, {1.f})))) == 0);
  // Also those that folding makes.
  auto three = add(x, add(g.constant(1.f), g.constant(2.f)));
  CHECK(changed_by("merge_common", g, multiply(three, plus(3.f)), {x}) == 2);
  check_same_with_passes(g, {multiply(three, plus(3.f)), plus(0.f), plus(-0.f)}, {{x, -0.f}});
  // Their elements may be texts.
  auto one = g.constant(fg::tensor<std::string>(std::string("a text of some length, to be kept apart")));
  auto same = g.constant(fg::tensor<std::string>(std::string("a text of some length, to be kept apart")));
  auto other = g.constant(fg::tensor<std::string>(std::string("a text of some length, to be kept afar ")));
  const merged p(g, {}, {one, same, other});
  CHECK(p.did.changed == 1);
  CHECK(p.made.fetches[0] == p.made.fetches[1]);
}

TEST_CASE("merge_common: state, random numbers and what has none of its own stay apart") {
  two_of_each m;
  std::atomic<int> runs = 0;
  CHECK(m.count(counted(m.x, runs), counted(m.x, runs)) == 0);
  auto p = fg::random_uniform<float>(m.g, {4}, {.seed = 3}), q = fg::random_uniform<float>(m.g, {4}, {.seed = 3});
  check_same_with_passes(m.g, {p, q});
  fg::session s{m.g};
  CHECK(report_of(s.explain(fg::fetch(p, q)).passes, "merge_common").changed <= 1);  // the shapes, at most
  auto v = m.g.variable("v", m.ones);
  CHECK(m.count(fg::identity(fg::out<float>(v)), fg::identity(fg::out<float>(v))) == 0);
}

TEST_CASE("merge_common: two readings of a variable see what is between them") {
  two_of_each m;
  auto v = m.g.variable("v", m.ones);
  auto before = fg::apply(add_op{}, v, m.x, {"before"});
  auto write = fg::assign_add(v, m.x, {"write"});
  auto after = fg::apply(add_op{}, v, m.x, {"after"});
  CHECK(merged(m.g, {m.x}, {before, after}, {write.source}).did.changed == 0);
  check_same_with_passes(m.g, {before, after}, {{m.x, m.ones}}, {write.source});
}

TEST_CASE("merge_common: other control inputs, another device, a colocation, another branch tell nodes apart") {
  two_of_each m;
  const auto in = [&](auto&& scope) {
    auto open = scope();
    return fg::apply(add_op{}, m.x, m.z);
  };
  auto later = in([&] { return m.g.after(m.a); }), as_late = in([&] { return m.g.after(m.a); });
  CHECK(m.count(m.a, later) == 0);
  CHECK(m.count(later, as_late) == 1);
  CHECK(m.count(m.a, in([&] { return m.g.on_device("/device:cpu:0"); })) == 0);
  CHECK(m.count(m.a, in([&] { return m.g.colocate_with(m.x); })) == 0);
  auto yes = m.g.placeholder<bool>("yes", {});
  const auto sides = fg::switch_(m.x, yes);
  auto y = fg::merge({add(sides.if_false, m.z), add(sides.if_true, m.z)}).value;
  CHECK(merged(m.g, {m.x, m.z, yes}, {y}).did.changed == 0);
  for (const bool b : {false, true}) check_same_with_passes(m.g, {y}, {{m.x, m.ones}, {m.z, m.twos}, {yes, b}});
}

TEST_CASE("merge_common: in the body of a loop, never across its edge") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto zero = g.constant(0.f);
  fg::out<float> step;
  auto y = loop(
      {zero}, [&](const values& v) { return less(v[0], invariant(x)); },
      [&](const values& v) {
        step = invariant(x);
        return values{add(add(v[0], step), add(multiply(v[0], step), multiply(v[0], step)))};
      })[0];
  auto outside = add(multiply(x, x), multiply(x, x));
  const merged p(g, {x}, {add(y, outside)});
  CHECK(p.did.changed == 2);
  check_same_with_passes(g, {add(y, outside)}, {{x, 5.f}});
}

TEST_CASE("merge_common: on one device a colocation says nothing, and equal Switches and NoOps are one") {
  two_of_each m;
  const auto beside = [&] {
    auto with = m.g.colocate_with(m.x);
    return fg::apply(add_op{}, m.x, m.z, {"beside"});
  }();
  CHECK(m.count(m.a, beside) == 0);
  CHECK(changed_by("merge_common", m.g, multiply(m.a, beside), {m.x, m.z}) == 1);
  const auto asked = less(m.x, m.g.constant(1.f));
  const auto first = fg::switch_(m.x, asked), second = fg::switch_(m.x, asked), other = fg::switch_(m.z, asked);
  CHECK(m.count(add(first.if_true, second.if_true), add(first.if_true, other.if_true)) == 1);
  const auto waits = [&](const fg::target& t) {
    auto order = m.g.after(t);
    return fg::apply(add_op{}, m.x, m.x);
  };
  const auto done = waits(fg::group(m.a, m.b)), too = waits(fg::group(m.a, m.b));
  CHECK(m.count(done, too) == 3);
  check_same_with_passes(m.g, {done, too, fg::merge({first.if_false, second.if_true}).value}, {{m.x, m.ones}, {m.z, m.twos}});
}

TEST_CASE("merge_common: operands may change places where no bit tells their order, or with fast_math") {
  fg::graph g;
  auto a = g.placeholder<float>("a", {}), b = g.placeholder<float>("b", {});
  auto i = g.placeholder<std::int32_t>("i", {}), k = g.placeholder<std::int32_t>("k", {});
  const auto count = [&](const fg::any_out& first, const fg::any_out& second, bool is_fast) {
    const merged p(g, {a, b, i, k}, {first, second}, {}, {.fast_math = is_fast});
    return p.did.changed;
  };
  for (const bool is_fast : {false, true}) {
    CHECK(count(a + b, b + a, is_fast) == (is_fast ? 1 : 0));
    CHECK(count(a * b, b * a, is_fast) == (is_fast ? 1 : 0));
    CHECK(count(i + k, k + i, is_fast) == 1);
    CHECK(count(i * k, k * i, is_fast) == 1);
    CHECK(count(a - b, b - a, is_fast) == 0);
    CHECK(count(a + a, a + b, is_fast) == 0);
  }
  check_same_with_passes(g, {i + k, k + i}, {{i, 3}, {k, 4}});
}
