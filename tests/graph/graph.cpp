#include <flowgraph/graph/graph.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <thread>

using namespace test;

namespace {

std::string name_of_next(const fg::graph& g, std::string_view wished) { return source<float>(g, wished).name(); }

// What try_add says of a request that is not the compiler's to refuse.
fg::error refused(fg::graph g, const fg::node_request& r) {
  const std::size_t before = g.size();
  const auto made = g.try_add(r, {.name = "wrong"});
  REQUIRE_FALSE(made.has_value());
  CHECK(g.size() == before);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
  return made.error();
}

}  // namespace

TEST_CASE("names are made unique as TensorFlow does, without regard to case") {
  fg::graph g;
  CHECK(name_of_next(g, "x") == "x");
  CHECK(name_of_next(g, "X") == "X_1");
  CHECK(name_of_next(g, "x") == "x_2");
  CHECK(name_of_next(g, "x_3") == "x_3");
  CHECK(name_of_next(g, "x") == "x_4");
  CHECK(name_of_next(g, "x_3") == "x_3_1");
  CHECK(name_of_next(g, {}) == "Source");
  CHECK(name_of_next(g, {}) == "Source_1");
}

TEST_CASE("a name begins with a letter, a digit or a dot") {
  fg::graph g;
  for (const char* good : {"a", "Z", "0", ".a", "a/b_c-d.e>f\\g"}) CHECK(name_of_next(g, good) == good);
  for (const char* bad : {"_a", "/a", "a b", "a:0", "^a", "ä"}) {
    fg::graph fresh;
    const fg::error why = refusal(fresh, [&] { source<float>(fresh, bad); });
    CHECK(why.code() == fg::error_code::invalid_argument);
    CHECK(why.message() == "'" + std::string(bad) + "' is not a valid node name");
    CHECK(fresh.size() == 0);
  }
}

TEST_CASE("scopes nest, end, and are made unique when they are opened again") {
  fg::graph g;
  {
    const auto a = g.in_scope("a");
    CHECK(name_of_next(g, "x") == "a/x");
    {
      const auto b = g.in_scope("b");
      CHECK(name_of_next(g, "x") == "a/b/x");
      const auto c = g.in_scope("c/d");
      CHECK(name_of_next(g, "x") == "a/b/c/d/x");
    }
    CHECK(name_of_next(g, "x") == "a/x_1");
    const auto root = g.in_scope("");
    CHECK(name_of_next(g, "x") == "x");
  }
  {
    const auto again = g.in_scope("a");
    CHECK(name_of_next(g, "x") == "a_1/x");
    const auto same = g.in_scope("a/");
    CHECK(name_of_next(g, "x") == "a/x_2");
  }
  CHECK(name_of_next(g, "a") == "a_2");  // scopes and nodes share their names
}

TEST_CASE("a graph that has been moved is shared, as a copied graph is") {
  fg::graph g;
  fg::graph moved = std::move(g);
  CHECK(g == moved);
  CHECK(name_of_next(g, "x") == "x");
  fg::graph assigned;
  assigned = std::move(moved);
  CHECK(assigned.find("x") == moved.find("x"));
}

TEST_CASE("a scope may outlive the graph objects that opened it") {
  std::optional<fg::graph::scope> outlives;
  {
    fg::graph g;
    outlives.emplace(g.in_scope("a"));
    CHECK(name_of_next(g, "x") == "a/x");
  }
  outlives.reset();
}

TEST_CASE("a scope without a valid name is refused, and the others stay open and end") {
  fg::graph g;
  {
    const auto outer = g.in_scope("outer");
    const fg::error why = refusal(g, [&] { const auto scope = g.in_scope("a b"); });
    CHECK(why.code() == fg::error_code::invalid_argument);
    CHECK(why.message() == "'a b' is not a valid name of a scope");
    CHECK(name_of_next(g, "x") == "outer/x");
  }
  CHECK(name_of_next(g, "x") == "x");
}

