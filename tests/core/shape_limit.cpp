#include <flowgraph/core/shape_limit.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::detail::is_too_large;

TEST_CASE("a shape is too large where its size would wrap around, also with extents that are not known") {
  constexpr std::int64_t large = std::int64_t{1} << 62;
  static_assert(is_too_large(fg::shape{4, large}));
  CHECK(is_too_large(fg::shape{std::int64_t{1} << 33, fg::any, std::int64_t{1} << 33}));
  CHECK(is_too_large(fg::shape{fg::detail::most_elements + 1}));
  CHECK_FALSE(is_too_large(fg::shape{fg::detail::most_elements, fg::any}));
  CHECK_FALSE(is_too_large(fg::shape{}));
  CHECK_FALSE(is_too_large(fg::shape::unknown()));
  CHECK(is_too_large(fg::shape{large, large, 0}));
  CHECK_FALSE(is_too_large(fg::shape{1 << 14, 0, 1 << 14}));
}
