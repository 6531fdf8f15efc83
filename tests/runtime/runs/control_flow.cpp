#include <flowgraph/ops/control_flow/control_flow.hpp>

#include "../../harness/engine_ops.hpp"
#include "../../harness/ways.hpp"

using namespace engine;

namespace {

struct branching {
  ways w;
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> z = g.placeholder<float>("z", {});
  fg::out<bool> p = g.placeholder<bool>("p", {});
  fg::switched<float> sides = fg::switch_(x, p);
};

}  // namespace

TEST_CASE("control flow: a Switch hands its input to one side") {
  branching b;
  b.w.each(b.g, [&](fg::session& s) {
    CHECK(s.run(fg::fetch(b.sides.if_true), {{b.x, 3.f}, {b.p, true}}).scalar() == 3.f);
    CHECK(s.run(fg::fetch(b.sides.if_false), {{b.x, 4.f}, {b.p, false}}).scalar() == 4.f);
    CHECK_FALSE(s.try_run(fg::fetch(b.sides.if_true), {{b.x, 3.f}, {b.p, false}}).has_value());
    CHECK_FALSE(s.try_run(fg::fetch(b.sides.if_false), {{b.x, 3.f}, {b.p, true}}).has_value());
  });
}

TEST_CASE("control flow: only the branch taken runs, and a Merge gives its value and which it was") {
  branching b;
  std::atomic<int> yes = 0, no = 0;
  auto a = counted(add(b.sides.if_false, b.sides.if_false), no);
  auto c = counted(multiply(b.sides.if_true, b.sides.if_true), yes);
  auto y = fg::merge({a, c});
  b.w.each(b.g, [&](fg::session& s) {
    yes = no = 0;
    auto step = s.prepare(fg::feed(b.x, b.p), fg::fetch(y.value, y.index));
    for (int i = 0; i < 3; ++i) {
      auto [value, index] = s.run(fg::fetch(y.value, y.index), {{b.x, 5.f}, {b.p, true}});
      CHECK(value.scalar() == 25.f);
      CHECK(index.scalar() == 1);
      auto [other, first] = step(5.f, false);
      CHECK(other.scalar() == 10.f);
      CHECK(first.scalar() == 0);
    }
    CHECK(yes == 3);
    CHECK(no == 3);
    CHECK(s.run(fg::fetch(y.index), {{b.x, 5.f}, {b.p, true}}).scalar() == 1);
  });
}

TEST_CASE("control flow: a Merge takes the one input that lives, wherever it stands") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  std::vector<fg::out<bool>> conditions;
  fg::out_list<float> inputs;
  for (int i = 0; i < 4; ++i) {
    conditions.push_back(g.placeholder<bool>("p", {}));
    inputs.push_back(add(fg::switch_(x, conditions.back()).if_true, g.constant(static_cast<float>(i))));
  }
  auto y = fg::merge(inputs);
  fg::session s{g};
  for (std::int32_t live = 0; live < 4; ++live) {
    auto at = [&](int i) { return fg::tensor<bool>(i == live); };
    const auto& p = conditions;
    auto [value, index] =
        s.run(fg::fetch(y.value, y.index), {{x, 10.f}, {p[0], at(0)}, {p[1], at(1)}, {p[2], at(2)}, {p[3], at(3)}});
    CHECK(value.scalar() == 10.f + static_cast<float>(live));
    CHECK(index.scalar() == live);
  }
}

TEST_CASE("control flow: a Merge with only dead inputs is dead, and a later one can go on") {
  branching b;
  auto q = b.g.placeholder<bool>("q", {});
  auto inner = fg::switch_(b.sides.if_true, q);
  auto dead_or_x = fg::merge({add(inner.if_false, inner.if_false), multiply(inner.if_true, inner.if_true)});
  auto y = fg::merge({dead_or_x.value, add(b.sides.if_false, b.sides.if_false)});
  b.w.each(b.g, [&](fg::session& s) {
    for (const bool p : {true, false})
      for (const bool q_value : {true, false}) {
        auto [value, index] = s.run(fg::fetch(y.value, y.index), {{b.x, 5.f}, {b.p, p}, {q, q_value}});
        CHECK(value.scalar() == (p && q_value ? 25.f : 10.f));
        CHECK(index.scalar() == (p ? 0 : 1));
      }
    CHECK_FALSE(s.try_run(fg::fetch(dead_or_x.value), {{b.x, 5.f}, {b.p, false}, {q, true}}).has_value());
  });
}

