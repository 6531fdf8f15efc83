#include <flowgraph/passes/prune_identities.hpp>

#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/debug/diagnostics.hpp>
#include <flowgraph/ops/state/resource_read.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

#include "drafted.hpp"

using namespace engine;

namespace {

// The draft after the pass.
struct without_identities : drafted_graph {
  fg::pass_report did;

  without_identities(const fg::graph& g, std::vector<fg::any_out> feeds, std::vector<fg::any_out> fetches,
                     std::vector<fg::target> targets = {})
      : drafted_graph(g, std::move(feeds), std::move(fetches), std::move(targets)) {
    REQUIRE_FALSE(why);
    did = fg::detail::prune_identities(made, {});
  }
};

struct named_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2});
  fg::out<float> a = fg::apply(add_op{}, x, x, {"a"});
  fg::out<float> i = fg::identity(a, {"i"});
  fg::out<float> j = fg::stop_gradient(i, {"j"});
  fg::out<float> y = fg::apply(add_op{}, j, i, {"y"});
  fg::tensor<float> ones{{2}, {1.f, 1.f}};
};

}  // namespace

TEST_CASE("prune_identities: readers read what the identity reads") {
  named_model m;
  const without_identities p(m.g, {m.x}, {m.y});
  CHECK(p.names() == all_names{"x", "a", "y"});
  CHECK(p.name_of_input("y", 0) == "a");
  CHECK(p.name_of_input("y", 1) == "a");
  CHECK(p.did.name == "prune_identities");
  CHECK(p.did.is_on);
  CHECK(p.did.changed == 2);
  check_same_with_passes(m.g, {m.y}, {{m.x, m.ones}});
  // Of a feed and of a constant too.
  const auto c = fg::identity(m.g.constant(2.f, {"c"}), {"named"});
  const without_identities q(m.g, {m.a}, {fg::apply(add_op{}, m.i, c, {"z"})});
  CHECK(q.names() == all_names{"a", "c", "z"});
}

TEST_CASE("prune_identities: its switch") {
  named_model m;
  fg::session with{m.g}, without{m.g, {.passes = {.prune_identities = false}}}, dynamic{m.g, {.dynamic = true}};
  CHECK(report_of(with.explain(fg::fetch(m.y), {m.x}).passes, "prune_identities").changed == 2);
  for (fg::session* s : {&without, &dynamic}) {
    const fg::pass_report off = report_of(s->explain(fg::fetch(m.y), {m.x}).passes, "prune_identities");
    CHECK_FALSE(off.is_on);
    CHECK(off.changed == 0);
  }
}

TEST_CASE("prune_identities: what is fetched, a target, or the beginning of a control edge stays") {
  named_model m;
  CHECK(without_identities(m.g, {m.x}, {m.y, m.j}).names() == all_names{"x", "a", "j", "y"});
  CHECK(without_identities(m.g, {m.x}, {m.y}, {m.i}).names() == all_names{"x", "a", "i", "y"});
  auto waits = [&] {
    auto later = m.g.after(m.y);
    return fg::identity(m.a, {"waits"});
  }();
  auto end = fg::apply(add_op{}, waits, waits, {"end"});
  CHECK(without_identities(m.g, {m.x}, {end}).names() == all_names{"x", "a", "y", "end"});
  auto before = fg::identity(m.a, {"before"});
  auto after = [&] {
    auto later = m.g.after(before);
    return fg::apply(add_op{}, before, m.x, {"after"});
  }();
  const without_identities p(m.g, {m.x}, {after});
  CHECK(p.names() == all_names{"x", "a", "before", "after"});
  check_same_with_passes(m.g, {end, after, m.j}, {{m.x, m.ones}}, {m.i});
}

