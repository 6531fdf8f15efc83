#include <flowgraph/ops/control_flow/control_flow.hpp>

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

// y = p ? x * x : 3 * x
struct branches {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<bool> p = g.placeholder<bool>("p", {});
  fg::switched<float> side = fg::switch_(x, p);
  fg::out<float> no = side.if_false * 3.f, yes = side.if_true * side.if_true;
  fg::merged_inputs<float> y = fg::merge({no, yes});
};

}  // namespace

TEST_CASE("Switch sends its input to one side, Merge takes what arrives and says which") {
  branches b;
  fg::session s{b.g};
  const auto [y, which] = s.run(fg::fetch(b.y.value, b.y.index), {{b.x, 5.f}, {b.p, true}});
  CHECK(y.scalar() == 25.f);
  CHECK(which.scalar() == 1);
  const auto [z, other] = s.run(fg::fetch(b.y.value, b.y.index), {{b.x, 5.f}, {b.p, false}});
  CHECK(z.scalar() == 15.f);
  CHECK(other.scalar() == 0);
}

TEST_CASE("the side not taken is dead, and cannot be fetched") {
  branches b;
  fg::session s{b.g};
  CHECK(s.run(fg::fetch(b.no), {{b.x, 2.f}, {b.p, false}}).scalar() == 6.f);
  const auto dead = s.try_run(fg::fetch(b.no), {{b.x, 2.f}, {b.p, true}});
  REQUIRE_FALSE(dead);
  CHECK(dead.error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("a gradient follows the branch that was taken") {
  branches b;
  fg::out<float> dx = fg::gradients(b.y.value, b.x);
  fg::session s{b.g};
  CHECK(s.run(fg::fetch(dx), {{b.x, 5.f}, {b.p, true}}).scalar() == 10.f);
  CHECK(s.run(fg::fetch(dx), {{b.x, 5.f}, {b.p, false}}).scalar() == 3.f);
}

TEST_CASE("a gradient through one side alone is zero when the other is taken") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto p = g.placeholder<bool>("p", {});
  auto side = fg::switch_(x, p);
  auto y = fg::merge({g.constant(7.f) + fg::sum(side.if_true), fg::sum(side.if_false * 0.f)}).value;
  auto unused = fg::merge({fg::sum(side.if_true), fg::stop_gradient(fg::sum(side.if_false))}).value;
  fg::out<float> dy = fg::gradients(y, x), du = fg::gradients(unused, x);
  fg::session s{g};
  const fg::tensor<float> at({2}, {3, 4});
  CHECK(s.run(fg::fetch(dy), {{x, at}, {p, true}})[1] == 1.f);
  CHECK(s.run(fg::fetch(dy), {{x, at}, {p, false}})[1] == 0.f);
  CHECK(s.run(fg::fetch(du), {{x, at}, {p, true}})[0] == 1.f);
  CHECK(s.run(fg::fetch(du), {{x, at}, {p, false}})[0] == 0.f);
}

TEST_CASE("a loss that does not depend on the branch's values still has the branch's gradient") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto p = g.placeholder<bool>("p", {});
  auto side = fg::switch_(x, p);
  // The gradient of the sum is a constant, which would be alive on both sides.
  fg::out<float> dx = fg::gradients(fg::sum(side.if_true), x);
  fg::session s{g};
  CHECK(s.run(fg::fetch(dx), {{x, 5.f}, {p, true}}).scalar() == 1.f);
  CHECK(s.run(fg::fetch(dx), {{x, 5.f}, {p, false}}).scalar() == 0.f);
}

TEST_CASE("conditions in conditions") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto p = g.placeholder<bool>("p", {}), q = g.placeholder<bool>("q", {});
  auto outer = fg::switch_(x, p);
  auto inner = fg::switch_(outer.if_true, fg::switch_(q, p).if_true);
  auto chosen = fg::merge({inner.if_false + 1.f, inner.if_true * inner.if_true}).value;
  auto y = fg::merge({outer.if_false * 10.f, chosen}).value;
  fg::out<float> dx = fg::gradients(y, x);
  fg::session s{g};
  auto run = [&](bool outside, bool inside) {
    const auto [value, slope] = s.run(fg::fetch(y, dx), {{x, 4.f}, {p, outside}, {q, inside}});
    return std::pair(value.scalar(), slope.scalar());
  };
  CHECK(run(false, false) == std::pair(40.f, 10.f));
  CHECK(run(false, true) == std::pair(40.f, 10.f));
  CHECK(run(true, false) == std::pair(5.f, 1.f));
  CHECK(run(true, true) == std::pair(16.f, 8.f));
}

TEST_CASE("a reference passes through RefSwitch and RefMerge, and can be assigned behind them") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f)), w = g.variable("w", fg::tensor<float>(2.f));
  auto p = g.placeholder<bool>("p", {});
  const auto [v_no, v_yes] = fg::apply(fg::ref_switch_op{}, v, p);
  const auto [w_no, w_yes] = fg::apply(fg::ref_switch_op{}, w, p);
  const auto [chosen, which] = fg::apply(fg::ref_merge_op{}, fg::out_list<float>{v_yes, w_no});
  auto set = fg::apply(fg::assign_op{}, chosen, g.constant(5.f));
  CHECK(v_no.shape() == fg::shape{});
  CHECK(w_yes.shape() == fg::shape{});
  fg::session s{g};
  s.initialize();
  const auto [value, index] = s.run(fg::fetch(set, which), {{p, false}});
  CHECK(value.scalar() == 5.f);
  CHECK(index.scalar() == 1);
  CHECK(s.run(fg::fetch(v)).scalar() == 1.f);
  CHECK(s.run(fg::fetch(w)).scalar() == 5.f);
}

TEST_CASE("a loop of the nodes themselves") {
  fg::graph g;
  auto limit = g.placeholder<std::int32_t>("limit", {});
  auto zero = g.constant(0);
  const fg::enter_op enter{.frame_name = "count"}, constant{.frame_name = "count", .is_constant = true};
  auto first = fg::apply(enter, zero), end = fg::apply(constant, limit), one = fg::apply(constant, g.constant(1));
  const auto [i, which] = fg::apply(fg::merge_op{}, fg::out_list<std::int32_t>{first, first});
  auto more = fg::apply(fg::loop_cond_op{}, i < end);
  const auto [done, going] = fg::apply(fg::switch_op{}, i, more);
  auto next = fg::apply(fg::next_iteration_op{}, going + one);
  g.set_back_edge(i.source, 1, next);
  auto y = fg::apply(fg::exit_op{}, done);
  CHECK_FALSE(i.shape().has_rank());
  CHECK(which.shape() == fg::shape{});
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{limit, 10}}).scalar() == 10);
  CHECK(s.run(fg::fetch(y), {{limit, -1}}).scalar() == 0);
}

TEST_CASE("a predicate that is no scalar is refused where it is written") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto p = g.placeholder<bool>("p", {2});
#ifdef FLOWGRAPH_EXCEPTIONS
  CHECK_THROWS_AS(fg::switch_(x, p), fg::error);
#else
  CHECK(fg::switch_(x, p).if_true.source->is_poison());
#endif
}
