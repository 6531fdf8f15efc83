// Runs the full entries of the reference: a line "== name" before each, then what it prints. tools/reference --check compares that with
// the comments `// prints:` and `// error:` in the entries.

#include "shown.hpp"

#include <flowgraph/flowgraph.hpp>

#include <cstdio>
#include <iostream>

namespace fg = flowgraph;

#include "shown/graph.hpp"

int main() {
  for (const shown::listed& entry : shown::all()) {
    std::printf("== %s\n", entry.name.c_str());
    entry.run();
  }
}
