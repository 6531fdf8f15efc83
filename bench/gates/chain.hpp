#pragma once
// Graphs whose kernels do next to nothing, for gates on what stands between kernels.

#include "../values.hpp"

#include <flowgraph/flowgraph.hpp>

#include <string_view>

namespace gate {

namespace fg = flowgraph;

struct small_graph {
  fg::graph g;
  fg::out<float> x, y;
  int nodes = 0;
};

// y = x + 0.5 + 0.5 ...
inline small_graph chain(int nodes, const fg::shape& shape) {
  small_graph made;
  made.nodes = nodes;
  made.x = made.y = made.g.placeholder<float>("x", shape);
  const fg::out<float> half = made.g.constant(0.5f);
  for (int i = 0; i < nodes; ++i) made.y = made.y + half;
  return made;
}

// Each node adds two earlier ones.
inline small_graph dag(int nodes, const fg::shape& shape) {
  const bench::dag d = bench::random_dag(static_cast<std::uint32_t>(nodes));
  small_graph made;
  made.nodes = nodes;
  made.x = made.g.placeholder<float>("x", shape);
  fg::out_list<float> all{made.x}, leaves;
  for (const auto& [a, b] : d.inputs) all.push_back(all[a] + all[b]);
  for (const std::uint32_t k : d.leaves) leaves.push_back(all[k]);
  made.y = fg::add_n(leaves);
  return made;
}

// Ten rounds of a loop over a chain of a tenth as many.
inline small_graph loop(int nodes, const fg::shape& shape) {
  small_graph made;
  made.nodes = nodes;
  made.x = made.g.placeholder<float>("x", shape);
  const fg::out<float> half = made.g.constant(0.5f);
  auto [rounds, last] = fg::while_loop(
      std::tuple{made.g.constant(0), made.x}, [](auto round, auto) { return round < 10; },
      [&](auto round, auto y) {
        for (int k = 0; k < nodes / 10; ++k) y = y + half;
        return std::tuple{round + 1, y};
      });
  made.y = last;
  return made;
}

}  // namespace gate
