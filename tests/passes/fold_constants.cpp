#include <flowgraph/passes/fold_constants.hpp>

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/debug/diagnostics.hpp>
#include <flowgraph/ops/math/division.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include "drafted.hpp"

using namespace engine;

namespace {

// Two of each element of x; `unsized`: the shape is known when the kernel has run.
template <bool unsized> struct doubled_op {
  static constexpr std::string_view name = unsized ? "DoubledUnsized" : "Doubled";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  using output = std::conditional_t<unsized, fg::unsized<float>, fg::view<float>>;
  fg::shape shape(const fg::shape& x) const { return fg::shape{unsized ? fg::any : 2 * x.size()}; }
  void operator()(fg::cpu, fg::view<const float> x, output y) const {
    auto made = [&] {
      if constexpr (unsized) return y.resize({2 * static_cast<std::int64_t>(x.size())});
      else return y;
    }();
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = x[i / 2];
  }
};

// Asks for so many elements, which no rule knows.
struct greedy_op {
  static constexpr std::string_view name = "Greedy";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::atomic<std::int64_t>* got = nullptr;
  std::int64_t size = 0;
  fg::shape shape(const fg::shape&) const { return fg::shape{fg::any}; }
  void operator()(fg::cpu, fg::view<const float>, fg::unsized<float> y) const {
    *got += static_cast<std::int64_t>(y.resize({size}).size());
  }
};

struct folded_model {
  fg::graph g;
  std::atomic<int> runs = 0;
  fg::out<float> x = g.placeholder<float>("x", {2});
  fg::out<float> c = g.constant(fg::tensor<float>({2}, {1.f, 2.f}));
  fg::out<float> y = add(x, fg::apply(pure_probe_op{&runs}, add(c, c)));
};
const fg::tensor<float> ones({2}, {1.f, 1.f});

const fg::pass_report& folding_of(const fg::step_report& r) { return report_of(r.passes, "fold_constants"); }

fg::tensor<float> filled(std::size_t size) {
  fg::tensor<float> t(fg::shape{size});
  for (float& f : t.writable()) f = 0.5f;
  return t;
}

}  // namespace

TEST_CASE("fold_constants: it counts what it computed beforehand") {
  folded_model m;
  fg::session s{m.g};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(m.y));
  const fg::step_report made = step.plan();
  CHECK(folding_of(made).is_on);
  CHECK(folding_of(made).changed == 2);
  CHECK(folding_of(made).too_large == 0);
  CHECK(made.nodes == 1);
  for (int i = 0; i < 3; ++i) CHECK(to_vector(step(ones)) == std::vector<float>{3.f, 5.f});
  CHECK(m.runs == 1);
}

TEST_CASE("fold_constants: switched off, all runs in every step, to the same bits") {
  folded_model m;
  fg::session s{m.g, {.passes = {.fold_constants = false}}};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(m.y));
  const fg::step_report made = step.plan();
  CHECK_FALSE(folding_of(made).is_on);
  CHECK(folding_of(made).changed == 0);
  CHECK(made.nodes == 3);
  for (int i = 0; i < 3; ++i) CHECK(to_vector(step(ones)) == std::vector<float>{3.f, 5.f});
  CHECK(m.runs == 3);
}

TEST_CASE("fold_constants: what would be larger than the limit and than its inputs is left to the runs") {
  fg::graph g;
  auto c = g.constant(fg::tensor<float>({4}, {1.f, 2.f, 3.f, 4.f}));
  auto same = add(c, c);                            // 16 bytes of 32
  auto sized = fg::apply(doubled_op<false>{}, c);   // 32 of 16
  auto unsized = fg::apply(doubled_op<true>{}, c);  // the same, known afterwards
  fg::session s{g, {.passes = {.folded_bytes = 16}}};
  auto step = s.prepare(fg::feed(), fg::fetch(same, sized, unsized));
  const fg::step_report made = step.plan();
  CHECK(folding_of(made).changed == 1);
  CHECK(folding_of(made).too_large == 2);
  CHECK(made.nodes == 2);
  for (int i = 0; i < 3; ++i) {
    auto [a, b, d] = step();
    CHECK(to_vector(a) == std::vector<float>{2.f, 4.f, 6.f, 8.f});
    CHECK(to_vector(b) == std::vector<float>{1.f, 1.f, 2.f, 2.f, 3.f, 3.f, 4.f, 4.f});
    CHECK(to_vector(d) == to_vector(b));
  }
  fg::session larger{g, {.passes = {.folded_bytes = 32}}};
  CHECK(folding_of(larger.prepare(fg::feed(), fg::fetch(same, sized, unsized)).plan()).changed == 3);
}

