#include <flowgraph/core/shape.hpp>
#include <flowgraph/functors/arithmetic.hpp>
#include <flowgraph/functors/strided_view.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

using flowgraph::strided_view;

static_assert(std::is_trivially_copyable_v<strided_view<const float>>);
static_assert(strided_view<float>::max_rank == flowgraph::shape::max_rank);

TEST_CASE("a strided view of contiguous elements reads them in their order") {
  const int x[] = {0, 1, 2, 3, 4, 5};
  const std::int64_t extents[] = {2, 3};
  const strided_view<const int> v(x, 2, extents);

  CHECK(v.size() == 6);
  CHECK(v.strides[0] == 3);
  for (int i = 0; i < 6; ++i) CHECK(v[i] == i);
}

TEST_CASE("a strided view repeats elements along axes that it lacks, and along axes of extent 1") {
  const int column[] = {10, 20}, row[] = {1, 2, 3}, one[] = {7};
  const std::int64_t extents[] = {2, 3}, column_extents[] = {2, 1}, row_extents[] = {3};
  const auto a = strided_view<const int>(column, 2, column_extents).broadcast_to(2, extents);
  const auto b = strided_view<const int>(row, 1, row_extents).broadcast_to(2, extents);
  const auto c = strided_view<const int>(one, 0, nullptr).broadcast_to(2, extents);
  std::vector<int> y(6);
  const strided_view<int> result(y.data(), 2, extents);

  for (std::int64_t i = 0; i < result.size(); ++i) result[i] = flowgraph::functor::add::packet(a[i], b[i]) + c[i];

  CHECK(y == std::vector<int>{18, 19, 20, 28, 29, 30});
}

TEST_CASE("a strided view with other strides reads a transposed tensor") {
  const int x[] = {0, 1, 2, 3, 4, 5};
  const std::int64_t extents[] = {3, 2};
  strided_view<const int> v(x, 2, extents);
  v.strides[0] = 1;
  v.strides[1] = 3;

  const int expected[] = {0, 3, 1, 4, 2, 5};
  for (int i = 0; i < 6; ++i) CHECK(v[i] == expected[i]);
}

TEST_CASE("a strided view of a scalar has one element, and one of extent 0 has none") {
  const float x = 3;
  const std::int64_t none[] = {0, 4};
  CHECK(strided_view<const float>(&x, 0, nullptr).size() == 1);
  CHECK(strided_view<const float>(&x, 0, nullptr)[0] == 3);
  CHECK(strided_view<const float>(&x, 2, none).size() == 0);
}
