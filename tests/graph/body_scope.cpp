#include <flowgraph/graph/body_scope.hpp>

#include "ops.hpp"

#include <flowgraph/graph/graph_state.hpp>

#include <doctest/doctest.h>

using namespace test;
using fg::detail::body_scope;
using fg::detail::effect;
using fg::detail::graph_state;
using fg::detail::open_body;

namespace {

// Brings a handle in by a node of its own, and notes what it was asked for.
class passing_body final : public body_scope {
public:
  explicit passing_body(graph_state& state) : state_(state) {}

  fg::result<fg::any_out> capture(fg::any_out from) override {
    if (from.source->body == number) return from;
    ++captured;
    const open_body outside(state_, nullptr, 0);
    return fg::any_out(fg::apply(pass_op{}, fg::out<float>{from.source, from.port}, {.name = "way_in"}));
  }
  fg::node* pivot() override { return nullptr; }

  std::uint32_t number = 0;
  int captured = 0;

private:
  graph_state& state_;
};

}  // namespace

TEST_CASE("body: numbers tell bodies apart, and which of them stand inside of which") {
  fg::graph g;
  graph_state& s = g.state();
  const std::uint32_t outer = fg::detail::next_body_number(s, "outer");
  std::uint32_t inner = 0;
  passing_body body(s);
  {
    const open_body open(s, &body, outer);
    CHECK(s.bodies.open == &body);
    inner = fg::detail::next_body_number(s, "inner");
  }
  const std::uint32_t beside = fg::detail::next_body_number(s);
  CHECK(s.bodies.open == nullptr);
  CHECK(s.bodies.number == 0);
  CHECK(outer != inner);
  CHECK(inner != beside);
  CHECK(fg::detail::is_within(s, inner, outer));
  CHECK(fg::detail::is_within(s, inner, inner));
  CHECK(fg::detail::is_within(s, inner, 0));
  CHECK_FALSE(fg::detail::is_within(s, outer, inner));
  CHECK_FALSE(fg::detail::is_within(s, beside, outer));
}

TEST_CASE("body: what is taken from outside is captured, control dependencies stay outside") {
  fg::graph g;
  graph_state& s = g.state();
  const auto x = source<float>(g, "x"), waits_for = source<float>(g, "waits_for");
  passing_body body(s);
  const std::uint32_t number = body.number = fg::detail::next_body_number(s, "the body");
  const auto after = g.after(waits_for);
  fg::out<float> inside, next;
  {
    const open_body open(s, &body, number);
    inside = fg::apply(pass_op{}, x);
    next = fg::apply(pass_op{}, inside);
  }
  CHECK(body.captured == 1);
  CHECK(inside.source->body == number);
  CHECK(inside.source->inputs[0].from->name == "way_in");
  CHECK(next.source->inputs[0].from == inside.source);
  CHECK(inside.source->control_inputs.empty());
  const auto outside = fg::apply(pass_op{}, x);
  CHECK(outside.source->body == 0);
  REQUIRE(outside.source->control_inputs.size() == 1);
  CHECK(outside.source->control_inputs[0] == waits_for.source);
}

TEST_CASE("body: a handle from inside is refused outside, by the name of the body, unless closed bodies are read") {
  fg::graph g;
  graph_state& s = g.state();
  const auto x = source<float>(g, "x");
  passing_body body(s);
  const std::uint32_t number = body.number = fg::detail::next_body_number(s, "loop 'rounds'");
  fg::out<float> inside;
  {
    const open_body open(s, &body, number);
    inside = fg::apply(pass_op{}, x, {.name = "inside"});
    CHECK_FALSE(fg::detail::check_reach(s, *inside.source, "inside"));
  }
  const fg::error why = fg::detail::check_reach(s, *inside.source, "inside");
  CHECK(why.code() == fg::error_code::invalid_argument);
  for (const char* part : {"'inside'", "loop 'rounds'", "return it"}) CHECK(why.message().find(part) != std::string_view::npos);
  CHECK_FALSE(fg::detail::check_reach(s, *x.source, "x"));
  const fg::detail::open_to_closed_bodies reads(s);
  CHECK(fg::apply(pass_op{}, inside).source->inputs[0].from == inside.source);
}

TEST_CASE("body: another body stands in place of the open one for a while, and null changes nothing") {
  fg::graph g;
  graph_state& s = g.state();
  passing_body first(s), second(s);
  const open_body open(s, &first, fg::detail::next_body_number(s));
  {
    const fg::detail::body_in_place other(s, &second);
    CHECK(s.bodies.open == &second);
    const fg::detail::body_in_place none(s, nullptr);
    CHECK(s.bodies.open == &second);
  }
  CHECK(s.bodies.open == &first);
}

TEST_CASE("body: effects are noted inside of bodies, and readers are waited for where something changes") {
  fg::graph g;
  graph_state& s = g.state();
  const auto x = source<float>(g, "x"), y = source<float>(g, "y");
  fg::detail::note_effect(s, x.source, effect::changes);  // in no body
  CHECK(s.bodies.effects.empty());
  passing_body body(s);
  const open_body open(s, &body, fg::detail::next_body_number(s));
  fg::detail::noted_effects noted(s);
  CHECK(noted.found() == effect::none);
  fg::detail::note_effect(s, x.source, effect::none);
  fg::detail::note_effect(s, x.source, effect::reads);
  CHECK(noted.take().empty());
  CHECK(noted.found() == effect::reads);
  fg::detail::note_effect(s, x.source, effect::reads);
  fg::detail::note_effect(s, y.source, effect::changes);
  CHECK(noted.take() == std::vector<fg::node*>{x.source, y.source});
  CHECK(noted.found() == effect::changes);
  CHECK_FALSE(noted.holds_loops());
}

TEST_CASE("body: the ends of loops with effects are noted in their body, until what comes there is taken") {
  fg::graph g;
  graph_state& s = g.state();
  const auto x = source<float>(g, "x");
  passing_body body(s);
  const open_body open(s, &body, fg::detail::next_body_number(s));
  fg::detail::note_effect(s, x.source, effect::reads, true);
  {
    fg::detail::noted_effects inner(s);
    CHECK(s.bodies.loop_ends.empty());
    fg::detail::note_effect(s, x.source, effect::none, true);
    CHECK(s.bodies.loop_ends.empty());
    fg::detail::note_effect(s, x.source, effect::changes, true);
    CHECK(s.bodies.loop_ends == std::vector<fg::node*>{x.source});
    inner.take();
    CHECK(inner.holds_loops());
    CHECK(s.bodies.loop_ends.empty());
  }
  CHECK(s.bodies.loop_ends == std::vector<fg::node*>{x.source});
}
