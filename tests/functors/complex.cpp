#include <flowgraph/functors/complex.hpp>
#include <flowgraph/functors/numbers.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace functor = flowgraph::functor;

TEST_CASE_TEMPLATE("complex products and quotients follow the plain formulas", R, float, double) {
  using number = std::complex<R>;
  CHECK(functor::complex_mul::packet(number(1, 2), number(3, 4)) == number(-5, 10));
  CHECK(functor::complex_div::packet(number(-5, 10), number(3, 4)) == number(1, 2));
  CHECK(functor::complex_squared_difference::packet(number(4, 6), number(1, 2)) == number(25, 0));
  CHECK(std::isnan(functor::complex_mul::packet(number(std::numeric_limits<R>::infinity(), 0), number(1, 0)).imag()));
}

TEST_CASE_TEMPLATE("a complex quotient does not overflow where the square of the divisor does", R, float, double) {
  const R large = std::numeric_limits<R>::max() / 4;
  CHECK(functor::complex_div::packet(std::complex<R>(large, large), std::complex<R>(large, large)) == std::complex<R>(1, 0));
}

TEST_CASE("a complex zero wins over infinity") {
  using number = std::complex<float>;
  const number infinite(std::numeric_limits<float>::infinity(), 0);
  CHECK(functor::complex_mul_no_nan::packet(infinite, number(0)) == number(0));
  CHECK(functor::complex_div_no_nan::packet(infinite, number(0)) == number(0));
  CHECK(functor::complex_xdivy::packet(number(0), number(0)) == number(0));
}

TEST_CASE("the parts, the size and the angle of a complex number are real") {
  const std::complex<double> x(3, -4);
  CHECK(functor::real_part::packet(x) == 3);
  CHECK(functor::imaginary_part::packet(x) == -4);
  CHECK(functor::magnitude::packet(x) == 5);
  CHECK(functor::angle::packet(x) == std::atan2(-4., 3.));
  CHECK(functor::complex_sign::packet(x) == std::complex<double>(0.6, -0.8));
}
