#include <flowgraph/observe/watched_run.hpp>

#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

struct heard_call {
  fg::watched_call::form kind;
  std::string node, iteration;
  std::vector<fg::any_tensor> inputs, outputs;
};

std::vector<heard_call> heard_of(fg::session& s, const fg::any_out& fetch, std::initializer_list<fg::fed> feeds) {
  std::vector<heard_call> all;
  fg::watched_run watch([&](const fg::watched_call& c) {
    all.push_back(
        {c.kind, std::string(c.at->name), c.iteration, {c.inputs.begin(), c.inputs.end()}, {c.outputs.begin(), c.outputs.end()}});
  });
  s.try_run(fg::run_request{.feeds = {feeds.begin(), feeds.size()}, .fetches = {&fetch, 1}}, {.measure = &watch}).value();
  return all;
}

float first_float(const fg::any_tensor& t) { return t.as<float>()[0]; }

}  // namespace

TEST_CASE(
    "watched run: constants, feeds and nodes are heard of with their inputs and outputs, also where a kernel could write in "
    "place") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto y = fg::exp(fg::exp(x * g.constant(0.f), {"inner"}) - 1.f, {"outer"});
  fg::session s{g, {.passes = fg::pass_options::none()}};
  const auto all = heard_of(s, y, {{x, fg::tensor<float>({2}, {3, 4})}});
  std::size_t constants = 0, feeds = 0, ops = 0;
  for (const heard_call& c : all) {
    constants += c.kind == fg::watched_call::form::constant ? 1 : 0;
    feeds += c.kind == fg::watched_call::form::feed ? 1 : 0;
    ops += c.kind == fg::watched_call::form::op ? 1 : 0;
    CHECK(c.iteration.empty());
    if (c.node == "inner") {
      REQUIRE(c.inputs.size() == 1);
      CHECK(first_float(c.inputs[0]) == 0);
      CHECK(first_float(c.outputs[0]) == 1);
    }
    if (c.node == "outer") CHECK(first_float(c.inputs[0]) == 0);
  }
  CHECK(constants == 2);
  CHECK(feeds == 1);
  CHECK(ops == 4);
}

TEST_CASE("watched run: nodes of a loop are heard of once an iteration, with its number") {
  fg::graph g;
  auto limit = g.placeholder<float>("limit", {});
  auto [n] = fg::while_loop(
      std::tuple{g.constant(0.f)}, [&](auto v) { return v < limit; },
      [&](auto v) { return std::tuple{fg::square(v, {"kept"}) * 0.f + v + 1.f}; });
  fg::session s{g, {.passes = fg::pass_options::none()}};
  std::vector<std::string> iterations;
  for (const heard_call& c : heard_of(s, n, {{limit, 3.f}}))
    if (c.node.ends_with("kept")) {
      iterations.push_back(c.iteration.substr(0, 5));
      CHECK(first_float(c.inputs[0]) == static_cast<float>(iterations.size() - 1));
    }
  CHECK(iterations == std::vector<std::string>{"0 of ", "1 of ", "2 of "});
}

TEST_CASE("watched run: variables show the value that they have after the call") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>({1}, {5}));
  auto y = fg::exp(v, {"y"});
  fg::session s{g, {.passes = fg::pass_options::none()}};
  s.initialize();
  bool is_seen = false;
  for (const heard_call& c : heard_of(s, y, {}))
    if (c.node == "y") is_seen = first_float(c.inputs[0]) == 5;
  CHECK(is_seen);
}
