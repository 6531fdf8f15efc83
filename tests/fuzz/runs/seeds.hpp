#pragma once
// Good graphs to begin with: recorded sessions (.cases), or a model of the user's (.pb, .pbtxt).

#include "../../interop/graph_runs.hpp"

#include <string>
#include <vector>

namespace fuzz_runs {

struct seed_limits {
  std::size_t nodes = 200, bytes = 32 << 10;  // of a graph: larger ones are left out, since many small ones find more
};

// Appends the graphs of a file; throws std::runtime_error where it is none.
void read_seeds(const std::string& path, const seed_limits& limits, std::vector<fuzz_targets::asked_graph>& to);

}  // namespace fuzz_runs
