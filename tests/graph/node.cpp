#include <flowgraph/graph/node.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

using namespace test;

TEST_CASE("outputs are named as files name them") {
  fg::graph g;
  const fg::node& n = *source<float>(g, "s/x").source;
  CHECK(name_of(n, 0) == "s/x");
  CHECK(name_of(n, 2) == "s/x:2");
}

TEST_CASE("each input knows its declared argument, through lists") {
  using form = fg::argument::form;
  fg::graph g;
  const auto x = source<float>(g);
  const auto p = source<bool>(g);
  const auto [list, single, mixed] = fg::apply(mix_op{}, fg::out_list<float>{x, x}, p, fg::any_out_list{p, x});
  const fg::node& n = *single.source;
  const form expected[] = {form::list, form::list, form::single, form::mixed_list, form::mixed_list};
  for (std::size_t i = 0; i < 5; ++i) CHECK(n.input_argument(i).kind == expected[i]);

  const auto [value, index] = fg::apply(merge_op{}, fg::out_list<float>{x, x});
  CHECK(value.source->input_argument(1).kind == form::list);
  const auto sum = fg::apply(sum_op{}, x, x);
  CHECK(&sum.source->input_argument(1) == &sum.source->op->inputs()[1]);
}

TEST_CASE("a call site names its outputs as a node does, and its inputs as the program wrote them") {
  fg::graph g;
  const auto x = source<float>(g, "s/x");
  const fg::node& n = *fg::apply(sum_op{}, x, x).source;
  const fg::edge written[] = {n.inputs[0], {n.inputs[1].from, 0}};
  fg::call_site at;
  at.name = "s/sum";
  at.written_inputs = written;
  CHECK(name_of(at, 0) == "s/sum");
  CHECK(name_of(at, 2) == "s/sum:2");
  CHECK(name_of_input(at, 1) == "s/x");
  CHECK(type_of_input(at, 1) == fg::dtype::float32);
  CHECK(name_of_input(at, 2) == "input 2");  // the program wrote two
  CHECK(type_of_input(at, 2) == fg::dtype::invalid);
}

TEST_CASE("the failure of a call site has its name, its op and its line") {
  fg::graph g;
  const auto x = source<float>(g, "x");
  const fg::node& n = *fg::apply(sum_op{}, x, x, {.name = "sum"}).source;
  fg::call_site at;
  at.name = n.name;
  at.op = n.op;
  at.where = n.where;
  const fg::error why = fg::detail::failed_at(fg::error(fg::error_code::internal, "it fails"), at);
  CHECK(why.node() == "sum");
  CHECK(why.op() == n.op->name());
  CHECK(std::string(why.what()).find("node.cpp") != std::string::npos);
}
