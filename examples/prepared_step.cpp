// A prepared step: everything is decided once, then a run is a walk over calls. It allocates nothing.
//
//     x ──> MatMul ──> Tanh ──> MatMul ──> y
//             ^                   ^
//             w                   v

#include "shared/allocations.hpp"

#include <flowgraph/flowgraph.hpp>

#include <cstdio>
#include <vector>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 16});
  auto w = g.variable("w", fg::glorot_uniform<float>({16, 32}));
  auto v = g.variable("v", fg::glorot_uniform<float>({32, 4}));
  auto y = fg::matmul(fg::tanh(fg::matmul(x, w)), v);

  fg::session s{g, {.kept_layouts = 64}};  // blocks of up to 64 sizes
  s.initialize();
  auto step = s.prepare(fg::feed(x), fg::fetch(y));

  const fg::tensor<float> input({8, 16});
  const float* first = step(input).data();  // feeds of a new shape: the memory for them is laid out here, once
  const int before = allocations;
  bool same = true;
  for (int i = 0; i < 1000; ++i) same = same && step(input).data() == first;
  const int during = allocations - before;
  const auto plan = step.plan();
  std::printf("%d allocations in 1000 steps; %zu calls, %zu bytes of working memory\n", during, plan.nodes, plan.arena_bytes);

  // Blocks of any size up to 64: once each has been there, none of them allocates.
  std::vector<fg::tensor<float>> blocks;
  for (std::int64_t n = 1; n <= 64; ++n) blocks.push_back(fg::tensor<float>({n, 16}));
  int of_blocks = 0;
  for (int round = 0; round < 10; ++round)
    for (const auto& block : blocks) {
      const int earlier = allocations;
      step(block);
      if (round >= 2) of_blocks += allocations - earlier;
    }

  // A result that is still held is never overwritten: the step goes on in a second buffer.
  const auto kept = step(input);
  const bool other = step(input).data() != kept.data();
  return during == 0 && of_blocks == 0 && same && other ? 0 : 1;
}
