#include <flowgraph/io/planned_record.hpp>

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/passes/group_elementwise.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

namespace fg = flowgraph;

namespace {

// The ops that a graph has, and those that stand for what was fed or computed: as another process would have them.
fg::registry ops_of(const fg::graph& g) {
  fg::graph others;
  others.placeholder<float>("x", {});
  others.constant(1.f);
  others.constant(1);
  others.constant(true);
  fg::registry made;
  for (const fg::graph* all : {&g, static_cast<const fg::graph*>(&others)})
    for (std::size_t i = 0; i < all->size(); ++i) {
      const fg::op_table& t = *all->at(i)->op;
      const std::vector<fg::type_binding> types(t.types().begin(), t.types().end());
      if (!made.find(t.name(), types)) made.add(t, std::source_location::current()).value();
    }
  return made;
}
bool is_same(const fg::any_tensor& a, const fg::any_tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}
const fg::node_record* find(const fg::planned_record& r, std::string_view name) {
  const auto at = std::ranges::find(r.graph.nodes, name, &fg::node_record::name);
  return at == r.graph.nodes.end() ? nullptr : &*at;
}

fg::session_options without_passes() { return {.passes = fg::pass_options::none()}; }
// The first fetch of a run.
fg::any_tensor run_once(fg::session& s, const fg::any_out& feed, const fg::tensor<float>& value, const fg::any_out& fetch) {
  const fg::fed feeds[]{{feed, value.erased()}};
  return s.try_run({.feeds = feeds, .fetches = {&fetch, 1}}).value()[0];
}
fg::any_tensor run_once(fg::any_step& step, const fg::any_tensor& value) {
  fg::any_tensor made;
  step.try_run({&value, 1}, {&made, 1}, {}).value();
  return made;
}

}  // namespace

TEST_CASE("planned record: a group is recorded as the nodes that it replaces") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {3}), b = g.placeholder<float>("b", {3});
  const auto y = fg::tanh(x * b + x, {.name = "y"}) * b;
  fg::session s{g, {.passes = {.further = {fg::passes::group_elementwise}}}};
  const auto kept = fg::planned_record_of(s, {x, b}, {y}).value();
  for (const char* op : {"Mul", "AddV2", "Tanh"})
    CHECK(std::ranges::any_of(kept.graph.nodes, [&](const fg::node_record& n) { return n.op == op; }));
  REQUIRE(find(kept, "y"));
  CHECK(find(kept, "y")->op == "Tanh");
  CHECK(kept.graph.nodes.size() == 6);
  const fg::registry ops = ops_of(g);
  const auto again = fg::planned_graph_of(kept, ops).value();
  const fg::tensor<float> in({3}, {1, 2, -0.5f}), weights({3}, {0.5f, 0.25f, 3});
  const fg::fed feeds[]{{x, in.erased()}, {b, weights.erased()}},
      fed_again[]{{again.feeds[0], in.erased()}, {again.feeds[1], weights.erased()}};
  const fg::any_out fetch = y;
  fg::session copy{again.graph};
  CHECK(is_same(s.try_run({.feeds = feeds, .fetches = {&fetch, 1}}).value()[0],
                copy.try_run({.feeds = fed_again, .fetches = again.fetches}).value()[0]));
}

TEST_CASE("planned record: what is left of a graph, with what was computed as constants of the same names") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto scale = g.constant(3.f) * 4.f;
  const auto y = fg::tanh(fg::identity(x) * scale, {.name = "y"});
  fg::square(y, {.name = "other"});
  fg::session s{g};
  const auto kept = fg::planned_record_of(s, {x}, {y}).value();
  CHECK(kept.graph.nodes.size() == 4);  // the feed, the constant, the product and y
  REQUIRE(find(kept, scale.source->name));
  CHECK(find(kept, scale.source->name)->op == "Const");
  REQUIRE(find(kept, "y"));
  CHECK(kept.graph.lines[find(kept, "y")->line].line == y.source->where.line());

  const auto small = fg::planned_graph_of(kept, ops_of(g)).value();
  REQUIRE(small.feeds.size() == 1);
  CHECK(small.feeds[0].source->name == "x");
  REQUIRE(small.fetches.size() == 1);
  CHECK(small.fetches[0].name() == "y");
  fg::session t{small.graph, without_passes()};
  const fg::tensor<float> value({2}, {1, -0.5f});
  CHECK(is_same(run_once(t, small.feeds[0], value, small.fetches[0]), s.run(fg::fetch(y), {{x, value}}).erased()));
}

