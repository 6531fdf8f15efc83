#pragma once
// Arguments that nobody should give, and calls that may fail in no other way than by returning an error.

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

// Shapes that are near to s, empty, or deep.
std::vector<fg::shape> wild_shapes(const fg::shape& s);
// Values of that kind; some of them are good ones for some attribute.
std::vector<fg::attribute_value> wild_values(fg::attribute_kind kind);

struct attempt {
  fg::error why;  // none: `made` is what came out
  outcome made;
};
attempt attempt_run(workshop& w, const trial& t, knowledge k);

}  // namespace harness
