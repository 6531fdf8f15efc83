#include <flowgraph/io/graph_record.hpp>

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

namespace fg = flowgraph;

namespace {

// The ops that a graph has, as another process would have them.
fg::registry ops_of(const fg::graph& g) {
  fg::registry r;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const fg::op_table& t = *g.at(i)->op;
    const std::vector<fg::type_binding> types(t.types().begin(), t.types().end());
    if (!r.find(t.name(), types)) r.add(t, std::source_location::current()).value();
  }
  return r;
}

fg::graph twin_of(const fg::graph& g) {
  const fg::graph_record kept = fg::record_of(g).value();
  fg::graph made = fg::graph_of(kept, ops_of(g)).value();
  CHECK(fg::record_of(made).value() == kept);
  return made;
}

bool is_same(const fg::any_tensor& a, const fg::any_tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

// A model with state, random numbers and an optimizer.
struct trained_model {
  fg::graph g;
  fg::out<float> loss;
  fg::target train;

  trained_model() {
    g.set_seed(4711);
    const auto tower = g.in_scope("tower");
    const auto on = g.on_device("/device:CPU:0");
    const auto x = g.constant(fg::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}), {.name = "x"});
    const auto w = g.variable("w", fg::tensor<float>({2, 2}, {0.5f, -0.25f, 0.125f, 1}));
    const auto fixed = g.variable("fixed", fg::tensor<float>({2}, {1, 2}), {.trainable = false});
    loss = fg::mean(fg::square(fg::dropout(fg::matmul(x, w), 0.5f) + fixed), {.name = "loss"});
    train = fg::adam{.rate = 0.01f}.minimize(loss);
  }
};

std::vector<fg::any_tensor> losses(const fg::graph& g, const std::string& loss, const std::string& train) {
  fg::session s{g};
  s.initialize();
  std::vector<fg::any_tensor> made;
  for (int i = 0; i < 5; ++i) made.push_back(s.try_run({.feeds = {}, .fetches = {loss}, .targets = {train}}).value()[0]);
  return made;
}

fg::graph_record record_of_product() {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2, 2});
  fg::matmul(x, x, fg::site{"product"});
  return fg::record_of(g).value();
}
fg::registry ops_of_product() {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2, 2});
  fg::matmul(x, x, fg::site{"product"});
  return ops_of(g);
}

std::string why_not(const fg::graph_record& r) {
  fg::graph g;
  const auto made = fg::add_record(g, r, ops_of_product());
  CHECK((made ? g.size() == r.nodes.size() : g.size() == 0));
  return made ? "" : made.error().what();
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("graph record: a twin trains as the graph does, to the bit") {
  const trained_model m;
  const fg::graph twin = twin_of(m.g);
  const std::string loss = m.loss.name(), train(m.train.source->name);
  const auto expected = losses(m.g, loss, train), found = losses(twin, loss, train);
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(is_same(found[i], expected[i]));
  CHECK_FALSE(is_same(found[0], found[1]));
}

TEST_CASE("graph record: a twin has the names, lines, devices, variables and the seed") {
  const trained_model m;
  const fg::graph twin = twin_of(m.g);
  CHECK(twin.seed() == 4711);
  CHECK(twin.variables().size() == m.g.variables().size());
  CHECK(twin.trainable_variables().size() == 1);
  CHECK(twin.initializers().size() == m.g.initializers().size());
  const fg::node& n = *twin.find("tower/loss");
  CHECK(n.device == "/device:CPU:0");
  CHECK(n.where.line() == m.loss.source->where.line());
  CHECK(std::string_view(n.where.file_name()) == m.loss.source->where.file_name());
  CHECK(std::string_view(n.where.function_name()) == m.loss.source->where.function_name());
  fg::graph grown = twin;
  const auto again = grown.in_scope("tower");
  CHECK(grown.constant(1.f, {.name = "c"}).name() == "tower_1/c");
}

TEST_CASE("graph record: loops keep their back edges, shapes, and what stands in their bodies") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {1.5f, 2}), {.name = "x"});
  const auto [steps, y] = fg::while_loop(
      std::tuple{g.constant(0), x}, [](auto i, auto) { return fg::less(i, 4); },
      [](auto i, auto v) {
        return std::tuple{i + 1, v * v * 0.5f};
      });
  const auto either = fg::cond(
      fg::greater(fg::sum(y), 1.f), [&] { return y * 2.f; }, [&] { return y - 1.f; });
  twin_of(g);
  const fg::out<float> dx = fg::gradients(fg::sum(y), x);
  const fg::graph twin = fg::graph_of(fg::record_of(g).value(), ops_of(g)).value();
  for (const fg::any_out o : {fg::any_out(y), fg::any_out(dx), fg::any_out(either)}) {
    fg::session a{g}, b{twin};
    CHECK(is_same(a.try_run({.feeds = {}, .fetches = {o.name()}}).value()[0],
                  b.try_run({.feeds = {}, .fetches = {o.name()}}).value()[0]));
    CHECK(twin.output(o.name()).value().shape() == o.shape());
  }
  const fg::graph_record kept = fg::record_of(g).value();
  const auto inner = std::find_if(kept.nodes.begin(), kept.nodes.end(), [](const auto& n) { return n.op == "NextIteration"; });
  REQUIRE(inner->body != 0);
  const fg::any_out hidden{twin.find(inner->name), 0};
  CHECK_THROWS_AS(fg::identity(fg::out<float>{hidden.source, 0}), fg::error);
}

