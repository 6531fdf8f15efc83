#include <flowgraph/passes/known_shapes.hpp>

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/math/cast.hpp>

#include "drafted.hpp"

using namespace engine;

namespace {

passed over(const fg::graph& g, std::vector<fg::any_out> feeds, std::vector<fg::any_out> fetches,
            const fg::pass_options& options = {}) {
  return {fg::passes::known_shapes, g, std::move(feeds), std::move(fetches), {}, options};
}
std::size_t constants_in(const passed& p) {
  std::size_t found = 0;
  for (const draft_node& n : p.made) found += n.kind == draft_node::form::constant ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("known_shapes: shape, size and rank of what has one shape are constants") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2, 3});
  const auto y = add(x, x, {"y"});
  const auto shape = fg::shape_of(y, {"shape"});
  const auto size = fg::size_of<std::int64_t>(y, {"size"});
  const auto rank = fg::rank_of(y, {"rank"});
  const passed p = over(g, {x}, {y, shape, size, rank});
  CHECK(p.changed == 3);
  REQUIRE(constants_in(p) == 3);
  CHECK(p.at("shape").values[0].shape() == fg::shape{2});
  CHECK(p.at("shape").values[0].as<std::int32_t>()[1] == 3);
  CHECK(p.at("size").values[0].as<std::int64_t>()[0] == 6);
  CHECK(p.at("rank").values[0].as<std::int32_t>()[0] == 2);
  const fg::tensor<float> value({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  check_same_with_passes(g, {y, shape, size, rank}, {{x, value}});
  // They are folded further, and told.
  const auto sum = fg::cast<float>(size);
  fg::session s{g, {.passes = {.further = {fg::passes::known_shapes}}}};
  const auto told = s.explain(fg::fetch(sum), {{x, {2, 3}}}).passes;
  CHECK(report_of(told, "known_shapes").is_on);
  CHECK(report_of(told, "known_shapes").changed == 1);
  CHECK(report_of(told, "fold_constants").changed == 1);
  CHECK(to_vector(s.run(fg::fetch(sum), {{x, value}})) == std::vector<float>{6.f});
}

TEST_CASE("known_shapes: of several tensors at once") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2}), z = g.placeholder<float>("z", {2, 1});
  const auto both = fg::shapes_of(fg::out_list<float>{x, z}, {"both"});
  const passed p = over(g, {x, z}, {both[0], both[1]});
  CHECK(p.changed == 1);
  CHECK(p.at("both").values[1].size() == 2);
  check_same_with_passes(g, {both[0], both[1]},
                         {{x, fg::tensor<float>({2}, {1.f, 2.f})}, {z, fg::tensor<float>({2, 1}, {1.f, 2.f})}});
}

TEST_CASE("known_shapes: what a feed leaves open, a kernel decides or a variable may change stays") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2, fg::any});
  const auto open = fg::shape_of(x, {"open"});
  CHECK(over(g, {x}, {open}).changed == 0);
  const auto w = g.variable("w", fg::tensor<float>({2}, {1.f, 2.f}));
  const auto held = fg::shape_of(add(fg::identity(fg::out<float>(w)), g.constant(1.f)), {"held"});
  CHECK(over(g, {}, {held}).changed == 0);
  // An assignment gives it another shape, and the answer follows.
  const auto longer = fg::apply(fg::assign_op{.validate_shape = false}, w, g.constant(fg::tensor<float>({3}, {1.f, 2.f, 3.f})));
  fg::session s{g, {.passes = with_further_passes()}};
  s.initialize();
  const auto extent = [&] {
    const fg::tensor<std::int32_t> found = s.run(fg::fetch(held));
    return found[0];
  };
  CHECK(extent() == 2);
  s.run(fg::target(longer));
  CHECK(extent() == 3);
}

