// A graph whose handles somebody else has, as one from a file: names lead to its edges, and types are checked once.
//
//     x ──> MatMul ──> y          train ──> AssignSub(w)          found by "x:0", "y:0", "train", "steps:0"
//             w ─^

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

// Stands for an import: it gives a graph and no handles.
fg::graph load() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto w = g.variable("w", fg::tensor<float>({2, 1}, {3, -1}));
  fg::matmul(x, w, {.name = "y"});
  fg::assign_sub(w, g.constant(fg::tensor<float>({2, 1}, {1, 1})), {.name = "train"});
  g.variable("steps", fg::tensor<std::int32_t>(7));
  return g;
}

int main() {
  const fg::graph g = load();
  fg::session s{g};
  s.initialize();
  const fg::tensor<float> images({2, 2}, {1, 2, 0, 4});

  auto [y, steps] = s.run(fg::fetch<float, std::int32_t>("y:0", "steps:0"), {{"x:0", images}});
  std::printf("y = %g, %g after %d steps\n", y[0], y[1], steps.scalar());

  auto step = s.prepare(fg::feed<float>("x:0"), fg::fetch<float>("y:0"), "train");
  for (int i = 0; i < 3; ++i) std::printf("y = %g\n", step(images)[0]);

  // An untyped handle becomes a typed one where its elements have that type.
  const fg::any_out untyped = g.output("y:0").value();
  const fg::out<float> typed = fg::out<float>::from(untyped).value();
  std::printf("%s\n", fg::out<std::int32_t>::from(untyped).error().what());

  // A wrong type is refused before anything runs: here by name, and likewise through a handle.
  auto refused = s.try_prepare(fg::feed<float>("x:0"), fg::fetch<float>("steps:0"));
  std::printf("%s\n", refused.error().what());

  const float now = s.run(fg::fetch(typed), {{"x:0", images}})[0];
  return y[0] == 1 && steps.scalar() == 7 && now == -8 && !refused ? 0 : 1;
}