TEST_CASE("fold_constants: a plan computes small results once for all its runs") {
  folded_model m;
  fg::session s{m.g}, dynamic{m.g, {.dynamic = true}};
  for (int i = 0; i < 3; ++i) CHECK(to_vector(s.run(fg::fetch(m.y), {{m.x, ones}})) == std::vector<float>{3.f, 5.f});
  CHECK(m.runs == 1);
  for (int i = 0; i < 3; ++i) CHECK(to_vector(dynamic.run(fg::fetch(m.y), {{m.x, ones}})) == std::vector<float>{3.f, 5.f});
  CHECK(m.runs == 4);
}

TEST_CASE("fold_constants: beside a loop, and of several outputs each is a constant") {
  fg::graph g;
  std::atomic<int> runs = 0;
  auto limit = g.placeholder<float>("limit", {});
  const auto parts = fg::split(g.constant(fg::tensor<float>({4}, {1.f, 2.f, 3.f, 4.f})), 2, 0);
  auto sum = fg::apply(pure_probe_op{&runs}, add(parts[0], multiply(parts[1], parts[1])));
  auto y = multiply(sum, counting_loop(g.constant(0.f), limit, g.constant(1.f)));
  fg::session s{g};
  for (const float end : {1.f, 5.f})
    CHECK(to_vector(s.run(fg::fetch(y), {{limit, end}})) == std::vector<float>{10.f * end, 18.f * end});
  CHECK(runs == 1);
  CHECK(to_vector(s.run(fg::fetch(parts[1]))) == std::vector<float>{3.f, 4.f});
  check_same_with_passes(g, {y, parts[0], parts[1]}, {{limit, 3.f}});
}

TEST_CASE("fold_constants: of a plan what is larger than the limit is left to the runs and to prepared steps") {
  fg::graph g;
  std::atomic<int> runs = 0;
  constexpr std::size_t most = fg::detail::constant_folding::most_of_plan / sizeof(float);
  for (const std::size_t size : {most, most + 1}) {
    CAPTURE(size);
    runs = 0;
    auto y = fg::apply(pure_probe_op{&runs}, g.constant(filled(size)));
    auto wide = fg::apply(doubled_op<false>{}, g.constant(filled(size / 2 + size % 2)));  // reads little, makes as much
    fg::session s{g};
    for (int i = 0; i < 3; ++i) {
      const auto [a, b] = s.run(fg::fetch(y, wide));
      CHECK(to_vector(a) == std::vector<float>(size, 0.5f));
      CHECK(b.size() >= size);
    }
    CHECK(runs == (size == most ? 1 : 3));
    CHECK(changed_by("fold_constants", g, y) == 1);  // by the schedule at the latest
  }
}

TEST_CASE("fold_constants: a node whose output no rule sizes does not get memory without end before the runs") {
  for (const std::int64_t size : {std::int64_t{3}, std::int64_t{1} << 28}) {
    fg::graph g;
    std::atomic<std::int64_t> got = 0;
    greedy_op op;
    op.got = &got, op.size = size;
    const auto y = fg::apply(op, g.constant(1.f));
    const fg::pass_report made = folding_of(fg::session{g}.prepare(fg::feed(), fg::fetch(y)).plan());
    CHECK(made.changed == (size == 3 ? 1 : 0));
    CHECK(made.too_large == (size == 3 ? 0 : 1));
    CHECK(got == (size == 3 ? 3 : 0));
  }
}

TEST_CASE("fold_constants: a node that fails is left to the run, which names it") {
  fg::graph g;
  auto two = g.constant(fg::tensor<float>({2}, {1.f, 2.f})), three = g.constant(fg::tensor<float>({3}, {1.f, 2.f, 3.f}));
  // The shapes fit as far as the graph knows.
  auto unknown = fg::apply(doubled_op<true>{}, two);
  auto wrong = fg::apply(add_op{}, unknown, three, {"wrong"});
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(wrong));
  REQUIRE_FALSE(made.has_value());
  check_error(made.error(), error_code::invalid_argument, "wrong", "TestAdd", {"expected equal shapes"});
}

TEST_CASE("fold_constants: a node that fails is left to the run of a prepared step, behind what comes before it") {
  fg::graph g;
  const auto ok = g.placeholder<bool>("ok", {});
  const auto v = g.variable("v", fg::tensor<float>(1.f));
  const fg::target add = fg::assign_add(v, g.constant(10.f)), assertion = fg::assert_that(ok, {g.constant(7)});
  const auto one = g.constant(1), zero = g.constant(0);
  const auto divided = fg::floor_div(one, zero, {.name = "divided"});
  fg::out<std::int32_t> guarded;
  {
    const auto scope = g.after(assertion);
    guarded = fg::floor_div(one, zero);
  }
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(), fg::fetch(divided), add);
  CHECK(folding_of(step.plan()).changed == 0);
  CHECK(folding_of(step.plan()).too_large == 0);
  for (int i = 1; i < 3; ++i) {
    const auto failed = step.try_run({});
    REQUIRE_FALSE(failed.has_value());
    check_error(failed.error(), error_code::invalid_argument, "divided", "FloorDiv", {"Integer division by zero"});
    CHECK(s.run(fg::fetch(v))[0] == 1.f + 10.f * static_cast<float>(i));
  }
  auto asserting = s.prepare(fg::feed(ok), fg::fetch(guarded));
  const auto refused = asserting.try_run({}, false);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().op() == "Assert");
  const auto failed = asserting.try_run({}, true);
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().op() == "FloorDiv");
}

