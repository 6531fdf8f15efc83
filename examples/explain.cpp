// Prints how a session runs a graph: the nodes that a fetch needs, the nodes computed beforehand, the calls of a prepared step.
//
//     x ──> MatMul ──> Tanh ──> Mul ──> y        half + half does not depend on x: it is computed once
//             ^                  ^
//             w          half + half

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/passes/arithmetic.hpp>
#include <flowgraph/passes/known_shapes.hpp>

#include <cstdio>
#include <string>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 16});
  auto w = g.variable("w", fg::glorot_uniform<float>({16, 4}));
  auto half = g.constant(0.5f);
  auto one = half + half;
  auto y = fg::tanh(fg::matmul(x, w)) * one;
  auto unused = fg::exp(y);

  fg::session s{g};
  s.initialize();
  const fg::explanation e = s.explain(fg::fetch(y), {{x, {8, 16}}});
  std::puts(fg::to_text(e).c_str());

  // The same as a drawing: dot -Tsvg step.dot > step.svg
  const std::string drawing = fg::to_dot(e);

  // To look for something, there are the parts: here the nodes that no step will run.
  std::size_t folded = 0;
  for (const fg::explained_node& n : e.nodes) folded += n.is_folded ? 1 : 0;

  // Without the shape of x there is no schedule yet. What depends on constants alone is folded all the same.
  const fg::explanation planned = s.explain(fg::fetch(y), {x});
  std::printf("without a shape: %s\n", planned.queued.c_str());

  // Each pass has a switch, and says what it changed.
  fg::session plain{g, {.passes = {.fold_constants = false}}};
  fg::session as_it_is{g, {.passes = fg::pass_options::none()}};
  std::size_t changed = 0;
  for (const fg::pass_report& p : as_it_is.explain(fg::fetch(y), {{x, {8, 16}}}).passes) changed += p.changed;
  bool is_off = false;
  for (const fg::pass_report& p : plain.explain(fg::fetch(y), {{x, {8, 16}}}).passes)
    is_off = is_off || (p.name == "fold_constants" && !p.is_on && p.changed == 0);

  // Further passes are made where they are named.
  fg::session simpler{g, {.passes = {.further = {fg::passes::known_shapes, fg::passes::arithmetic}}}};
  const bool is_further = simpler.explain(fg::fetch(y), {{x, {8, 16}}}).passes.size() == 6;

  const bool is_pruned = fg::to_text(e).find(unused.name()) == std::string::npos;
  return folded == 1 && is_off && is_further && changed == 0 && is_pruned && planned.calls.empty() &&
                 drawing.starts_with("digraph")
             ? 0
             : 1;
}
