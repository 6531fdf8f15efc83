#include <flowgraph/core/stable_sort.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <memory>
#include <vector>

namespace fg = flowgraph;

namespace {

struct numbered {
  int key;
  std::unique_ptr<int> number;
};

template <class Container> void check_sorted(std::size_t count) {
  Container elements;
  unsigned state = 7;
  for (std::size_t k = 0; k < count; ++k) {
    state = state * 1664525u + 1013904223u;
    elements.push_back({static_cast<int>(state >> 29), std::make_unique<int>(static_cast<int>(k))});
  }
  fg::detail::sort_stably(elements, [](const numbered& a, const numbered& b) { return a.key < b.key; });
  REQUIRE(elements.size() == count);
  bool kept = true;
  for (std::size_t k = 1; k < count; ++k) {
    const numbered &before = elements[k - 1], &after = elements[k];
    kept = kept && (before.key < after.key || (before.key == after.key && *before.number < *after.number));
  }
  CHECK(kept);
}

TEST_CASE("sort_stably: equal elements keep their order, and elements are moved") {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 100u, 5000u}) {
    check_sorted<std::vector<numbered>>(count);
    check_sorted<std::deque<numbered>>(count);
    check_sorted<fg::detail::sequence<numbered>>(count);
  }
}

}  // namespace
