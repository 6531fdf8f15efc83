#include <flowgraph/functors/division.hpp>
#include <flowgraph/functors/numbers.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace functor = flowgraph::functor;

TEST_CASE_TEMPLATE("quotients of integers are rounded down or toward zero, and remainders fit them", T, std::int8_t,
                   std::int64_t) {
  using number = flowgraph::detail::wrapping<T>;
  const auto result = []<class F>(F, int x, int y) {
    return static_cast<int>(F::packet(number(static_cast<T>(x)), number(static_cast<T>(y))).value);
  };
  CHECK(result(functor::floor_div{}, -7, 2) == -4);
  CHECK(result(functor::floor_div{}, -8, 2) == -4);
  CHECK(result(functor::truncate_div{}, -7, 2) == -3);
  CHECK(result(functor::floor_mod{}, -7, 2) == 1);
  CHECK(result(functor::truncate_mod{}, -7, 2) == -1);
}

TEST_CASE_TEMPLATE("quotients of floating-point numbers are rounded in the same way", T, float, double) {
  CHECK(functor::floor_div::packet(T(-7), T(2)) == -4);
  CHECK(functor::truncate_div::packet(T(-7), T(2)) == -3);
  CHECK(functor::floor_mod::packet(T(-7.5), T(2)) == T(0.5));
  CHECK(functor::truncate_mod::packet(T(-7.5), T(2)) == T(-1.5));
}
