#pragma once
// A task reads many small values of another task, and their sum is fetched.

#include <flowgraph/flowgraph.hpp>

#include <string>
#include <vector>

struct many_values {
  static constexpr int count = 300;
  flowgraph::graph g;
  flowgraph::out<float> x = g.placeholder<float>("x", {}), sum;

  many_values(int from, int to) {
    std::vector<flowgraph::out<float>> made, read;
    {
      const auto on = g.on_device("/job:worker/task:" + std::to_string(from));
      for (int i = 0; i < count; ++i) made.push_back(x * static_cast<float>(i));
    }
    const auto on = g.on_device("/job:worker/task:" + std::to_string(to));
    for (const auto& m : made) read.push_back(-m);
    sum = flowgraph::add_n(read);
  }
};
