// Runs a graph of 1,000 scalar additions as often as asked, for counting instructions.
//
//     gate_executor chain|dag|loop prepared|dynamic RUNS

#include "chain.hpp"

#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  namespace fg = flowgraph;
  if (count != 4) return 2;
  const bool dynamic = std::string_view(arguments[2]) == "dynamic";
  const int runs = std::atoi(arguments[3]);
  const fg::shape shape = dynamic ? fg::shape::unknown() : fg::shape{};
  const std::string_view which = arguments[1];
  const auto g = which == "dag" ? gate::dag(1000, shape) : which == "loop" ? gate::loop(1000, shape) : gate::chain(1000, shape);

  fg::session s{g.g, {.dynamic = dynamic}};
  const fg::tensor<float> x(0.001f);
  float y = 0;
  if (dynamic) {
    for (int i = 0; i < runs; ++i) y = s.run(fg::fetch(g.y), {{g.x, x}}).scalar();
  } else {
    auto step = s.prepare(fg::feed(g.x), fg::fetch(g.y));
    for (int i = 0; i < runs; ++i) y = step(x).scalar();
  }
  std::printf("%g\n", static_cast<double>(y));
}
