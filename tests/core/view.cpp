#include <flowgraph/core/view.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <type_traits>

namespace fg = flowgraph;

// A view does not keep its shape alive, so it takes no temporary one.
static_assert(!std::is_constructible_v<fg::view<float>, float*, fg::shape>);
static_assert(std::is_constructible_v<fg::view<float>, float*, const fg::shape&>);
// Writable converts to read-only, never back.
static_assert(std::is_convertible_v<fg::view<float>, fg::view<const float>>);
static_assert(!std::is_convertible_v<fg::view<const float>, fg::view<float>>);
static_assert(sizeof(fg::view<float>) == 3 * sizeof(void*));
static_assert(std::is_nothrow_copy_constructible_v<fg::view<float>>);
// Compilers pass what copies trivially by value: three words through the stack for every input of every kernel.
static_assert(!std::is_trivially_copy_constructible_v<fg::view<float>>);

TEST_CASE("a view shows the elements and the shape of somebody else's memory") {
  const fg::shape shape{2, 3};
  int elements[6] = {1, 2, 3, 4, 5, 6};
  const fg::view<int> v(elements, shape);
  CHECK(v.size() == 6);
  CHECK(v.rank() == 2);
  CHECK(v.dim(1) == 3);
  CHECK(v.dim(-1) == 3);
  CHECK(&v.shape() == &shape);
  CHECK(std::accumulate(v.begin(), v.end(), 0) == 21);
  CHECK(v.span().size() == 6);
  v[5] = 60;
  const fg::view<const int> read_only = v;
  CHECK(read_only[5] == 60);
  CHECK(read_only.scalar() == 1);
}

TEST_CASE("a default view is empty") {
  const fg::view<const float> v;
  CHECK(v.size() == 0);
  CHECK(v.begin() == v.end());
}
