#include <flowgraph/functors/numbers.hpp>
#include <flowgraph/functors/power.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace functor = flowgraph::functor;

TEST_CASE("a power of an integer is exact, and wraps around") {
  using number = flowgraph::detail::wrapping<std::int32_t>;
  CHECK(functor::pow::packet(number(3), number(13)).value == 1594323);
  CHECK(functor::pow::packet(number(-2), number(31)).value == -2147483647 - 1);
  CHECK(functor::pow::packet(number(2), number(32)).value == 0);
  CHECK(functor::pow::packet(number(0), number(0)).value == 1);
}
