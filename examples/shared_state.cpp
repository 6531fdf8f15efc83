// State lives in containers. Two sessions given the same one see the same variables: one trains, the other evaluates.
//
//     trainer:    x ──> Mul ──> ... ──> train ──┐
//                        ^                      v
//                        └───────────────────── w   in a container
//     evaluator:  w ──> Identity ──> value      ^

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto w = g.variable("w", fg::zeros<float>({}));
  auto train = fg::sgd{.rate = 0.25f}.minimize(fg::square(w - x));

  fg::container weights;
  fg::session trainer{g, {.resources = &weights}};
  fg::session evaluator{g, {.resources = &weights}};
  fg::session stranger{g};  // has a container of its own

  trainer.initialize();
  for (int i = 0; i < 20; ++i) trainer.run(train, {{x, 5.f}});
  const float seen = evaluator.run(fg::fetch(w)).scalar();
  for (const std::string& name : weights.names()) std::printf("in the container: %s\n", name.c_str());
  std::printf("the evaluator sees %.4f\n", seen);

  auto unknown = stranger.try_run(fg::fetch(w));
  std::printf("the stranger: %s\n", unknown.error().what());

  // Clearing drops the values; the next run finds variables that nobody has initialized.
  weights.clear();
  auto gone = evaluator.try_run(fg::fetch(w));
  const bool uninitialized = unknown.error().code() == fg::error_code::failed_precondition && !gone;
  return seen > 4.99f && seen < 5.01f && uninitialized ? 0 : 1;
}
