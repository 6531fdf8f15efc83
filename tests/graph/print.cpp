#include <flowgraph/graph/print.hpp>

#include <flowgraph/ops/control_flow/control_flow.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

using namespace test;

namespace {

struct example {
  fg::graph g;
  fg::out<float> x = source<float>(g, "x", {fg::any, 2});
  example() {
    const auto v = fg::apply_in<float>(g, slot_op{}, {.name = "v"});
    const auto p = source<bool>(g, "p", {});
    const auto in = g.in_scope("s");
    const auto on = g.on_device("/device:cpu:0");
    const auto after = g.after(v);
    const auto [value, index] = fg::apply(merge_op{}, fg::out_list<float>{x, x}, {.name = "m"});
    fg::apply(mix_op{1, {fg::dtype::string}}, fg::out_list<float>{value}, p, fg::any_out_list{index});
    fg::apply_in<>(g, action_op{});
  }
};

}  // namespace

TEST_CASE("a graph prints a node a line, with what the node has") {
  const example e;
  CHECK(to_text(e.g) ==
        "x = Source<float>() -> float[?,2]\n"
        "v = Slot<float>() -> float&?\n"
        "p = Source<bool>() -> bool[]\n"
        "s/m = TestMerge<float>(x, x, ^v) -> float?, int32? @/device:cpu:0\n"
        "s/Mix = Mix<float>(s/m, p, s/m:1, ^v) {N=1, kinds=[string]} -> float?, float?, string? @/device:cpu:0\n"
        "s/Action = Action(^v) @/device:cpu:0\n");
  CHECK(to_string(*e.x.source) == "x = Source<float>() -> float[?,2]");
}

TEST_CASE("a graph is drawn for Graphviz: boxes, what travels along the edges, control edges dashed") {
  const example e;
  CHECK(to_dot(e.g) ==
        "digraph {\n"
        "  node [shape=box];\n"
        "  \"x\" [label=\"x\\nSource<float>\"];\n"
        "  \"v\" [label=\"v\\nSlot<float>\"];\n"
        "  \"p\" [label=\"p\\nSource<bool>\"];\n"
        "  \"s/m\" [label=\"s/m\\nTestMerge<float>\"];\n"
        "  \"s/Mix\" [label=\"s/Mix\\nMix<float>\"];\n"
        "  \"s/Action\" [label=\"s/Action\\nAction\"];\n"
        "  \"x\" -> \"s/m\" [label=\"float[?,2]\"];\n"
        "  \"x\" -> \"s/m\" [label=\"float[?,2]\"];\n"
        "  \"v\" -> \"s/m\" [style=dashed];\n"
        "  \"s/m\" -> \"s/Mix\" [label=\"float?\"];\n"
        "  \"p\" -> \"s/Mix\" [label=\"bool[]\"];\n"
        "  \"s/m\" -> \"s/Mix\" [label=\"int32?\"];\n"
        "  \"v\" -> \"s/Mix\" [style=dashed];\n"
        "  \"v\" -> \"s/Action\" [style=dashed];\n"
        "}\n");
}

TEST_CASE("a loop is drawn as a box, one in a loop as a box in it") {
  fg::graph g;
  auto x = source<float>(g, "x");
  auto first = fg::apply(fg::enter_op{.frame_name = "outer"}, x, fg::site{"first"});
  auto inner = fg::apply(fg::enter_op{.frame_name = "inner"}, first, fg::site{"second"});
  fg::apply(fg::exit_op{}, fg::apply(fg::exit_op{}, inner, fg::site{"third"}), fg::site{"fourth"});
  CHECK(
      to_dot(g).starts_with("digraph {\n"
                            "  node [shape=box];\n"
                            "  \"x\" [label=\"x\\nSource<float>\"];\n"
                            "  \"first\" [label=\"first\\nEnter<float>\"];\n"
                            "  subgraph \"cluster_1\" {\n"
                            "    label=\"outer\";\n"
                            "    \"second\" [label=\"second\\nEnter<float>\"];\n"
                            "    \"fourth\" [label=\"fourth\\nExit<float>\"];\n"
                            "    subgraph \"cluster_2\" {\n"
                            "      label=\"inner\";\n"
                            "      \"third\" [label=\"third\\nExit<float>\"];\n"
                            "    }\n"
                            "  }\n"
                            "  \"x\" -> \"first\""));
}

TEST_CASE("names are quoted for Graphviz") {
  fg::graph g;
  source<float>(g, "a\\b");
  CHECK(to_dot(g).find("\"a\\\\b\" [label=\"a\\\\b\\nSource<float>\"]") != std::string::npos);
  CHECK(to_text(fg::graph()).empty());
}
