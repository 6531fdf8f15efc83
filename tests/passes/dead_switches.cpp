#include <flowgraph/passes/dead_switches.hpp>

#include "drafted.hpp"

using namespace engine;

namespace {

struct decided {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<bool> asked;
  fg::switched<float> sides;
  fg::out<float> no, yes;

  explicit decided(bool answer) {
    asked = g.constant(answer, {"asked"});
    sides = fg::switch_(x, asked, {"switch"});
    no = add(sides.if_false, sides.if_false, {"no"});
    yes = multiply(sides.if_true, sides.if_true, {"yes"});
  }
  passed over(std::vector<fg::any_out> fetches, std::vector<fg::target> targets = {}) const {
    return {fg::passes::dead_switches, g, {x}, std::move(fetches), std::move(targets)};
  }
};

}  // namespace

TEST_CASE("dead_switches: the living branch alone is left") {
  for (const bool answer : {false, true}) {
    CAPTURE(answer);
    decided d(answer);
    const auto joined = fg::merge({d.no, d.yes}, {"joined"});
    const auto y = add(joined.value, d.x, {"y"});
    const passed p = d.over({y});
    CHECK(p.names() == all_names{"x", answer ? "yes" : "no", "y"});
    CHECK(p.name_of_input("y") == (answer ? "yes" : "no"));
    CHECK(p.name_of_input(answer ? "yes" : "no") == "x");
    CHECK(p.changed == 3);
    check_same_with_passes(d.g, {y, joined.value}, {{d.x, 3.f}});
  }
}

TEST_CASE("dead_switches: which input a Merge took is a constant") {
  decided d(true);
  const auto joined = fg::merge({d.no, d.yes}, {"joined"});
  const auto index = fg::identity(joined.index, {"index"});
  const passed p = d.over({joined.value, index, joined.index});
  REQUIRE(p.at("index").inputs[0].from->values);
  CHECK(p.at("index").inputs[0].from->values[0].as<std::int32_t>()[0] == 1);
  CHECK(p.made.fetches[0].from->name == "yes");
  CHECK(p.made.fetches[0].from->is_requested);
  CHECK(p.made.fetches[2].from->is_requested);
  check_same_with_passes(d.g, {joined.value, index, joined.index}, {{d.x, 3.f}});
}

TEST_CASE("dead_switches: a dead fetch is refused as before") {
  decided d(true);
  const auto deep = add(d.no, d.no, {"deep"});
  const passed p = d.over({deep, d.yes});
  CHECK(p.names() == all_names{"x", "asked", "switch", "no", "yes", "deep"});
  CHECK(p.name_of_input("yes") == "x");
  for (const fg::pass_options& passes : {with_further_passes(), fg::pass_options::none()}) {
    const auto dead = fg::session{d.g, {.passes = passes}}.try_run(fg::fetch(deep, d.yes), {{d.x, 3.f}});
    REQUIRE_FALSE(dead.has_value());
    CHECK(dead.error().node() == "deep");
    CHECK(std::string(dead.error().what()).find("dead") != std::string::npos);
  }
  // A dead target is no error, and it stays one.
  CHECK(d.over({d.yes}, {deep.source}).names() == all_names{"x", "asked", "switch", "no", "yes", "deep"});
  check_same_with_passes(d.g, {d.yes}, {{d.x, 3.f}}, {deep.source});
}

TEST_CASE("dead_switches: the side of the Switch that is fetched") {
  decided d(false);
  CHECK(d.over({d.sides.if_false}).made.fetches[0].from->name == "x");
  CHECK(d.over({d.sides.if_true}).made.fetches[0].from->name == "switch");
  check_same_with_passes(d.g, {d.sides.if_false}, {{d.x, 3.f}});
  fg::session s{d.g, {.passes = with_further_passes()}};
  CHECK_FALSE(s.try_run(fg::fetch(d.sides.if_true), {{d.x, 3.f}}).has_value());
}

TEST_CASE("dead_switches: what a control edge keeps alive or kills") {
  decided d(true);
  // On the dead side nothing happens; behind the living Switch something does.
  std::atomic<int> dead_runs = 0, living_runs = 0;
  const auto never = counted(d.no, dead_runs, {"never"}), always = counted(d.yes, living_runs, {"always"});
  const auto late = [&](const fg::out<float>& after, const char* name) {
    auto order = d.g.after(after);
    return d.g.constant(5.f, {name});
  };
  const auto dead = add(late(never, "with_dead"), d.x, {"dead"});
  const auto living = add(late(always, "with_living"), d.x, {"living"});
  const auto y = fg::merge({dead, living}).value;
  const passed p = d.over({y});
  for (const draft_node& n : p.made) CHECK(n.name != "never");
  CHECK(p.at("with_living").controls.size() == 1);
  check_same_with_passes(d.g, {y}, {{d.x, 3.f}});
  CHECK(dead_runs == 0);
  CHECK(living_runs == 18);
  // A Switch that itself is waited for stays.
  const auto behind = [&] {
    auto order = d.g.after(d.sides.if_false);
    return fg::apply(add_op{}, d.x, d.x, {"behind"});
  }();
  CHECK(d.over({behind, d.yes}).name_of_input("yes") == "switch");
}

TEST_CASE("dead_switches: a question that is computed from constants") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto asked = fg::identity(less(g.constant(1.f), g.constant(2.f)), {"asked"});
  const auto sides = fg::switch_(x, asked);
  const auto y = fg::merge({add(sides.if_false, x, {"no"}), multiply(sides.if_true, x, {"yes"})}).value;
  fg::session s{g, {.passes = {.further = {fg::passes::dead_switches}}}};
  const auto told = s.explain(fg::fetch(add(y, x)), {{x, {}}});
  CHECK(report_of(told.passes, "dead_switches").changed >= 3);
  for (const fg::explained_node& n : told.nodes) CHECK(n.op != "Switch");
  check_same_with_passes(g, {add(y, x)}, {{x, 3.f}});
}

TEST_CASE("dead_switches: nothing to decide, two living inputs, a loop on the dead side") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto asked = g.placeholder<bool>("asked", {});
  const auto sides = fg::switch_(x, asked);
  const auto y = fg::merge({add(sides.if_false, x), multiply(sides.if_true, x)}).value;
  CHECK(passed(fg::passes::dead_switches, g, {x, asked}, {y}).changed == 0);
  decided d(false);
  const auto both = fg::merge({d.no, d.x, d.yes}, {"both"}).value;
  const passed p = d.over({both});
  CHECK(p.at("both").inputs.size() == 3);
  decided l(false);
  const auto end = counting_loop(l.yes, l.g.constant(20.f), l.g.constant(2.f));
  const auto z = fg::merge({l.no, end}).value;
  CHECK(l.over({z}).changed == 0);
  check_same_with_passes(l.g, {z}, {{l.x, 3.f}});
}

TEST_CASE("dead_switches: what a constant was computed from may have gone") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto folded = chain(g.constant(1.f), 200);
  const auto sides = fg::switch_(x, g.constant(true));
  const auto y = fg::merge({sides.if_false, add(sides.if_true, folded)}).value;
  check_same_with_passes(g, {add(y, x)}, {{x, 3.f}});
}
