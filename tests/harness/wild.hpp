#pragma once
// Invalid arguments, with which calls may fail only by returning an error.

#include "trial.hpp"

#include <limits>

namespace harness {

inline constexpr double wild_numbers[] = {-1,
                                          -2,
                                          0,
                                          1,
                                          100,
                                          2147483647,
                                          -2147483648.0,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};

// Returns shapes that are near to s, empty, or of high rank.
std::vector<fg::shape> wild_shapes(const fg::shape& s);
// Returns values of that kind, some of which are valid for some attribute.
std::vector<fg::attribute_value> wild_values(fg::attribute_kind kind);

struct attempt {
  fg::error why;  // no error: `made` is the result
  outcome made;
};
attempt attempt_run(workshop& w, const trial& t, knowledge k);

}  // namespace harness
