#include <flowgraph/flowgraph.hpp>

int main() {
  flowgraph::graph g;
  return flowgraph::session(g).try_initialize() ? 0 : 1;
}
