#include <flowgraph/ops/data_flow/rows.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("rows: a batch without its first extent, and elements with one") {
  using fg::detail::shape_of_batch, fg::detail::shape_of_rows;
  CHECK(shape_of_rows({7, 2, 3}) == fg::shape{2, 3});
  CHECK(shape_of_rows({fg::any}) == fg::shape{});
  CHECK(shape_of_rows({}) == fg::shape::unknown());
  CHECK(shape_of_rows(fg::shape::unknown()) == fg::shape::unknown());
  CHECK(shape_of_batch(4, {}) == fg::shape{4});
  CHECK(shape_of_batch(-1, {2, fg::any}) == fg::shape{fg::any, 2, fg::any});
  CHECK(shape_of_rows(shape_of_batch(4, {2, 3})) == fg::shape{2, 3});
}