TEST_CASE("graph record: a shape that a loop does not keep is not believed") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {1.5f, 2}), {.name = "x"});
  const auto y = std::get<0>(fg::while_loop(
      std::tuple{x}, [](auto v) { return fg::less(fg::sum(v), 100.f); }, [](auto v) { return std::tuple{v * 2.f}; }));
  fg::graph_record r = fg::record_of(g).value();
  for (fg::node_record& n : r.nodes)
    if (n.op == "Merge" || n.op == "Enter") n.variable_shape = {3};
  const fg::graph twin = fg::graph_of(r, ops_of(g)).value();
  CHECK(twin.output(y.name()).value().shape().rank < 0);
  fg::session s{twin};
  CHECK(s.try_run({.feeds = {}, .fetches = {y.name()}}).value()[0].shape() == fg::shape{2});
}

TEST_CASE("graph record: an op that the registry lacks is named, with its node and the line that made it") {
  const fg::graph_record r = record_of_product();
  const auto made = fg::graph_of(r, fg::registry());
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == fg::error_code::not_found);
  CHECK(made.error().node() == "x");
  CHECK(made.error().op() == "Placeholder");
  CHECK(has(made.error().what(), "graph_record.cpp:"));
}

TEST_CASE("graph record: what is not a graph is refused, and leaves nothing behind") {
  const fg::graph_record good = record_of_product();
  REQUIRE(why_not(good) == "");
  fg::graph_record r = good;
  r.nodes[1].inputs[0].node = 7;
  CHECK(has(why_not(r), "an input is of a node that it has not"));
  r = good;
  r.nodes[1].inputs[0].node = 1;
  CHECK(has(why_not(r), "an input comes later, and closes no loop"));
  r = good;
  r.nodes[1].inputs[0].port = 3;
  CHECK(has(why_not(r), "there is no"));
  r = good;
  r.nodes[0].control_inputs = {1};
  CHECK(has(why_not(r), "waits for one that comes later"));
  r = good;
  r.nodes[1].line = 99;
  CHECK(has(why_not(r), "of no line"));
  r = good;
  r.nodes[1].body = 1;
  CHECK(has(why_not(r), "of no line, or of no body"));
  r = good;
  r.bodies = {{"a", 1}};
  CHECK(has(why_not(r), "one that comes later"));
  r = good;
  r.initializers = {2};
  CHECK(has(why_not(r), "an initializer"));
  r = good;
  r.variables = {{{2, 0}, true}};
  CHECK(has(why_not(r), "a variable"));
  r = good;
  r.variables = {{{1, 1}, true}};
  CHECK(has(why_not(r), "that is to be a variable"));
  r = good;
  r.nodes[1].name = "x";
  CHECK(has(why_not(r), "the graph has a node named 'x'"));
  r = good;
  r.nodes[1].attributes.emplace_back("speed", 1);
  CHECK(has(why_not(r), "has no attribute 'speed'"));
  r = good;
  r.first = 1;
  CHECK(has(why_not(r), "begins with node 1"));
}

