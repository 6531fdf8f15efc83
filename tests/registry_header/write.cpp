// Writes what the programs of the test import: a convolutional network, and a loop with a branch in functions.

#include "../interop/function_graphs.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/export.hpp>

#include <fstream>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 8, 8, 3});
  auto w = g.constant(fg::tensor<float>({3, 3, 3, 4}), {.name = "w"});
  auto hidden = fg::max_pool(fg::relu(fg::conv2d(x, w + 0.25f, {.padding = fg::padding::same})), {2, 2});
  auto rows = fg::reshape(hidden, {-1, 64});
  fg::softmax(fg::matmul(rows, fg::random_uniform<float>(g, {64, 5})), {.name = "y"});
  fg::save_graph_def(fg::export_graph(g).value(), "network.pb").value();
  std::ofstream("loop.pbtxt") << function_graphs::if_in_while;
}
