#include <flowgraph/graph/loop_map.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;
using fg::detail::loop_map;
using fg::detail::loop_of_graph;

TEST_CASE("loop_map: a graph without loops has none, and all nodes stand outside") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = add(x, x);
  const loop_map m(g.state());
  CHECK(m.size() == 0);
  CHECK(m.frame_of(*y.source) == 0);
  CHECK(m.guards_of({y.source, 0}).empty());
}

TEST_CASE("loop_map: a loop has its variables, what is the same in all iterations, and its condition") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {}), zero = g.placeholder<float>("zero", {});
  auto y = counting_loop(zero, x, x, {.name = "counts"});
  const loop_map m(g.state());
  REQUIRE(m.size() == 1);
  const loop_of_graph& loop = m.loop(1);
  CHECK(loop.name == "counts");
  CHECK(loop.parent == 0);
  REQUIRE(loop.condition != nullptr);
  CHECK(loop.condition->op->name() == "LoopCond");
  REQUIRE(loop.variables.size() == 1);
  const fg::detail::loop_variable& v = loop.variables[0];
  CHECK(v.enter->inputs[0].from == zero.source);
  CHECK(v.merge->op->control == fg::control_flow::merge);
  CHECK(v.branch->op->control == fg::control_flow::switch_);
  CHECK(v.next->op->control == fg::control_flow::next_iteration);
  CHECK(v.exit == y.source);
  CHECK(loop.constants.size() == 2);
  for (const fg::node* n : loop.constants) CHECK(fg::detail::is_constant_enter(*n));
  CHECK_FALSE(fg::detail::is_constant_enter(*v.enter));
  CHECK_FALSE(fg::detail::is_constant_enter(*y.source));
  CHECK(m.frame_of(*v.merge) == 1);
  CHECK(m.frame_of(*v.enter) == 1);  // where its output is
  CHECK(m.frame_of(*y.source) == 0);
  CHECK(m.frame_of(*x.source) == 0);
}

TEST_CASE("loop_map: a loop in a loop stands in the frame around it") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {}), zero = g.placeholder<float>("zero", {});
  fg::out<float> end;
  loop(
      {zero},
      [&](const values& v) {
        end = invariant(x, {.name = "outer"});
        return less(v[0], end);
      },
      [&](const values& v) { return values{counting_loop(v[0], end, end, {.name = "inner"})}; }, {.name = "outer"});
  const loop_map m(g.state());
  REQUIRE(m.size() == 2);
  const std::uint32_t outer = m.loop(1).name == "outer" ? 1 : 2, inner = 3 - outer;
  CHECK(m.loop(outer).parent == 0);
  CHECK(m.loop(inner).name == "inner");
  CHECK(m.loop(inner).parent == outer);
  CHECK(m.frame_of(*m.loop(inner).variables[0].exit) == outer);
}

TEST_CASE("loop_map: behind a Switch a node is guarded by its side, behind the Merge no more") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto p = g.placeholder<bool>("p", {});
  const auto sides = fg::switch_(x, p);
  auto if_true = add(sides.if_true, sides.if_true), if_false = add(sides.if_false, sides.if_false);
  auto merged = fg::merge({if_true, if_false}).value;
  loop_map m(g.state());
  const auto guard_of = [&](fg::out<float> y) {
    const auto& guards = m.guards_of({y.source, y.port});
    REQUIRE(guards.size() == 1);
    CHECK(guards[0].predicate.from == p.source);
    return guards[0].side;
  };
  CHECK(guard_of(if_true));
  CHECK_FALSE(guard_of(if_false));
  CHECK(guard_of(sides.if_true));
  CHECK(m.guards_of({merged.source, 0}).empty());
  CHECK(m.guards_of({x.source, 0}).empty());

  auto later = add(x, x);
  m.put(*later.source, 7, {{{p.source, 0}, true}});
  CHECK(m.frame_of(*later.source) == 7);
  CHECK(guard_of(later));
}

TEST_CASE("loop_map: a loop whose back edge was never made is left incomplete") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  const auto first = enter(x, {.name = "open"});
  fg::merge({first, first});
  const loop_map m(g.state());
  REQUIRE(m.size() == 1);
  CHECK(m.loop(1).condition == nullptr);
  for (const fg::detail::loop_variable& v : m.loop(1).variables) CHECK(v.next == nullptr);
}
