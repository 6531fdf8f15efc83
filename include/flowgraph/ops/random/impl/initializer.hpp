#pragma once

#include <flowgraph/ops/random/initializer.hpp>

#include <algorithm>
#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE detail::fans detail::fans_of(const shape& weight) {
  if (weight.rank < 1) return {1, 1};
  if (weight.rank == 1) return {static_cast<double>(weight[0]), static_cast<double>(weight[0])};
  double receptive = 1;
  for (int i = 0; i < weight.rank - 2; ++i) receptive *= static_cast<double>(weight[i]);
  return {receptive * static_cast<double>(weight[-2]), receptive * static_cast<double>(weight[-1])};
}

FLOWGRAPH_INLINE double detail::uniform_bound(double scale, double fan) { return std::sqrt(3 * scale / std::max(1., fan)); }

// A normal distribution that is cut off at two deviations keeps 0.8796 of its deviation.
FLOWGRAPH_INLINE double detail::truncated_deviation(double scale, double fan) {
  return std::sqrt(scale / std::max(1., fan)) / .87962566103423978;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
