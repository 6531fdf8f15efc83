// Imports both files and runs them: with the ops of the header that the tool printed, or with all there are.

#include <flowgraph/interop/import.hpp>
#include <flowgraph/runtime/session.hpp>

#ifdef MODEL_OPS
#include "model_ops.hpp"
#else
#include <flowgraph/ops/standard.hpp>
#endif

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::registry ops;
#ifdef MODEL_OPS
  model_ops::add_to(ops).value();
#else
  fg::add_standard_ops(ops).value();
#endif
  fg::graph g;
  fg::import_graph(g, fg::load_graph_def("network.pb").value(), ops, {.prefix = "network"}).value();
  fg::import_graph(g, fg::load_graph_def("loop.pbtxt").value(), ops, {.prefix = "loop"}).value();
  fg::session s{g};
  fg::tensor<float> images({2, 8, 8, 3});
  for (std::size_t i = 0; i < images.size(); ++i) images.writable()[i] = static_cast<float>(i % 7) * 0.1f;
  const auto y = s.run(fg::fetch<float>("network/y"), {{"network/x", images}});
  for (const float e : y) std::printf("%a\n", static_cast<double>(e));
  const auto [i, b] = s.run(fg::fetch<std::int32_t, float>("loop/loop:0", "loop/loop:2"),
                            {{"loop/n", fg::tensor<std::int32_t>(6)}, {"loop/x", fg::tensor<float>(0.5f)}});
  std::printf("%d %a\n", i.scalar(), static_cast<double>(b.scalar()));
}
