#pragma once
// A search by halving, for the host and for devices.

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the first i in [0, n) for which `holds(i)` is true, or n. `holds` is true for all numbers after the first.
template <class Holds> FLOWGRAPH_FUNCTION constexpr std::int64_t first_that(std::int64_t n, const Holds& holds) {
  std::int64_t low = 0;
  while (low < n) {
    const std::int64_t middle = low + (n - low) / 2;
    if (holds(middle)) n = middle;
    else low = middle + 1;
  }
  return low;
}

}  // namespace flowgraph::detail
