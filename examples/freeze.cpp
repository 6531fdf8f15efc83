// A trained model made ready to ship: variables become constants, training is left out, what is constant is computed once.
//
//     x ──> MatMul ──> Add ──> Relu ──> y          freeze          x ──> MatMul ──> Add ──> Relu ──> y
//             w ─^      b ─^                      ────────>              Const ─^  Const ─^
//             └── Assign, gradients, ...

#include <flowgraph/deploy/freeze.hpp>
#include <flowgraph/flowgraph.hpp>
#include <flowgraph/graph/summary.hpp>
#include <flowgraph/interop/export.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph model;
  const fg::tensor<float> images({2, 2}, {1, 2, 0, 4});
  float expected = 0;
  {
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any, 2});
    auto w = g.variable("w", fg::tensor<float>({2, 1}, {3, -1}));
    auto b = g.variable("b", fg::tensor<float>({1}, {0.25f}));
    auto y = fg::relu(fg::matmul(x, w) + fg::exp(b), {.name = "y"});
    auto train = fg::sgd{.rate = 0.1f}.minimize(fg::mean(y * y));

    fg::session s{g};
    s.initialize();
    s.run(train, {{x, images}});
    std::printf("%s\n", fg::summary(g).c_str());
    model = fg::freeze(s, {y}).value();
    expected = s.run(fg::fetch(y), {{x, images}})[0];

    // What changes a variable cannot be frozen.
    std::printf("%s\n", fg::freeze(s, {fg::assign_add(w, w, {.name = "grow"})}).error().what());
  }
  std::printf("%s\n%s", fg::summary(model, {.constants = true}).c_str(), fg::to_text(model).c_str());

  // It runs without anything else, under the same names, and is a file as well.
  fg::session s{model};
  auto step = s.prepare(fg::feed<float>("x:0"), fg::fetch<float>("y:0"));
  const float found = step(images)[0];
  fg::save_graph_def(fg::export_graph(model).value(), "frozen.pb").value();
  const std::size_t nodes = fg::load_graph_def("frozen.pb").value().nodes.size();
  return found == expected && !model.find("w/Assign") && nodes == model.size() ? 0 : 1;
}
