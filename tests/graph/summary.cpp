#include <flowgraph/graph/summary.hpp>

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

fg::graph small_network() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 3});
  {
    auto in = g.in_scope("dense");
    auto w = g.variable("w", fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
    {
      auto inner = g.in_scope("bias");
      g.variable("b", fg::tensor<double>({4}, {1, 2, 3, 4}));
      fg::exp(x + 1.f);
    }
    fg::exp(w);
  }
  fg::apply_in<std::int32_t>(g, fg::var_handle_op{fg::shape{7}, {}, {}, {}, {}}, {"table"});
  return g;
}

}  // namespace

TEST_CASE("summary: scopes as a tree with ops, shapes, parameters and bytes") {
  CHECK(fg::summary(small_network()) ==
        "scope     ops  shape  type    parameters  bytes\n"
        "(all)      12                         17     84\n"
        "  dense    10                         10     56\n"
        "    w       3  [2,3]  float            6     24\n"
        "    bias    6                          4     32\n"
        "      b     3  [4]    double           4     32\n"
        "  table     1  [7]    int32            7     28\n");
}

TEST_CASE("summary: what is deeper counts in the scopes around it") {
  CHECK(fg::summary(small_network(), {.depth = 1}) ==
        "scope    ops  shape  type   parameters  bytes\n"
        "(all)     12                        17     84\n"
        "  dense   10                        10     56\n"
        "  table    1  [7]    int32           7     28\n");
  CHECK(fg::summary(fg::graph()) == "scope  ops  shape  type  parameters  bytes\n(all)    0\n");
}

TEST_CASE("summary: a variable of unknown shape is said to be one, and constants count when asked for") {
  fg::graph g;
  fg::apply_in<float>(g, fg::var_handle_op{fg::shape{fg::any, 2}, {}, {}, {}, {}}, {"v"});
  g.constant(fg::tensor<float>({3}, {1, 2, 3}), {.name = "c"});
  g.constant(1.f, {.name = "one"});
  CHECK(fg::summary(g) ==
        "scope  ops  shape  type   parameters  bytes\n"
        "(all)    3                        0+     0+\n"
        "  v      1  [?,2]  float          0+     0+\n");
  CHECK(fg::summary(g, {.constants = true}) ==
        "scope  ops  shape  type   parameters  bytes\n"
        "(all)    3                        3+    12+\n"
        "  v      1  [?,2]  float          0+     0+\n"
        "  c      1  [3]    float           3     12\n");
}