TEST_CASE("known_shapes: a feed in the place of a constant leaves open what a rule read of it") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {6});
  const auto to = g.constant(fg::tensor<std::int32_t>({2}, {2, 3}), {"to"});
  const auto shape = fg::shape_of(fg::reshape(x, to), {"shape"});
  CHECK(over(g, {x}, {shape}).changed == 1);
  CHECK(over(g, {x, to}, {shape}).changed == 0);
}

TEST_CASE("known_shapes: on a branch and in a loop it may be dead") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto yes = g.placeholder<bool>("yes", {});
  const auto sides = fg::switch_(x, yes);
  const auto shape = fg::shape_of(sides.if_true, {"shape"});
  CHECK(over(g, {x, yes}, {shape}).changed == 0);
  fg::session s{g, {.passes = with_further_passes()}};
  CHECK_FALSE(s.try_run(fg::fetch(shape), {{x, fg::tensor<float>({2}, {1.f, 2.f})}, {yes, false}}).has_value());
}

TEST_CASE("known_shapes: on a branch a shape waits for its side, and what is made of it is computed once") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {3});
  const auto yes = g.placeholder<bool>("yes", {});
  const auto sides = fg::switch_(x, yes);
  // The gradient of a Switch makes zeros so, for a side that was not taken.
  const auto not_taken = fg::identity(sides.if_false, {"not_taken"});
  const auto zero = [&] {
    const auto later = g.after(not_taken);
    return g.constant(0.f, {"zero"});
  }();
  const auto zeros = fg::fill(fg::shape_of(sides.if_false, {"shape"}), zero, {"zeros"});
  const auto y = fg::merge({zeros, add(sides.if_true, sides.if_true)}).value;
  const passed p = over(g, {x, yes}, {y});
  CHECK(p.changed == 1);
  CHECK(p.at("shape").inputs.empty());
  REQUIRE(p.at("shape").controls.size() == 1);
  CHECK(p.at("shape").controls[0] == &p.at("not_taken"));
  fg::session s{g, {.passes = {.further = {fg::passes::known_shapes}}}};
  const auto told = s.explain(fg::fetch(y), {{x, {3}}, {yes, {}}}).passes;
  CHECK(report_of(told, "fold_constants").changed == 1);
  const fg::tensor<float> value({3}, {1.f, 2.f, 3.f});
  for (const bool taken : {false, true}) check_same_with_passes(g, {y}, {{x, value}, {yes, fg::tensor<bool>(taken)}});
  const auto dead = s.try_run(fg::fetch(zeros), {{x, value}, {yes, fg::tensor<bool>(true)}});
  REQUIRE_FALSE(dead.has_value());
  CHECK(std::string(dead.error().what()).find("dead") != std::string::npos);
  // Where nobody stands for the side alone, it stays.
  const auto alone = fg::shape_of(fg::switch_(x, yes).if_true);
  CHECK(over(g, {x, yes}, {alone}).changed == 0);
}

TEST_CASE("known_shapes: a limit of bytes") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2, 3});
  const auto shape = fg::shape_of(x, {"shape"});
  const passed p = over(g, {x}, {shape}, {.folded_bytes = 4});
  CHECK(p.changed == 0);
  CHECK(p.too_large == 1);
}

TEST_CASE("known_shapes: what depends on constants alone waits for nobody that always runs") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto yes = g.placeholder<bool>("yes", {});
  const auto y = add(x, x, {"y"});
  const auto late = [&](const auto& after, const char* name) {
    auto order = g.after(after);
    return g.constant(2.f, {name});
  };
  const auto sum = add(late(y, "late"), g.constant(1.f), {"sum"});
  const passed p = over(g, {x}, {y, sum});
  CHECK(p.changed == 1);
  CHECK(p.at("late").kind == draft_node::form::constant);
  CHECK_FALSE(p.at("y").is_waited_for);
  const auto sides = fg::switch_(x, yes);
  const auto pivot = fg::identity(sides.if_true, {"pivot"});
  const passed q = over(g, {x, yes}, {add(late(pivot, "on_branch"), pivot)});
  CHECK(q.changed == 0);
  check_same_with_passes(g, {y, sum}, {{x, 3.f}});
}
