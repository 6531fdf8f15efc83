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