TEST_CASE("fold_constants: what a Merge may choose, or a Switch asks, stays a node") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto yes = fg::apply(less_op{}, g.constant(1.f), g.constant(2.f), {"yes"});
  const auto sides = fg::switch_(x, yes);
  auto sum = fg::apply(add_op{}, g.constant(1.f), g.constant(2.f), {"sum"});
  auto y = fg::merge({add(sides.if_false, x), sum}).value;
  CHECK(changed_by("fold_constants", g, y, {x}) == 0);
  check_same_with_passes(g, {y}, {{x, 2.f}});
}

TEST_CASE("fold_constants: what reads constants of a branch is computed once, and is dead with them") {
  fg::graph g;
  std::atomic<int> runs = 0;
  auto x = g.placeholder<float>("x", {});
  const auto sides = fg::switch_(x, less(x, g.constant(2.f)));
  const auto pivot = fg::identity(sides.if_true, {"pivot"});
  auto on_branch = [&] {
    auto order = g.after(pivot);
    return g.constant(10.f);
  }();
  auto sum = fg::apply(pure_probe_op{&runs}, add(on_branch, g.constant(1.f)), {"sum"});
  auto y = fg::merge({sides.if_false, add(pivot, sum)}).value;
  CHECK(changed_by("fold_constants", g, y, {x}) == 2);
  runs = 0;
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  for (int i = 0; i < 3; ++i)
    for (const float v : {1.f, 3.f}) CHECK(step(v).scalar() == (v < 2 ? v + 11 : v));
  CHECK(runs == 1);
  for (const float v : {1.f, 3.f}) check_same_with_passes(g, {y}, {{x, v}});
  const auto dead = s.try_run(fg::fetch(sum), {{x, 3.f}});
  REQUIRE_FALSE(dead.has_value());
  check_error(dead.error(), fg::error_code::invalid_argument, "sum", "PureProbe", {"dead"});
}

TEST_CASE("fold_constants: in the body of a loop, once for all iterations; what waits for it waits") {
  fg::graph g;
  std::atomic<int> runs = 0;
  auto x = g.placeholder<float>("x", {});
  auto constant = [&](fg::out<float> pivot, float v) {
    auto in_iteration = g.after(fg::identity(pivot));
    return g.constant(v);
  };
  const auto y = loop(
      {x}, [&](const values& v) { return less(v[0], constant(v[0], 100.f)); },
      [&](const values& v) {
        auto by = fg::apply(pure_probe_op{&runs}, add(constant(v[0], 1.f), constant(v[0], 2.f)));
        auto after = g.after(by);
        return values{add(add(v[0], by), multiply(constant(v[0], 4.f), constant(v[0], 0.5f)))};
      })[0];
  CHECK(changed_by("fold_constants", g, y, {x}) == 3);
  for (const bool is_prepared : {false, true}) {
    runs = 0;
    fg::session s{g};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    for (const float v : {0.f, 98.f, 200.f}) {
      const float found =
          is_prepared ? fg::tensor<float>(step(v)).scalar() : fg::tensor<float>(s.run(fg::fetch(y), {{x, v}})).scalar();
      CHECK(found == (v == 0 ? 100.f : v == 98 ? 103.f : 200.f));
    }
    CHECK(runs <= 2);  // for the plan of each way
  }
  for (const float v : {0.f, 98.f}) check_same_with_passes(g, {y}, {{x, v}});
}

TEST_CASE("fold_constants: of a constant that enters a loop and one of its body, once for all iterations") {
  fg::graph g;
  std::atomic<int> runs = 0;
  auto x = g.placeholder<float>("x", {});
  const auto outside = g.constant(3.f, {"outside"});
  const auto y = loop(
      {x}, [&](const values& v) { return less(v[0], outside); },
      [&](const values& v) {
        auto in_iteration = g.after(fg::identity(v[0]));
        return values{add(v[0], fg::apply(pure_probe_op{&runs}, add(outside, g.constant(1.f))))};
      })[0];
  CHECK(changed_by("fold_constants", g, y, {x}) == 2);
  runs = 0;
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  for (const float v : {-9.f, 2.f, 5.f}) CHECK(step(v).scalar() == (v == -9.f ? 3.f : v == 2.f ? 6.f : 5.f));
  CHECK(runs == 1);
  for (const float v : {-9.f, 2.f, 5.f}) check_same_with_passes(g, {y}, {{x, v}});
}
