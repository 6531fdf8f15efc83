// Runs the full entries of the reference: a line "== name" before each, then what it prints. tools/reference --check compares that with
// the comments `// prints:` and `// error:` in the entries.

#include "shown.hpp"

#include <flowgraph/flowgraph.hpp>

#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/array/embedding.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <random>
#include <stop_token>
#include <vector>

namespace fg = flowgraph;

#include "shown/arrays.hpp"
#include "shown/graph.hpp"
#include "shown/kernels.hpp"
#include "shown/layers.hpp"
#include "shown/numbers.hpp"
#include "shown/own_ops.hpp"
#include "shown/session.hpp"
#include "shown/signals.hpp"
#include "shown/values.hpp"
#include "shown/views.hpp"

int main() {
  // Programs write their files into a folder of this process.
  const auto folder = std::filesystem::temp_directory_path() / ("flowgraph_shown_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  for (const shown::listed& entry : shown::all()) {
    std::cout << "== " << entry.name << std::endl;
    entry.run();
  }
  std::filesystem::current_path(folder.parent_path());
  std::filesystem::remove_all(folder);
}
