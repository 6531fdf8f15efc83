#include <flowgraph/observe/side_by_side.hpp>

#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/operators.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

// Two layers; `bend` and `scale` are where a fault is planted.
fg::graph two_layers(float scale, bool bend, std::string_view scope = {}) {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto build = [&] {
    auto h = fg::matmul(x, g.constant(fg::tensor<float>({2, 2}, {1, -2, 3, 4})), fg::site{"h"});
    auto a = bend ? fg::elu(h, {"a"}) : fg::relu(h, {"a"});
    fg::exp(fg::matmul(a, g.constant(fg::tensor<float>({2, 1}, {scale, 0.5f})), fg::site{"z"}) * 0.1f, {"y"});
  };
  if (scope.empty()) build();
  else {
    auto in = g.in_scope(scope);
    build();
  }
  return g;
}
const fg::session_options unpruned_two_layers{.passes = fg::pass_options::none()};
const fg::named_run rows_of_two_layers{
    .feeds = {{"x", fg::tensor<float>({2, 2}, {1, 2, -3, 0.5f}).erased()}}, .fetches = {"y"}, .targets = {}};

}  // namespace

TEST_CASE("side by side: equal graphs are equal, and the planted fault is the first tensor that differs") {
  fg::session a{two_layers(1, false), unpruned_two_layers}, same{two_layers(1, false), unpruned_two_layers},
      bent{two_layers(1, true), unpruned_two_layers};
  const auto equal = fg::compare_side_by_side(a, same, rows_of_two_layers).value();
  CHECK(equal.are_equal());
  CHECK(equal.compared >= 6);
  CHECK(equal.only_in_first.empty());
  const auto found = fg::compare_side_by_side(a, bent, rows_of_two_layers).value();
  CHECK_FALSE(found.are_equal());
  REQUIRE(found.first);
  CHECK(found.first->name == "a");
  CHECK(found.first->op == "Relu<float>");
  CHECK(found.first->inputs == std::vector<std::string>{"h: equal"});
  CHECK(found.differing == 4);
  CHECK(found.text().find("first: a (Relu<float>): 1 of 4 elements differ, the most by ") != std::string::npos);
}

TEST_CASE("side by side: a constant that differs is found before what is made from it; a tolerance passes over it") {
  fg::session a{two_layers(1, false), unpruned_two_layers}, b{two_layers(1.001f, false), unpruned_two_layers};
  const auto found = fg::compare_side_by_side(a, b, rows_of_two_layers).value();
  REQUIRE(found.first);
  CHECK(found.first->op == "Const<float>");
  CHECK(found.most->most >= found.first->most);
  CHECK(fg::compare_side_by_side(a, b, rows_of_two_layers, {.allowed = {.relative = 0.1}, .rename = {}}).value().are_equal());
}

TEST_CASE("side by side: names may differ by a rule, and what only one side has is told") {
  fg::session a{two_layers(1, false), unpruned_two_layers}, b{two_layers(1, true, "copy"), unpruned_two_layers};
  const auto rename = [](const std::string& name) { return name.starts_with("x") ? name : "copy/" + name; };
  const auto found = fg::compare_side_by_side(a, b, rows_of_two_layers, {.allowed = {}, .rename = rename}).value();
  REQUIRE(found.first);
  CHECK(found.first->name == "a");
  const auto unnamed =
      fg::compare_side_by_side(a, b, {.feeds = rows_of_two_layers.feeds, .fetches = {"x"}, .targets = {}}).value();
  CHECK(unnamed.compared == 1);
  fg::session c{two_layers(1, false), unpruned_two_layers};
  CHECK_FALSE(fg::compare_side_by_side(a, c, {.feeds = rows_of_two_layers.feeds, .fetches = {"q"}, .targets = {}}).has_value());
}

TEST_CASE("side by side: with hashes that another machine wrote") {
  fg::session a{two_layers(1, false), unpruned_two_layers}, b{two_layers(1, true), unpruned_two_layers};
  const auto record = [](fg::session& s) {
    const fg::fed feeds[]{{s.graph().output("x").value(), rows_of_two_layers.feeds[0].second}};
    const fg::any_out fetches[]{s.graph().output("y").value()};
    return fg::record_run(s, {.feeds = feeds, .fetches = fetches}).value();
  };
  const auto theirs = fg::recorded_run::from_text(record(b).to_text()).value();
  const auto found = fg::compare_runs(record(a), theirs);
  REQUIRE(found.first);
  CHECK(found.first->name == "a");
  CHECK(found.first->how == "the hashes of the elements differ");
  CHECK(found.first->where.line() > 0);
  CHECK(fg::compare_runs(record(a), fg::recorded_run::from_text(record(a).to_text()).value()).are_equal());
}