TEST_CASE("planned record: a step trains as its session does, to the bit") {
  fg::graph g;
  g.set_seed(4711);
  const auto x = g.placeholder<float>("x", {3, 2});
  const auto w = g.variable("w", fg::tensor<float>({2, 2}, {0.5f, -0.25f, 0.125f, 1}));
  const auto loss = fg::mean(fg::square(fg::dropout(fg::matmul(x, w), 0.5f)), {.name = "loss"});
  const fg::target train = fg::adam{.rate = 0.01f}.minimize(loss);
  const fg::tensor<float> rows({3, 2}, {1, 2, 3, 4, 5, 6});
  const fg::any_out fed[]{x}, fetched[]{loss};

  fg::container own, other;
  fg::session s{g, {.resources = &own}}, same{g, {.resources = &other}};
  s.initialize();
  same.initialize();
  const auto small = fg::planned_graph_of(fg::planned_record_of(s, {x}, {loss}, {train}).value(), ops_of(g)).value();
  fg::session t{small.graph, {.resources = &other, .passes = fg::pass_options::none()}};
  REQUIRE(small.targets.size() == 1);
  auto expected = s.try_prepare(fed, fetched, {&train, 1}).value();
  auto found = t.try_prepare(small.feeds, small.fetches, small.targets).value();
  for (int i = 0; i < 5; ++i) { CHECK(is_same(run_once(found, rows.erased()), run_once(expected, rows.erased()))); }
}

TEST_CASE("planned record: loops, branches, and an edge that is fed in the middle") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto middle = fg::square(x, {.name = "middle"});
  const auto y = std::get<0>(fg::while_loop(
      std::tuple{middle}, [](auto v) { return fg::less(fg::sum(v), 100.f); }, [](auto v) { return std::tuple{v * 2.f}; }));
  const auto either = fg::cond(
      fg::greater(fg::sum(y), 120.f), [&] { return y * 2.f; }, [&] { return y - 1.f; });
  fg::session s{g};
  const fg::tensor<float> value({2}, {1.5f, 2});
  for (const fg::any_out fed : {fg::any_out(x), fg::any_out(middle)}) {
    const auto small = fg::planned_graph_of(fg::planned_record_of(s, {fed}, {y, either}).value(), ops_of(g)).value();
    fg::session t{small.graph};
    CHECK(is_same(run_once(t, small.feeds[0], value, small.fetches[0]), run_once(s, fed, value, y)));
    CHECK(is_same(run_once(t, small.feeds[0], value, small.fetches[1]), run_once(s, fed, value, either)));
  }
}

TEST_CASE("planned record: nodes stand on the devices where the session has placed them") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  fg::out<float> y = x;
  for (const char* where : {"/cpu:1", "/cpu:0", "/cpu:1"}) {
    const auto on = g.on_device(where);
    y = y + 1.f;
  }
  const auto devices = fg::cpu_devices(2);
  fg::session s{g, {.devices = devices}};
  const auto kept = fg::planned_record_of(s, {x}, {y}).value();
  CHECK(std::ranges::count_if(kept.graph.nodes, [](const auto& n) { return n.device.ends_with("cpu:1"); }) == 2);
  const auto small = fg::planned_graph_of(kept, ops_of(g)).value();
  fg::session t{small.graph, {.devices = devices}};
  CHECK(run_once(t, small.feeds[0], fg::tensor<float>(1.f), small.fetches[0]).as<float>().scalar() == 4);
}

TEST_CASE("planned record: edges that are not there are refused") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  fg::session s{g};
  const auto kept = fg::planned_record_of(s, {x}, {fg::square(x)}).value();
  const auto why = [&](auto change) {
    fg::planned_record changed = kept;
    change(changed);
    return std::string(fg::planned_graph_of(changed, ops_of(g)).error().message());
  };
  CHECK(why([](auto& r) { r.feeds[0] = 9; }) == "the record of a plan feeds node 9, which it has not");
  CHECK(why([](auto& r) { r.fetches[0].port = 1; }) == "the record of a plan fetches an output of node 1, which it has not");
  CHECK(why([](auto& r) { r.targets.push_back(7); }) == "the record of a plan runs node 7, which it has not");
  CHECK_FALSE(fg::planned_record_of(s, {"nothing"}, {"x"}));
}