TEST_CASE("prune_identities: where one that waits goes, its readers wait instead") {
  named_model m;
  const auto waiting = [&](std::string_view name, fg::out<float> x, auto... before) {
    auto later = m.g.after(before...);
    return fg::identity(x, {name});
  };
  const auto first = waiting("first", m.a, m.y);
  const auto other = fg::apply(add_op{}, m.a, m.a, {"other"});
  const auto second = waiting("second", first, other);
  const auto end = fg::apply(add_op{}, second, m.x, {"end"});
  const without_identities p(m.g, {m.x}, {end});
  CHECK(p.names() == all_names{"x", "a", "y", "other", "end"});
  CHECK(p.name_of_input("end", 0) == "a");
  REQUIRE(p.at("end").controls.size() == 2);
  CHECK(p.at("end").controls[0]->name == "other");
  CHECK(p.at("end").controls[1]->name == "y");
  check_same_with_passes(m.g, {end}, {{m.x, m.ones}});
  // Two readers of two: as many edges as before. Three of two: more, so it stays.
  const auto held = waiting("held", m.a, m.y, other);
  const auto one = fg::apply(add_op{}, held, m.x, {"one"});
  const auto two = fg::apply(add_op{}, held, m.a, {"two"});
  const auto both = fg::apply(add_op{}, one, two, {"both"});
  CHECK(without_identities(m.g, {m.x}, {both}).names() == all_names{"x", "a", "y", "other", "one", "two", "both"});
  const auto third = fg::apply(add_op{}, both, held, {"third"});
  CHECK(without_identities(m.g, {m.x}, {third}).names() ==
        all_names{"x", "a", "y", "other", "held", "one", "two", "both", "third"});
  check_same_with_passes(m.g, {both, third}, {{m.x, m.ones}});
}

TEST_CASE("prune_identities: another device or a colocation keeps a node") {
  named_model m;
  const fg::any_out elsewhere = [&] {
    auto on = m.g.on_device("/device:cpu:0");
    return fg::identity(m.a, {"elsewhere"});
  }();
  const auto beside = [&] {
    auto with = m.g.colocate_with(m.x);
    return fg::identity(m.a, {"beside"});
  }();
  auto y = fg::apply(add_op{}, fg::out<float>(elsewhere.source, 0), beside, {"both"});
  CHECK(without_identities(m.g, {m.x}, {y}).names() == all_names{"x", "a", "elsewhere", "beside", "both"});
}

TEST_CASE("prune_identities: several values that arrive together, checks and prints stay") {
  named_model m;
  const auto beside = fg::stop_gradient(add(m.x, m.x), {"beside"});
  const auto both = fg::identity_n(fg::any_out_list{m.a, beside});
  const auto one = fg::identity_n(fg::any_out_list{m.a});
  auto checked = fg::check_numerics(m.a, "a");
  const fg::out<float> first(both[0].source, 0), only(one[0].source, 0);
  auto y = add(add(first, only), checked);
  const without_identities p(m.g, {m.x}, {y});
  CHECK(p.did.changed == 2);
  CHECK(std::string(p.at(m.a.source->name).name) == "a");
  CHECK(std::string(p.at(both[0].source->name).name) == both[0].source->name);
  for (const draft_node& n : p.made) CHECK(n.id != only.source->id);
}

TEST_CASE("prune_identities: of several values only the first is read, and the others come before it") {
  named_model m;
  const auto scale = m.g.constant(2.f, {"scale"});
  const auto b = fg::apply(add_op{}, m.a, m.x, {"b"});
  const auto around = fg::identity_n(fg::any_out_list{b, m.a, m.x, scale}, {"around"});
  const fg::out<float> first(around[0].source, 0), second(around[0].source, 1);
  const auto y = fg::apply(add_op{}, first, first, {"last"});
  const without_identities p(m.g, {m.x}, {y});
  CHECK(p.did.changed == 1);
  CHECK(p.name_of_input("last", 0) == "b");
  CHECK(p.name_of_input("last", 1) == "b");
  check_same_with_passes(m.g, {y}, {{m.x, m.ones}});
  // Another output is read or fetched, or a node waits.
  const auto both = fg::apply(add_op{}, first, second, {"both"});
  CHECK(without_identities(m.g, {m.x}, {both}).did.changed == 0);
  CHECK(without_identities(m.g, {m.x}, {y, second}).did.changed == 0);
  check_same_with_passes(m.g, {both, y, second}, {{m.x, m.ones}});
}

