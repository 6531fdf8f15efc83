#pragma once
// A sort that keeps the order of equal elements. It replaces std::stable_sort, because the std::stable_sort of libstdc++ 12 uses a
// function that C++17 deprecated, and clang 19 warns about this function in the user's build.

#include <flowgraph/core/sequence.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Sorts `elements`, a container with push_back and operator[], and keeps the order of equal elements. The function needs memory for
// a second container and for one number per element. `is_less` takes two elements by const reference.
template <class Container, class Less> void sort_stably(Container& elements, const Less& is_less) {
  sequence<std::size_t> order(elements.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto& first = elements[a];
    const auto& second = elements[b];
    return is_less(first, second) || (a < b && !is_less(second, first));
  });
  Container sorted;
  for (const std::size_t k : order) sorted.push_back(std::move(elements[k]));
  elements = std::move(sorted);
}

}  // namespace flowgraph::detail