TEST_CASE("control flow: a dead input makes a node dead, whatever its other inputs are") {
  branching b;
  std::atomic<int> runs = 0;
  auto mixed = counted(add(b.sides.if_true, b.z), runs);
  auto far = counted(add(mixed, b.z), runs);
  b.w.each(b.g, [&](fg::session& s) {
    runs = 0;
    s.run(far, {{b.x, 1.f}, {b.z, 1.f}, {b.p, false}});
    CHECK(runs == 0);
    CHECK(s.run(fg::fetch(far), {{b.x, 1.f}, {b.z, 1.f}, {b.p, true}}).scalar() == 3.f);
    CHECK(runs == 2);
  });
}

TEST_CASE("control flow: deadness travels along control edges, and a ControlTrigger ends it") {
  branching b;
  std::atomic<int> after_dead = 0, after_trigger = 0;
  fg::out<float> waits, goes;
  fg::target trigger;
  {
    auto after = b.g.after(fg::identity(b.sides.if_true));
    waits = counted(b.z, after_dead);
    trigger = fg::apply_in<>(b.g, fg::control_trigger_op{});
  }
  {
    auto after = b.g.after(trigger);
    goes = counted(b.z, after_trigger);
  }
  b.w.each(b.g, [&](fg::session& s) {
    after_dead = after_trigger = 0;
    CHECK(s.try_run(fg::fetch(waits), {{b.x, 1.f}, {b.z, 2.f}, {b.p, true}}).has_value());
    CHECK(after_dead == 1);
    CHECK_FALSE(s.try_run(fg::fetch(waits), {{b.x, 1.f}, {b.z, 2.f}, {b.p, false}}).has_value());
    CHECK(after_dead == 1);
    CHECK(s.run(fg::fetch(goes), {{b.x, 1.f}, {b.z, 2.f}, {b.p, false}}).scalar() == 2.f);
    CHECK(after_trigger == 1);
  });
}

TEST_CASE("control flow: a Merge that waits for a dead node is alive when its data is") {
  branching b;
  auto dead = add(b.sides.if_true, b.z), alive = add(b.z, b.z);
  fg::merged_inputs<float> y;
  {
    auto after = b.g.after(fg::identity(b.sides.if_true), fg::identity(b.sides.if_true));
    y = fg::merge({dead, alive});
  }
  b.w.each(b.g, [&](fg::session& s) {
    auto [value, index] = s.run(fg::fetch(y.value, y.index), {{b.x, 1.f}, {b.z, 2.f}, {b.p, false}});
    CHECK(value.scalar() == 4.f);
    CHECK(index.scalar() == 1);
  });
}

TEST_CASE("control flow: a Merge runs once though all its inputs live") {
  fg::graph g;
  std::atomic<int> runs = 0;
  answering_threads threads;
  auto x = g.placeholder<float>("x", {});
  auto slow = async_probe(x, threads.after(std::chrono::microseconds(200)));
  auto y = fg::merge({slow, x, add(x, x)});
  auto z = counted(add(y.value, slow), runs);  // must wait for `slow`, not for a second answer of the Merge
  fg::session s{g};
  for (int i = 1; i < 4; ++i) {
    auto [sum, index] = s.run(fg::fetch(z, y.index), {{x, 1.f}});
    CHECK(sum.scalar() == 2.f);
    CHECK(index.scalar() == 1);
    CHECK(runs == i);
  }
}

TEST_CASE("control flow: a constant is the first input of a Merge to arrive") {
  fg::graph g;
  std::atomic<int> runs = 0;
  answering_threads threads;
  auto x = g.placeholder<float>("x", {});
  auto slow = async_probe(x, threads.after(std::chrono::microseconds(200)));
  auto c = g.constant(7.f);
  auto y = fg::merge({x, slow, c});
  auto z = counted(add(y.value, slow), runs);
  ways w;
  w.each(g, [&](fg::session& s) {
    runs = 0;
    for (int i = 1; i < 4; ++i) {
      auto [sum, value, index] = s.run(fg::fetch(z, y.value, y.index), {{x, 1.f}});
      CHECK(sum.scalar() == 8.f);
      CHECK(value.scalar() == 7.f);
      CHECK(index.scalar() == 2);
      CHECK(runs == i);
    }
    CHECK(s.run(fg::fetch(y.value), {{x, 1.f}, {c, 9.f}}).scalar() == 1.f);  // fed, it comes in its turn
  });
}

