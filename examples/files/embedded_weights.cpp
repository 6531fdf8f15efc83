// Weights that are part of the program: no file is opened, nothing is copied. CMake writes the header:
//
//     flowgraph_embed(example_embedded_weights FILE data/line.safetensors NAME line_weights)
//
//     x ──> MatMul(w) ──> + b ──> y

#include "line_weights.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/safetensors.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::safetensors weights = fg::safetensors::over(line_weights(), "line.safetensors").value();
  const auto w = fg::tensor<float>::from(weights.read("w").value()).value();
  const auto b = fg::tensor<float>::from(weights.read("b").value()).value();

  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 3});
  auto y = fg::matmul(x, g.constant(w)) + g.constant(b);
  fg::session s{g};
  const auto found = s.run(fg::fetch(y), {{x, fg::tensor<float>({1, 3}, {1, 2, 3})}});
  std::printf("%g %g\n", found[0], found[1]);

  const auto* const bytes = reinterpret_cast<const std::byte*>(w.data());
  const bool is_shared = bytes >= line_weights().data() && bytes < line_weights().data() + line_weights().size();
  return found[0] == 4.5f && found[1] == 4.5f && is_shared ? 0 : 1;
}
