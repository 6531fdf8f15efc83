// Exchange with TensorFlow: a graph is written as TensorFlow writes its own, read back into another graph, and run there.
//
//     x ──> MatMul ──> Add ──> Relu ──> y            model.pb            copy/x ──> ... ──> copy/y
//              w ─^     b ─^             └─ export ──>   <── import ──┘

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/export.hpp>
#include <flowgraph/interop/import.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto w = g.constant(fg::tensor<float>({2, 1}, {3, -1}), {.name = "w"});
  auto y = fg::relu(fg::matmul(x, w) + 0.5f, {.name = "y"});
  fg::save_graph_def(fg::export_graph(g).value(), "model.pb").value();

  // The file is first read as plain data, which can be inspected even if its ops are not known here.
  const fg::graph_def file = fg::load_graph_def("model.pb").value();
  for (const fg::node_def& n : file.nodes) std::printf("%s = %s\n", n.name.c_str(), n.op.c_str());

  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::graph other;
  const fg::imported made = fg::import_graph(other, file, ops, {.prefix = "copy"}).value();
  for (const std::string& name : made.unread_outputs()) std::printf("it computes %s\n", name.c_str());

  fg::session s{other};
  const fg::tensor<float> images({2, 2}, {1, 2, 0, 4});
  const auto answers = s.try_run({.feeds = {{"copy/x:0", images.erased()}}, .fetches = {"copy/y:0"}}).value();
  const auto found = fg::tensor<float>::from(answers[0]).value();
  std::printf("%s = %g, %g\n", y.name().c_str(), found[0], found[1]);
  return found[0] == 1.5f && found[1] == 0 ? 0 : 1;
}