TEST_CASE("control flow: values and conditions may come from variables") {
  ways w;
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(3.f));
  auto flag = g.variable("flag", fg::tensor<bool>(true));
  auto sides = fg::switch_<float>(v, flag, {.name = "sides"});
  auto merged = fg::merge({sides.if_false, fg::out<float>(v)});
  auto doubled = fg::assign_add(v, v);
  w.each(g, [&](fg::session& s) {
    check_error(s.try_run(fg::fetch(sides.if_true)).error(), error_code::failed_precondition, "sides", "Switch",
                {"uninitialized", "'v'"});
    s.initialize();
    CHECK(s.run(fg::fetch(sides.if_true)).scalar() == 3.f);
    auto [value, index] = s.run(fg::fetch(merged.value, merged.index));
    CHECK(value.scalar() == 3.f);
    CHECK(index.scalar() == 1);
    s.run(doubled);
    const fg::tensor<float> held = s.run(fg::fetch(sides.if_true));
    s.run(doubled);
    CHECK(held.scalar() == 6.f);
    CHECK(s.run(fg::fetch(v)).scalar() == 12.f);
  });
}

TEST_CASE("control flow: a variable changes only in the branch taken, and is read after either") {
  ways w;
  fg::graph g;
  auto p = g.placeholder<bool>("p", {});
  auto v = g.variable("v", fg::tensor<float>(1.f));
  auto sides = fg::switch_(g.constant(10.f), p);
  auto grown = fg::assign_add(v, sides.if_true);
  auto read = add(v, g.constant(0.f));
  w.each(g, [&](fg::session& s) {
    s.initialize();
    CHECK(s.run(fg::fetch(read), grown, {{p, false}}).scalar() == 1.f);
    CHECK(s.run(fg::fetch(read), grown, {{p, true}}).scalar() == 11.f);
    CHECK(s.run(fg::fetch(read), grown, {{p, false}}).scalar() == 11.f);
  });
}

TEST_CASE("control flow: references go through a Switch and a Merge of references") {
  ways w;
  fg::graph g;
  auto p = g.placeholder<bool>("p", {});
  auto v = g.variable("v", fg::tensor<float>(1.f)), u = g.variable("u", fg::tensor<float>(100.f));
  const auto [v_no, v_yes] = fg::apply(fg::ref_switch_op{}, v, p);
  const auto [u_no, u_yes] = fg::apply(fg::ref_switch_op{}, u, p);
  const auto [chosen, index] = fg::apply(fg::ref_merge_op{}, fg::out_list<float>{v_yes, u_no});
  auto grown = fg::apply(fg::assign_add_op{}, chosen, g.constant(1.f));
  w.each(g, [&](fg::session& s) {
    s.initialize();
    CHECK(s.run(fg::fetch(grown), {{p, true}}).scalar() == 2.f);
    CHECK(s.run(fg::fetch(grown), {{p, false}}).scalar() == 101.f);
    auto [a, b] = s.run(fg::fetch(v, u));
    CHECK(a.scalar() == 2.f);
    CHECK(b.scalar() == 101.f);
  });
}

TEST_CASE("control flow: a value is not changed through a branch that works in place") {
  branching b;
  auto on_true = add(b.sides.if_true, b.sides.if_true);
  auto y = fg::merge({b.sides.if_false, chain(on_true, 3)});
  auto z = add(y.value, b.x);
  b.w.each(b.g, [&](fg::session& s) {
    const fg::tensor<float> mine({}, {3.f});
    CHECK(s.run(fg::fetch(z), {{b.x, mine}, {b.p, true}}).scalar() == 27.f);
    CHECK(s.run(fg::fetch(z), {{b.x, mine}, {b.p, false}}).scalar() == 6.f);
    CHECK(mine.scalar() == 3.f);
  });
}