TEST_CASE("graph record: a graph that grows is sent in pieces") {
  fg::graph g, twin;
  const auto x = g.placeholder<float>("x", {2});
  fg::add_record(twin, fg::record_of(g).value(), ops_of(g)).value();
  const std::size_t before = g.size();
  const auto v = g.variable("v", fg::tensor<float>({2}, {3, 4}));
  fg::exp(x * v, {"y"});
  const fg::graph_record more = fg::record_of(g, before).value();
  CHECK(more.nodes.size() == g.size() - before);
  fg::add_record(twin, more, ops_of(g)).value();
  CHECK(fg::record_of(twin).value() == fg::record_of(g).value());
  fg::session a{g}, b{twin};
  a.initialize(), b.initialize();
  const fg::tensor<float> two({2}, {0.1f, 0.2f});
  const fg::named_run run{.feeds = {{"x", two.erased()}}, .fetches = {"y"}};
  CHECK(is_same(a.try_run(run).value()[0], b.try_run(run).value()[0]));
  CHECK_FALSE(fg::add_record(twin, more, ops_of(g)));
  CHECK(twin.size() == g.size());
  CHECK(fg::record_of(g, g.size() + 1).error().code() == fg::error_code::out_of_range);
}

TEST_CASE("graph record: a twin has the views of an imported graph, also in pieces, and none if it is refused") {
  fg::graph g, twin;
  const auto v = g.variable("v", fg::tensor<float>({2}, {3, 4}));
  fg::add_record(twin, fg::record_of(g).value(), ops_of(g)).value();
  const std::size_t before = g.size();
  const auto seen = fg::identity(fg::out<float>(v), {.name = "seen"});
  const auto first = fg::exp(seen);
  {
    const std::lock_guard lock(g.state().mutex);
    g.state().mark_view(seen.source->id);
  }
  const auto write = [&] {
    const auto later = g.after(first);
    return fg::assign_add(v, v);
  }();
  {
    const auto later = g.after(write);
    fg::abs(seen, {"behind"});
  }
  fg::graph_record more = fg::record_of(g, before).value();
  fg::add_record(twin, more, ops_of(g)).value();
  const fg::graph whole = twin_of(g);
  for (const fg::graph& each : {g, twin, whole}) {
    CHECK(each.state().is_view(seen.source->id));
    CHECK_FALSE(each.state().is_view(first.source->id));
    fg::session s{each};
    s.initialize();
    CHECK(s.try_run({.fetches = {"behind"}}).value()[0].as<float>()[1] == 8);
  }
  fg::graph_record wrong = fg::record_of(g).value();
  wrong.nodes.back().op = "Unknown";
  fg::graph empty;
  CHECK_FALSE(fg::add_record(empty, wrong, ops_of(g)));
  CHECK(empty.state().views.ids.empty());
}

TEST_CASE("graph record: records are equal to the bit, and only then") {
  const fg::graph_record a = record_of_product();
  CHECK(a == record_of_product());
  fg::graph_record b = a;
  b.nodes[1].attributes.back().second = true;
  CHECK_FALSE(a == b);
  fg::node_record left{.op = "Const", .name = "c"}, right = left;
  left.attributes = {{"value", fg::tensor<float>({2}, {0.f, 1.f}).erased()}};
  right.attributes = {{"value", fg::tensor<float>({2}, {-0.f, 1.f}).erased()}};
  CHECK_FALSE(left == right);
  CHECK(left == left);
}
