#pragma once
// Good bytes with some of them changed or taken out, by a fixed seed: what reads them may refuse them, and nothing else.

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

// So many files are made of one: what FLOWGRAPH_TEST_MUTATIONS says, or else `otherwise`.
inline int changed_files(int otherwise) {
  const char* const said = std::getenv("FLOWGRAPH_TEST_MUTATIONS");
  return said ? std::max(1, std::atoi(said)) : otherwise;
}

template <class Target> void try_changed(const std::string& seed, Target&& target) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int i = 0, files = changed_files(20000); i < files; ++i) {
    std::string bytes = seed;
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      const std::size_t at = below(bytes.size());
      if (below(4) == 0) bytes.erase(at, 1 + below(3));
      else bytes[at] = static_cast<char>(random());
      if (bytes.empty()) break;
    }
    target(bytes);
  }
}
