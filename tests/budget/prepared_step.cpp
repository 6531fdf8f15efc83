// A program that runs a prepared step alone: neither runs by the ready queue nor names of devices are any use to it.

#include <flowgraph/flowgraph.hpp>

int main() {
  namespace fg = flowgraph;
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(x * x + 1.f));
  return step(fg::tensor<float>({2}, {1, 2}))[1] == 5 ? 0 : 1;
}
