#include <flowgraph/graph/apply.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

using namespace test;

namespace {

template <class Expected, class Found> constexpr bool same(const Found&) { return std::is_same_v<Expected, Found>; }

}  // namespace

TEST_CASE("element types are deduced from the handles, variables included") {
  fg::graph g;
  const auto x = source<double>(g, "x", {fg::any, 3}), y = source<double>(g, "y", {3});
  const auto z = fg::apply(sum_op{}, x, y);
  CHECK(same<fg::out<double>>(z));
  CHECK(z.source->op == &fg::table_of<sum_op, double>);
  CHECK(z.shape() == fg::shape{fg::any, 3});
  fg::variable<double> v;
  static_cast<fg::out<double>&>(v) = x;
  CHECK(same<fg::out<double>>(fg::apply(sum_op{}, v, x)));
}

TEST_CASE("types that no input says are given") {
  fg::graph g;
  const auto x = source<float>(g);
  const auto [value, index] = fg::apply_as<float, std::int64_t>({}, maximum_op{}, x);
  CHECK(same<fg::out<float>>(value));
  CHECK(same<fg::out<std::int64_t>>(index));
  CHECK(index.port == 1);
  CHECK(index.source->outputs[1].type == fg::dtype::int64);
}

TEST_CASE("a node takes the name and the line of its site") {
  fg::graph g;
  const auto x = source<float>(g, "x");
  const auto here = std::source_location::current();
  const auto named = fg::apply(sum_op{}, x, x, {.name = "logits"});
  const auto elsewhere = fg::apply(fg::site{"far", here}, pass_op{}, x);
  const auto plain = fg::apply(pass_op{}, x);
  CHECK(named.name() == "logits");
  CHECK(named.source->where.line() == here.line() + 1);
  CHECK(elsewhere.name() == "far");
  CHECK(elsewhere.source->where.line() == here.line());
  CHECK(plain.name() == "Pass");
  CHECK(plain.source->where.line() == here.line() + 3);
  CHECK(std::string_view(plain.source->where.file_name()) == here.file_name());
}

TEST_CASE("an op without outputs gives a target") {
  fg::graph g;
  const auto t = fg::apply_in<>(g, action_op{}, {.name = "go"});
  CHECK(same<fg::target>(t));
  CHECK(t.source->name == "go");
  CHECK(t.source->outputs.empty());
}

TEST_CASE("a list takes as many inputs as it has") {
  fg::graph g;
  const auto x = source<float>(g, "x"), y = source<float>(g, "y");
  const auto [value, index] = fg::apply(merge_op{}, fg::out_list<float>{x, y, x});
  CHECK(value.source->inputs.size() == 3);
  CHECK(value.source->list_sizes == nullptr);
  CHECK(same<fg::out<std::int32_t>>(index));
  const auto [none, where] = fg::apply(merge_op{}, fg::out_list<float>{x});
  CHECK(none.source->inputs.size() == 1);
}

TEST_CASE("several lists, in and out, keep their sizes") {
  fg::graph g;
  const auto x = source<float>(g, "x"), y = source<float>(g, "y");
  const auto p = source<bool>(g, "p");
  const auto s = source<std::string>(g, "s");
  const mix_op op{2, {fg::dtype::string, fg::dtype::int64, fg::dtype::boolean}};
  const auto [list, single, mixed] = fg::apply(op, fg::out_list<float>{x, y}, p, fg::any_out_list{s});
  CHECK(same<fg::out_list<float>>(list));
  CHECK(same<fg::out<float>>(single));
  CHECK(same<fg::any_out_list>(mixed));
  REQUIRE(list.size() == 2);
  REQUIRE(mixed.size() == 3);
  CHECK(list[1].port == 1);
  CHECK(single.port == 2);
  CHECK(mixed[0].port == 3);
  CHECK(mixed[1].type() == fg::dtype::int64);
  CHECK(mixed[2].type() == fg::dtype::boolean);
  const fg::node& n = *single.source;
  CHECK(std::vector<std::uint32_t>(n.list_sizes, n.list_sizes + 4) == std::vector<std::uint32_t>{2, 1, 2, 3});
  CHECK(n.inputs[3].from == s.source);
}

TEST_CASE("the op struct lives in the node, as it was when it was applied") {
  fg::graph g;
  const auto p = source<bool>(g, "p");
  mix_op op{1, {fg::dtype::float32}};
  const auto [list, single, mixed] = fg::apply(op, fg::out_list<float>{source<float>(g)}, p, fg::any_out_list{});
  op.kinds.clear();
  CHECK(static_cast<const mix_op*>(single.source->attributes)->kinds == std::vector<fg::dtype>{fg::dtype::float32});
}
