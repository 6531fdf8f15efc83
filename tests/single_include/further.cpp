#include <flowgraph/flowgraph.hpp>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {4});
  const fg::lstm_cell<float> cell(g, 1, 16);
  fg::session s{g};
  s.run(fg::fetch(fg::sin(x)), {{x, fg::tensor<float>({4})}});
  return fg::safetensors::open("model.safetensors") ? 0 : 1;
}
