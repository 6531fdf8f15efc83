#pragma once
// Which of the planted faults is on: the one that FLOWGRAPH_TEST_FAULT names, if any.

#include <cstdlib>
#include <string_view>

inline bool is_planted(std::string_view fault) {
  static const char* const chosen = std::getenv("FLOWGRAPH_TEST_FAULT");
  return chosen && chosen == fault;
}
