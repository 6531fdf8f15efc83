#pragma once
// Compares numbers with those of a table: each to within a part of itself.

#include "../evaluate.hpp"

namespace ops_test {

inline void check_close(const fg::tensor<double>& found, std::initializer_list<double> expected, double part = 1e-13) {
  REQUIRE(found.size() == expected.size());
  std::size_t i = 0;
  for (const double e : expected) CHECK(found[i++] == doctest::Approx(e).epsilon(part));
}

}  // namespace ops_test
