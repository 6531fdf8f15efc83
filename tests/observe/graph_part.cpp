#include <flowgraph/observe/graph_part.hpp>

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

struct deep_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 2});
  fg::variable<float> first = g.variable("first", fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::variable<float> second = g.variable("second", fg::tensor<float>({3, 1}, {1, -1, 2}));
  fg::out<float> hidden = fg::exp(fg::matmul(x, first, fg::site{"product"}) * 0.1f, {"hidden"});
  fg::out<float> y = fg::matmul(hidden, second, fg::site{"y"});
};

}  // namespace

TEST_CASE("graph part: what an output needs from an edge on, under the same names, gives what the whole gives") {
  deep_model m;
  fg::session whole{m.g};
  whole.initialize();
  const fg::tensor<float> rows({2, 2}, {1, 2, 3, -4});
  const auto [hidden, y] = whole.run(fg::fetch(m.hidden, m.y), {{m.x, rows}});
  const fg::graph_part part = fg::cut_part(m.g, {m.y}, {{m.hidden, fg::shape{2, 3}}}).value();
  CHECK_FALSE(part.graph.find("x"));
  CHECK_FALSE(part.graph.find("first"));
  REQUIRE(part.graph.find("hidden"));
  CHECK(part.graph.find("hidden")->op->name() == "Placeholder");
  CHECK(part.fetches[0].name() == "y");
  CHECK(part.fetches[0].shape() == fg::shape{2, 1});  // worked out from the shape of the feed
  CHECK(part.graph.trainable_variables().size() == 1);
  for (const bool is_shared : {false, true}) {
    fg::session alone{part.graph, {.resources = is_shared ? &whole.resources() : nullptr}};
    if (is_shared) whole.assign({{m.second, fg::tensor<float>({3, 1}, {5, 5, 5})}});
    else alone.initialize();
    const fg::fed feeds[]{{part.feeds[0], hidden.erased()}};
    const auto made = alone.try_run({.feeds = feeds, .fetches = part.fetches}).value();
    const auto expected = is_shared ? whole.run(fg::fetch(m.y), {{m.x, rows}}) : fg::fetched<float>(y);
    for (std::size_t i = 0; i < 2; ++i) CHECK(made[0].as<float>()[i] == expected[i]);
  }
}

TEST_CASE("graph part: a node whose output is fed and that something else needs stays, and has several outputs") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2, 4});
  auto parts = fg::split(x, 2, 1, {"halves"});
  auto y = fg::exp(parts[0], {"a"}) + fg::square(parts[1], {"b"});
  const fg::graph_part part = fg::cut_part(g, {y}, {{parts[1]}}).value();
  CHECK(part.feeds[0].name() == "halves_1");
  REQUIRE(part.graph.find("halves"));
  CHECK(part.graph.find("b")->inputs[0].from == part.feeds[0].source);
  CHECK(part.graph.find("a")->inputs[0].from == part.graph.find("halves"));
  fg::session s{part.graph};
  const fg::fed feeds[]{{"x:0", fg::tensor<float>({2, 4}, {0, 0, 9, 9, 0, 0, 9, 9})},
                        {part.feeds[0], fg::tensor<float>({2, 2}, {1, 2, 3, 4}).erased()}};
  const auto made = s.try_run({.feeds = feeds, .fetches = part.fetches}).value();
  CHECK(made[0].as<float>()[3] == 17);
  const fg::graph_part itself = fg::cut_part(g, {parts[0], y}, {{parts[0]}}).value();
  CHECK(itself.feeds[0].name() == "halves_fed");
  CHECK(itself.fetches[0] == itself.feeds[0]);
}

TEST_CASE("graph part: loops are cut out whole") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto before = fg::exp(x, {"before"});
  auto [n] = fg::while_loop(
      std::tuple{before}, [](auto v) { return v < 100.f; }, [](auto v) { return std::tuple{fg::square(v, {"inside"})}; });
  const fg::graph_part part = fg::cut_part(g, {n}, {{before}}).value();
  CHECK_FALSE(part.graph.find("x"));
  fg::session s{part.graph};
  const fg::fed feeds[]{{part.feeds[0], fg::tensor<float>(3.f).erased()}};
  CHECK(s.try_run({.feeds = feeds, .fetches = part.fetches}).value()[0].as<float>()[0] == 6561);
  fg::node* inside = nullptr;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (g.at(i)->name.ends_with("inside")) inside = g.at(i);
  CHECK_FALSE(fg::cut_part(g, {n}, {{fg::any_out{inside, 0}}}).has_value());
}

TEST_CASE("graph part: what cannot be cut is refused") {
  deep_model m;
  fg::graph other;
  const auto elsewhere = other.placeholder<float>("z", {});
  CHECK_FALSE(fg::cut_part(m.g, std::initializer_list<fg::any_out>{}).has_value());
  CHECK_FALSE(fg::cut_part(m.g, {elsewhere}).has_value());
  CHECK_FALSE(fg::cut_part(m.g, {fg::any_out()}).has_value());
  CHECK_FALSE(fg::cut_part(m.g, {m.y}, {{m.first}}).has_value());
  CHECK_FALSE(fg::cut_part(m.g, {m.y}, {{m.hidden}, {m.hidden}}).has_value());
  CHECK_FALSE(fg::cut_part(m.g, {m.y}, {{m.hidden, fg::shape{2, 7}}}).has_value());
  CHECK_FALSE(fg::cut_part(m.g, {m.y}, {{"nothing:0"}}).has_value());
  CHECK_FALSE(fg::cut_part(m.g, {fg::any_out{m.y.source, 3}}).has_value());
}