TEST_CASE("prune_identities: an identity of a reference is a point of reading") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto w = g.variable("w", fg::tensor<float>({2}, {1.f, 2.f}));
  auto before = fg::identity(fg::out<float>(w), {"before"});
  auto named = fg::identity(before, {"named"});
  auto changed = fg::assign_add(w, x, {"changed"});
  auto y = multiply(named, fg::identity(fg::out<float>(changed), {"after"}), {"y"});
  const without_identities p(g, {x}, {y});
  CHECK(p.did.changed == 1);
  CHECK(p.name_of_input("y") == "before");
  check_same_with_passes(g, {y}, {{x, fg::tensor<float>({2}, {1.f, 1.f})}});
}

TEST_CASE("prune_identities: reads and writes by a handle keep their order, whatever it is called") {
  fg::graph g;
  auto h = fg::apply_in<float>(g, fg::var_handle_op{.declared = {2}}, {"h"});
  auto x = g.placeholder<float>("x", {2});
  const auto named = [&](fg::site s) { return fg::identity(h, s); };
  const auto value = [&](fg::site s) { return fg::apply_as<float>(s, fg::read_variable_op{}, named({})); };
  auto set = fg::apply_as<float>({"set"}, fg::assign_variable_op{}, named({}), x);
  auto first = value({"first"});
  auto more = fg::apply_as<float>({"more"}, fg::assign_add_variable_op{}, named({}), x);
  auto second = value({"second"});
  const without_identities p(g, {x}, {first, second}, {set, more});
  CHECK(p.did.changed == 4);
  CHECK(p.name_of_input("second") == "h");
  fg::session s{g};
  const fg::tensor<float> pair_of_ones({2}, {1.f, 1.f});
  const fg::explanation e = s.explain(fg::fetch(first, second), fg::target(more), {x});
  std::size_t orders = 0;
  for (const fg::explained_node& n : e.nodes)
    for (const fg::explained_edge& in : n.inputs) orders += in.kind == fg::explained_edge::form::order ? 1 : 0;
  CHECK(orders == 2);
  check_same_with_passes(g, {first, second}, {{x, pair_of_ones}}, {set, more});
}

TEST_CASE("prune_identities: branches stay dead and alive, and a Merge chooses as before") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto limit = g.placeholder<float>("limit", {});
  auto asked = fg::identity(less(x, limit), {"asked"});
  const auto sides = fg::switch_(x, asked);
  const auto pivot = fg::identity(sides.if_true, {"pivot"});
  auto constant = [&] {
    auto on_branch = g.after(pivot);
    return g.constant(10.f, {"constant"});
  }();
  auto yes = add(fg::identity(fg::identity(sides.if_true)), constant);
  auto no = fg::identity(sides.if_false, {"no"});
  auto y = fg::merge({no, yes}).value;
  const without_identities p(g, {x, limit}, {y});
  CHECK(p.did.changed == 4);
  CHECK(p.at("pivot").is_waited_for);
  for (const draft_node& n : p.made) {
    CHECK(n.id != no.source->id);
    CHECK(n.id != asked.source->id);
    CHECK(n.is_weighed ==
          (n.id == sides.if_false.source->id || n.id == yes.source->id || n.outputs[0].type == fg::dtype::boolean));
  }
  for (const float v : {1.f, 3.f}) check_same_with_passes(g, {y}, {{x, v}, {limit, 2.f}});
  // A dead value that is fetched is refused by the same words.
  for (const fg::pass_options& passes : {fg::pass_options(), fg::pass_options::none()}) {
    const auto dead = fg::session{g, {.passes = passes}}.try_run(fg::fetch(yes), {{x, 3.f}, {limit, 2.f}});
    REQUIRE_FALSE(dead.has_value());
    CHECK(std::string(dead.error().what()).find("dead") != std::string::npos);
  }
}

TEST_CASE("prune_identities: in the body of a loop") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = counting_loop(g.constant(0.f), x, g.constant(2.f));
  const without_identities p(g, {x}, {y});
  CHECK(p.did.changed == 1);
  check_same_with_passes(g, {y}, {{x, 9.f}});
}
