// A program that can be asked for any op of the library by name, as one that reads graphs from files. Its size is a gate.

#include <flowgraph/ops/all.hpp>

#include <cstdio>

int main() {
  namespace fg = flowgraph;
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  std::printf("%zu ops\n", ops.names().size());
}
