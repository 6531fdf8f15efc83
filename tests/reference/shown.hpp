#pragma once
// A full entry of the reference, as a program: tests/reference/shown/*.hpp define them, tests/reference/shown.cpp runs them.

#include <string>
#include <vector>

struct shown {
  using program = void (*)();

  shown(std::string name, program run) { all().push_back({std::move(name), run}); }

  struct listed {
    std::string name;
    program run;
  };
  static std::vector<listed>& all() {
    static std::vector<listed> entries;
    return entries;
  }
};
