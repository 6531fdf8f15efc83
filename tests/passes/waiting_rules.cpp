#include <flowgraph/passes/waiting_rules.hpp>

#include "drafted.hpp"

using namespace engine;

TEST_CASE("waiting_rules: a draft has them where a node of the graph waits for others besides its inputs") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const fg::out<float> i = fg::identity(x, {"i"});
  const auto drafted = [&](const fg::out<float>& y) {
    fg::detail::draft d;
    const fg::any_out feeds[]{x}, fetches[]{y};
    REQUIRE_FALSE(fg::detail::prune(g.state(), feeds, fetches, {}, d));
    return d.waiting;
  };
#ifndef FLOWGRAPH_ALL_INLINE
  CHECK(drafted(i) == nullptr);
#endif
  const auto scope = g.after(i);
  const fg::out<float> j = fg::identity(x, {"j"});
  CHECK(drafted(j) == &fg::detail::rules_of_waiting_nodes());
}

TEST_CASE("waiting_rules: of identities that wait, those go whose readers can wait instead") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const fg::out<float> first = add(x, x, {"first"});
  fg::out<float> late;
  {
    const auto scope = g.after(first);
    late = fg::identity(x, {"late"});
  }
  const fg::out<float> y = add(late, x, {"y"});
  drafted_graph d(g, {x}, {y});
  REQUIRE_FALSE(d.why);
  fg::detail::sequence<draft_node*> all;
  for (draft_node& n : d.made)
    if (n.name == "late") all.push_back(&n);
  REQUIRE(all.size() == 1);
  CHECK(d.made.waiting->prune_identities(d.made, all) == 1);
  CHECK(d.names() == all_names{"x", "first", "y"});
  CHECK(d.name_of_input("y") == "x");
  REQUIRE(d.at("y").controls.size() == 1);
  CHECK(d.at("y").controls[0] == &d.at("first"));
}

TEST_CASE("waiting_rules: what is computed of constants that wait is a constant that waits") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const fg::out<float> first = add(x, x, {"first"});
  fg::out<float> two;
  {
    const auto scope = g.after(first);
    two = g.constant(2.f, {"two"});
  }
  const fg::out<float> four = add(two, two, {"four"});
  drafted_graph d(g, {x}, {four});
  REQUIRE_FALSE(d.why);
  fg::container none;
  fg::run_services services;
  services.resources = &none;
  fg::detail::draft_runner runner(services, fg::detail::draft_runner::most_of_plan, g.state());
  const fg::pass_options options;
  fg::detail::constant_folding folding(options, fg::detail::constant_folding::stage::plan);
  d.made.waiting->fold_constants(folding, d.made, runner);
  CHECK(folding.report().changed == 1);
  const draft_node& made = d.at("four");
  CHECK(made.inputs.empty());
  REQUIRE(made.controls.size() == 1);
  CHECK(made.controls[0] == &d.at("first"));
  REQUIRE((made.table->description->constant != nullptr));
  CHECK(made.table->description->constant(made.attributes)->as<float>()[0] == 4);
  check_same_with_passes(g, {four}, {{x, 1.f}});
}
