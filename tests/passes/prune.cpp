#include <flowgraph/passes/prune.hpp>

#include "drafted.hpp"

using namespace engine;

namespace {

using pruned = drafted_graph;

struct pruned_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2}), unused = g.placeholder<float>("unused", {2});
  fg::out<float> c = g.constant(2.f, {"c"});
  fg::out<float> a = fg::apply(add_op{}, x, c, {"a"});
  fg::out<float> b = fg::apply(add_op{}, a, a, {"b"});
  fg::out<float> other = fg::apply(add_op{}, a, unused, {"other"});
};

}  // namespace

TEST_CASE("prune: what the fetches need, feeds first, then in order of creation") {
  pruned_model m;
  const pruned p(m.g, {m.x}, {m.b, m.x});
  REQUIRE_FALSE(p.why);
  CHECK(p.names() == all_names{"x", "c", "a", "b"});
  CHECK(p.at("x").kind == draft_node::form::feed);
  CHECK(p.at("c").kind == draft_node::form::constant);
  CHECK(p.at("a").kind == draft_node::form::op);
  CHECK(p.at("a").id == m.a.source->id);
  REQUIRE(p.at("b").inputs.size() == 2);
  CHECK(p.at("b").inputs[1] == fg::detail::draft_edge{const_cast<draft_node*>(&p.at("a")), 0});
  REQUIRE(p.made.fetches.size() == 2);
  CHECK(p.made.fetches[0].from == &p.at("b"));
  CHECK(p.made.fetches[1].from == p.made.feeds[0]);
}

TEST_CASE("prune: what is fed cuts off all above it, and keeps the node that it comes from") {
  pruned_model m;
  const pruned p(m.g, {m.a}, {m.b});
  REQUIRE_FALSE(p.why);
  CHECK(p.names() == all_names{"a", "b"});
  CHECK(p.at("a").kind == draft_node::form::feed);
  CHECK(p.at("a").id == m.a.source->id);
  CHECK(p.at("b").inputs[0].from == p.made.feeds[0]);
  // As a target besides, the node itself is needed too.
  const pruned both(m.g, {m.a, m.x}, {m.b}, {m.a});
  REQUIRE_FALSE(both.why);
  CHECK(both.names() == all_names{"a", "x", "c", "a", "b"});
  CHECK(both.at("b").inputs[0].from == both.made.feeds[0]);
  CHECK(both.made.targets[0]->kind == draft_node::form::op);
}

TEST_CASE("prune: control edges are kept, but for those from placeholders that are fed") {
  pruned_model m;
  auto before = [&] {
    auto later = m.g.after_all(std::vector<fg::target>{m.x, m.a});
    return fg::apply(add_op{}, m.unused, m.unused, {"before"});
  }();
  const pruned p(m.g, {m.x, m.unused}, {before});
  REQUIRE_FALSE(p.why);
  CHECK(p.names() == all_names{"x", "unused", "c", "a", "before"});
  REQUIRE(p.at("before").controls.size() == 1);
  CHECK(p.at("before").controls[0] == &p.at("a"));
}

TEST_CASE("prune: it notes what is requested, waited for and weighed") {
  pruned_model m;
  auto yes = less(m.x, m.unused, {"yes"});
  const auto sides = fg::switch_(m.a, yes);
  auto later = [&] {
    auto order = m.g.after(m.b);
    return fg::apply(add_op{}, sides.if_true, sides.if_true, {"later"});
  }();
  const auto chosen = fg::merge({sides.if_false, later});
  const pruned p(m.g, {m.x, m.unused}, {chosen.value}, {m.c});
  REQUIRE_FALSE(p.why);
  for (const draft_node& n : p.made) {
    CAPTURE(n.name);
    CHECK(n.is_requested == (n.id == chosen.value.source->id || n.name == "c"));
    CHECK(n.is_waited_for == (n.name == "b"));
    CHECK(n.is_weighed == (n.name == "yes" || n.name == "later" || n.id == sides.if_false.source->id));
  }
}

TEST_CASE("prune: handles of another graph, empty ones and double feeds are refused") {
  pruned_model m, other;
  CHECK(pruned(m.g, {}, {other.b}).why.code() == error_code::invalid_argument);
  CHECK(pruned(m.g, {fg::any_out{}}, {m.b}).why.code() == error_code::invalid_argument);
  CHECK(pruned(m.g, {m.x, m.x}, {m.b}).why.code() == error_code::invalid_argument);
}
