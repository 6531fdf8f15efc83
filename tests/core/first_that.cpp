#include <flowgraph/core/first_that.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("a search by halving finds the first number, with few calls") {
  for (std::int64_t n = 0; n < 40; ++n)
    for (std::int64_t first = 0; first <= n; ++first) {
      int calls = 0;
      const std::int64_t found = fg::detail::first_that(n, [&](std::int64_t i) {
        ++calls;
        const bool is_inside = i >= 0 && i < n;
        CHECK(is_inside);
        return i >= first;
      });
      CHECK(found == first);
      CHECK(calls <= 6);
    }
}

TEST_CASE("a search by halving does not overflow") {
  constexpr std::int64_t most = INT64_MAX;
  static_assert(fg::detail::first_that(most, [](std::int64_t i) { return i >= most - 1; }) == most - 1);
  static_assert(fg::detail::first_that(most, [](std::int64_t) { return false; }) == most);
}