TEST_CASE("nodes carry the device, the control inputs and the colocation of the scopes around them") {
  fg::graph g;
  const auto first = source<float>(g, "first"), second = source<float>(g, "second");
  {
    const auto on = g.on_device("/job:worker/task:17");
    const auto after = g.after(first);
    const auto with = g.colocate_with(second);
    {
      const auto inner_on = g.on_device("/device:cuda:0");
      const auto inner_after = g.after(second, first);
      const fg::node& n = *source<float>(g).source;
      CHECK(n.device == "/device:cuda:0");
      CHECK(std::vector<fg::node*>(n.control_inputs.begin(), n.control_inputs.end()) ==
            std::vector<fg::node*>{first.source, second.source, first.source});
    }
    const fg::node& n = *source<float>(g).source;
    CHECK(n.device == "/job:worker/task:17");
    CHECK(n.control_inputs.size() == 1);
    REQUIRE(n.colocated_with.size() == 1);
    CHECK(n.colocated_with[0] == "second");
  }
  const fg::node& n = *source<float>(g).source;
  CHECK(n.device.empty());
  CHECK(n.control_inputs.empty());
  CHECK(n.colocated_with.empty());
}

TEST_CASE("what a graph does not own cannot be waited for or placed with") {
  fg::graph g, other;
  const auto foreign = source<float>(other);
  CHECK(refusal(g, [&] { const auto after = g.after(foreign); }).message() ==
        "the node to run after is not a node of this graph");
  fg::graph h;
  CHECK(refusal(h, [&] { const auto with = h.colocate_with(fg::target()); }).message() ==
        "the node to be placed with is not a node of this graph");
  CHECK(source<float>(h).source->control_inputs.empty());  // the scopes have ended
}

TEST_CASE("a node or an output is found by its name") {
  fg::graph g;
  const auto in = g.in_scope("s");
  const auto [value, index] = fg::apply_as<float, int>({.name = "m"}, maximum_op{}, source<float>(g));
  CHECK(g.find("s/m") == value.source);
  CHECK(g.find("m") == nullptr);
  CHECK(g.find("s/M") == nullptr);
  CHECK(*g.output("s/m") == fg::any_out(value));
  CHECK(*g.output("s/m:0") == fg::any_out(value));
  CHECK(*g.output("s/m:1") == fg::any_out(index));
  CHECK(index.name() == "s/m:1");
  CHECK(g.output("s/x").error().message() == "the graph has no node named 's/x'");
  CHECK(g.output("s/x:0").error().code() == fg::error_code::not_found);
  CHECK(g.output("s/m:2").error().message() == "node 's/m' has 2 outputs; there is no 's/m:2'");
  for (const char* bad : {"s/m:", "s/m:x", "s/m:-1", "s/m:1 ", "s/m:99999999999999999999", "s/m:0:1:"}) {
    const auto missing = g.output(bad);
    REQUIRE_FALSE(missing.has_value());
    CHECK(missing.error().message() == "'" + std::string(bad) + "' is not of the form name:port");
  }
}

TEST_CASE("an error of construction names node, op, shapes found and the user's line") {
  fg::graph g;
  const auto a = source<float>(g, "a", {2, 3}), b = source<float>(g, "b", {4, fg::any});
  const auto in = g.in_scope("layer");
  const auto here = std::source_location::current();
  const fg::error why = refusal(g, [&] { fg::apply(sum_op{}, a, b, {.name = "y"}); });
  CHECK(why.code() == fg::error_code::invalid_argument);
  CHECK(why.node() == "layer/y");
  CHECK(why.op() == "TestSum");
  CHECK(why.message() == "expected shapes that broadcast; found a float[2,3], b float[4,?]");
  CHECK(why.where().line() == here.line() + 1);
  CHECK(std::string_view(why.where().file_name()) == here.file_name());
  CHECK(g.size() == 2);
  CHECK(source<float>(g, "y").name() == "layer/y");  // the name was not used up
}

TEST_CASE("a node knows the line that made it") {
  fg::graph g;
  const auto here = std::source_location::current();
  const auto x = source<float>(g);
  const auto y = fg::apply(sum_op{}, x, x);
  CHECK(x.source->where.line() == here.line() + 1);
  CHECK(y.source->where.line() == here.line() + 2);
}

TEST_CASE("nodes made on behalf of a line belong to it, the outermost such line wins") {
  fg::graph g;
  const auto outer = std::source_location::current();
  {
    const fg::detail::inherited_location here(&g.state(), outer);
    const auto inner = std::source_location::current();
    const fg::detail::inherited_location there(&g.state(), inner);
    CHECK(source<float>(g).source->where.line() == outer.line());
  }
  CHECK(source<float>(g).source->where.line() == std::source_location::current().line());
}

