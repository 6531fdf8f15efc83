#include <flowgraph/graph/control_nodes.hpp>

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

#include <array>
#include <type_traits>
#include <vector>

using namespace test;

TEST_CASE("control_nodes: any list of nodes") {
  fg::node a, b;
  const std::vector<fg::node*> listed{&a, &b};
  const std::array<fg::node*, 2> array{&a, &b};
  fg::detail::sequence<fg::node*> sequence;
  sequence.push_back(&a);
  sequence.push_back(&b);
  const std::span<fg::node* const> span = listed;
  for (const fg::control_nodes& given :
       {fg::control_nodes(listed), fg::control_nodes(array), fg::control_nodes(sequence), fg::control_nodes(span)}) {
    REQUIRE(given.size() == 2);
    CHECK(given[0] == &a);
    CHECK(given[1] == &b);
  }
  CHECK(fg::control_nodes().empty());
  static_assert(!std::is_constructible_v<fg::control_nodes, std::vector<int>>);
}

TEST_CASE("control_nodes: a graph learns what passes do about nodes that wait by the first of them, wherever it comes from") {
  const auto known = [](const fg::graph& g) { return g.state().waiting; };
  fg::graph scoped, plain, asked;
  const fg::out<float> x = source<float>(scoped, "x");
  CHECK((known(scoped) == nullptr));
  CHECK((known(scoped.clone()) == nullptr));
  {
    const auto scope = scoped.after(x);
    CHECK((known(scoped) == fg::detail::rules_for_waiting));
  }
  CHECK((known(scoped.clone()) == fg::detail::rules_for_waiting));

  for (fg::graph* g : {&plain, &asked}) {
    source<float>(*g, "before");
    fg::node* const before = g->state().nodes.front();
    fg::node_request r;
    r.table = before->op;
    r.op = before->attributes;
    const std::vector<fg::node*> after{before};
    if (g == &asked) r.control_inputs = after;
    const auto made = g->try_add(r, {});
    REQUIRE(made);
    CHECK((*made)->control_inputs.size() == (g == &asked ? 1 : 0));
  }
  CHECK((known(plain) == nullptr));
  CHECK((known(asked) == fg::detail::rules_for_waiting));
}