TEST_CASE("a handle of another graph and an empty one are refused") {
  fg::graph g, other;
  const auto x = source<float>(g, "x"), foreign = source<float>(other, "foreign");
  const fg::error why = refusal(g, [&] { fg::apply(sum_op{}, x, foreign); });
  CHECK(why.message() == "input foreign belongs to another graph");
  CHECK(why.where().line() == std::source_location::current().line() - 2);
  fg::graph h;
  const auto z = source<float>(h);
  CHECK(refusal(h, [&] { fg::apply(sum_op{}, z, fg::out<float>()); }).message() == "an input is an empty handle");
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("an op on empty handles alone names the user's line, though there is no graph") {
  const fg::error why = refusal(fg::graph(), [] { fg::apply(pass_op{}, fg::out<float>(), {.name = "p"}); });
  CHECK(why.message() == "all inputs are empty handles");
  CHECK(why.node() == "p");
  CHECK(why.op() == "Pass");
  CHECK(why.where().line() == std::source_location::current().line() - 4);
}
#endif

TEST_CASE("an empty handle can be asked") {
  const fg::any_out none;
  CHECK(none.type() == fg::dtype::invalid);
  CHECK(none.shape() == fg::shape::unknown());
  CHECK(none.name() == "(empty handle)");
}

TEST_CASE("an erased request is held against the op's table") {
  fg::graph g;
  const auto x = source<float>(g, "x"), y = source<float>(g, "y");
  const auto i = source<int>(g, "i");
  const sum_op sum;
  const fg::op_table& table = fg::table_of<sum_op, float>;
  using handles = std::vector<fg::any_out>;

  const handles one = {x}, three = {x, y, x}, mistyped = {x, i}, no_such_port = {x, {y.source, 3}};
  CHECK(refused(g, {.table = &table, .op = &sum, .inputs = one}).message() == "TestSum takes 2 inputs, found 1");
  CHECK(refused(g, {.table = &table, .op = &sum, .inputs = three}).message() == "TestSum takes 2 inputs, found 3");
  CHECK(refused(g, {.table = &table, .op = &sum, .inputs = mistyped}).message() ==
        "input 1 of TestSum<float> must be float, found i of type int32");
  CHECK(refused(g, {.table = &table, .op = &sum, .inputs = no_such_port}).message() ==
        "node 'y' has 1 outputs; there is no 'y:3'");

  fg::graph other;
  fg::node* const foreign[] = {source<float>(other).source};
  const handles both = {x, y};
  CHECK(refused(g, {.table = &table, .op = &sum, .inputs = both, .control_inputs = foreign}).message() ==
        "a control input is not a node of this graph");
  fg::node* const mine[] = {i.source};
  const auto made = g.try_add({.table = &table, .op = &sum, .inputs = both, .control_inputs = mine}, {});
  REQUIRE(made.has_value());
  CHECK((*made)->control_inputs[0] == i.source);
}

TEST_CASE("a value cannot stand where a variable is wanted, a variable can stand for its value") {
  fg::graph g;
  const auto v = fg::apply_in<float>(g, slot_op{}, {.name = "v"});
  const auto x = source<float>(g, "x");
  CHECK(v.source->outputs[0].is_reference);
  CHECK(fg::apply(bump_op{}, v).source->outputs[0].is_reference);
  CHECK(refusal(g, [&] { fg::apply(bump_op{}, x); }).message() == "input 0 of Bump must be a variable, found x");
  CHECK_FALSE(fg::apply(sum_op{}, v, x).source->outputs[0].is_reference);
}

TEST_CASE("several lists say their sizes") {
  fg::graph g;
  const auto x = source<float>(g, "x");
  const auto p = source<bool>(g, "p");
  const mix_op mix;
  const fg::op_table& table = fg::table_of<mix_op, float>;
  const std::vector<fg::any_out> in = {x, x, p, p};
  auto with_sizes = [&](std::span<const std::uint32_t> sizes) {
    return refused(g, {.table = &table, .op = &mix, .inputs = in, .list_sizes = sizes});
  };
  const std::uint32_t one[] = {2}, few[] = {1, 1}, many[] = {2, 4000000000}, wrong[] = {2, 2};
  CHECK(with_sizes({}).message() == "Mix has 2 list inputs, found 0 list sizes");
  CHECK(with_sizes(one).message() == "Mix has 2 list inputs, found 1 list sizes");
  CHECK(with_sizes(few).message() == "input 1 of Mix<float> must be bool, found x of type float");
  CHECK(with_sizes(many).message() == "list sizes exceed the number of inputs");
  CHECK(with_sizes(wrong).message() == "list sizes exceed the number of inputs");
  const std::vector<fg::any_out> more = {x, p, p, p};
  CHECK(refused(g, {.table = &table, .op = &mix, .inputs = more, .list_sizes = few}).message() ==
        "list sizes are less than the number of inputs");
}

TEST_CASE("a back edge connects what fits, and nothing else") {
  fg::graph g, other;
  const auto x = source<float>(g, "x");
  const auto i = source<int>(g, "i");
  const auto [merged, index] = fg::apply(merge_op{}, fg::out_list<float>{x, x});
  const auto next = fg::apply(pass_op{}, merged, {.name = "next"});
  g.set_back_edge(merged.source, 1, next);
  CHECK(merged.source->inputs[1].from == next.source);
  CHECK(merged.source->inputs[0].from == x.source);

  fg::node* const to = merged.source;
  CHECK(refusal(g, [&] { g.set_back_edge(to, 1, i); }).message() == "a back edge from i cannot be input 1");
#ifdef FLOWGRAPH_EXCEPTIONS
  CHECK(refusal(g, [&] { g.set_back_edge(to, 2, next); }).message() == "a back edge from next cannot be input 2");
  CHECK(refusal(g, [&] { g.set_back_edge(to, 1, source<float>(other, "o")); }).message() ==
        "a back edge from o cannot be input 1");
  CHECK(refusal(g, [&] { g.set_back_edge(to, 1, {}); }).node() == "TestMerge");
#endif
  CHECK(to->inputs[1].from == next.source);
}

TEST_CASE("a clone is equal and independent, its edges lead within it") {
  fg::graph g;
  g.set_seed(7);
  const auto x = source<float>(g, "x", {2});
  const auto [merged, index] = fg::apply(merge_op{}, fg::out_list<float>{x, x}, {.name = "m"});
  {
    const auto on = g.on_device("/device:cpu:0");
    const auto after = g.after(x);
    const auto with = g.colocate_with(x);
    g.set_back_edge(merged.source, 1, fg::apply(pass_op{}, merged, {.name = "next"}));
  }
  const auto p = source<bool>(g, "p");
  fg::apply({.name = "mix"}, mix_op{1, {fg::dtype::string}}, fg::out_list<float>{x}, p, fg::any_out_list{p, x});
  g.add_initializer(x.source);

  const fg::graph copy = g.clone();
  CHECK_FALSE(copy == g);
  CHECK(copy.size() == g.size());
  CHECK(copy.seed() == 7);
  REQUIRE(copy.initializers().size() == 1);
  CHECK(copy.initializers()[0] == copy.find("x"));
  for (std::size_t i = 0; i < g.size(); ++i) {
    const fg::node &from = *g.at(i), &to = *copy.at(i);
    CAPTURE(std::string(from.name));
    CHECK(to.name == from.name);
    CHECK(to.name.data() != from.name.data());
    CHECK(to.op == from.op);
    CHECK(to.attributes != from.attributes);
    CHECK(to.device == from.device);
    CHECK(to.where.line() == from.where.line());
    REQUIRE(to.inputs.size() == from.inputs.size());
    for (std::size_t k = 0; k < from.inputs.size(); ++k) CHECK(to.inputs[k].from == copy.at(from.inputs[k].from->id));
    REQUIRE(to.control_inputs.size() == from.control_inputs.size());
    for (std::size_t k = 0; k < from.control_inputs.size(); ++k)
      CHECK(to.control_inputs[k] == copy.at(from.control_inputs[k]->id));
    REQUIRE(to.outputs.size() == from.outputs.size());
    for (std::size_t k = 0; k < from.outputs.size(); ++k) CHECK(to.outputs[k].shape == from.outputs[k].shape);
    CHECK(to.colocated_with.size() == from.colocated_with.size());
  }
  CHECK(copy.find("m")->inputs[1].from == copy.find("next"));
  const fg::node& mix = *copy.find("mix");
  REQUIRE(mix.list_sizes != nullptr);
  CHECK(std::vector<std::uint32_t>(mix.list_sizes, mix.list_sizes + 4) == std::vector<std::uint32_t>{1, 2, 1, 1});

  source<float>(copy, "x");
  CHECK(copy.at(copy.size() - 1)->name == "x_1");
  CHECK(g.find("x_1") == nullptr);
}

TEST_CASE("a clone outlives the graph it was made of") {
  fg::graph copy;
  {
    fg::graph g;
    const auto on = g.on_device(std::string("/device:") + "cpu:0");
    source<float>(g, "x", {2});
    copy = g.clone();
  }
  CHECK(copy.find("x")->device == "/device:cpu:0");
  CHECK(copy.output("x")->shape() == fg::shape{2});
}

TEST_CASE("handles on a graph share it") {
  fg::graph g;
  const fg::graph same = g;
  const auto x = source<float>(same);
  CHECK(g.size() == 1);
  CHECK(same == g);
  CHECK(fg::graph_of(*x.source) == g);
  g.set_seed(3);
  CHECK(same.seed() == 3);
}

TEST_CASE("thirty-six thousand nodes") {
  fg::graph g;
  auto y = source<float>(g, "x", {1});
  for (int i = 1; i < 36000; ++i) y = fg::apply(sum_op{}, y, y);
  CHECK(g.size() == 36000);
  CHECK(y.name() == "TestSum_35998");
  CHECK(g.find("TestSum_17000")->id == 17001);
  CHECK(g.clone().size() == 36000);
}

TEST_CASE("a graph grows while others read it") {
  fg::graph g;
  auto y = source<float>(g, "x", {1});
  std::atomic<bool> end = false;
  std::atomic<int> torn = 0;
  std::thread reader([&] {
    while (!end) {
      const std::size_t n = g.size();
      const fg::node& last = *g.at(n - 1);
      torn += last.id != n - 1 || g.find(last.name) != &last;
      for (const fg::edge& e : last.inputs) torn += e.from->id >= last.id;
      torn += g.clone().size() < n;
      torn += !g.output("x").has_value();
    }
  });
  for (int i = 0; i < 2000; ++i) y = fg::apply(sum_op{}, y, y);
  end = true;
  reader.join();
  CHECK(torn == 0);
}

#ifndef FLOWGRAPH_EXCEPTIONS

TEST_CASE("a construction that fails gives poison, which spreads; the graph keeps the first error") {
  fg::graph g;
  const auto a = source<float>(g, "a", {2}), b = source<float>(g, "b", {3});
  CHECK_FALSE(g.first_error());
  const auto line = std::source_location::current().line() + 1;
  const auto bad = fg::apply(sum_op{}, a, b, {.name = "bad"});
  CHECK(bad.source->is_poison());
  CHECK(bad.shape() == fg::shape::unknown());
  CHECK(g.first_error().node() == "bad");
  CHECK(g.first_error().where().line() == line);

  const auto worse = fg::apply(sum_op{}, bad, a);
  CHECK(worse.source->is_poison());
  CHECK(fg::any_out(worse).type() == fg::dtype::invalid);
  const auto [value, index] = fg::apply_as<float, int>({}, maximum_op{}, worse);
  CHECK(index.source->is_poison());
  const auto [list, single, mixed] =
      fg::apply(fg::site{}, mix_op{2, {}}, fg::out_list<float>{bad}, source<bool>(g), fg::any_out_list{});
  CHECK(list.empty());
  CHECK(single.source->is_poison());
  fg::apply(sum_op{}, a, b, {.name = "second"});
  CHECK(g.first_error().node() == "bad");
  CHECK(g.size() == 3);

  const auto after = g.after(bad);
  const auto with = g.colocate_with(bad);
  g.set_back_edge(bad.source, 0, a);
  g.set_back_edge(a.source, 0, bad);
  CHECK(source<float>(g).source->control_inputs.empty());
}

TEST_CASE("an op on empty handles alone gives empty handles") {
  const auto y = fg::apply(pass_op{}, fg::out<float>());
  CHECK(y.source == nullptr);
  CHECK(fg::apply(merge_op{}, fg::out_list<float>{y}) == std::tuple(fg::out<float>(), fg::out<std::int32_t>()));
}

#endif
