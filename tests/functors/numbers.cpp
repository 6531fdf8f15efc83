#include <flowgraph/functors/all.hpp>
#include <flowgraph/functors/numbers.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace functor = flowgraph::functor;
using flowgraph::detail::wrapping;

TEST_CASE("functors serve plain numbers too") {
  CHECK(functor::add::packet<std::int8_t>(3, 4) == 7);
  CHECK(functor::maximum::packet<std::uint64_t>(3, 4) == 4);
  CHECK(functor::minimum::packet(-3, 4) == -3);
  CHECK(functor::squared_difference::packet(-3, 4) == 49);
  CHECK(functor::abs::packet<std::int16_t>(-7) == 7);
  CHECK(functor::abs::packet(std::int32_t{-2147483647 - 1}) == -2147483647 - 1);
  CHECK(functor::sign::packet<std::uint8_t>(200) == 1);
  CHECK(functor::sign::packet<std::int64_t>(-9) == -1);
  CHECK(functor::relu::packet(-5) == 0);
  CHECK(functor::relu_grad::packet(7, 1) == 7);
  CHECK(std::isnan(functor::maximum::packet(1.0, std::nan(""))));
  CHECK(std::isnan(functor::minimum::packet(std::nan(""), 1.0)));
  CHECK(functor::softplus::packet(1.0) == doctest::Approx(std::log1p(std::exp(1.0))));
}

TEST_CASE("an integer wraps around where C++ has undefined behaviour") {
  using number = wrapping<std::int32_t>;
  const number lowest = std::numeric_limits<std::int32_t>::min(), highest = std::numeric_limits<std::int32_t>::max();

  CHECK(functor::add::packet(highest, number(1)).value == lowest.value);
  CHECK(functor::sub::packet(lowest, number(1)).value == highest.value);
  CHECK(functor::neg::packet(lowest).value == lowest.value);
  CHECK(functor::div::packet(lowest, number(-1)).value == lowest.value);
  CHECK(functor::square::packet(number(1 << 16)).value == 0);
}

TEST_CASE("the functions of plain numbers are those of libm") {
  CHECK(functor::sin::packet(1.5) == std::sin(1.5));
  CHECK(functor::atan2::packet(1.f, -2.f) == std::atan2(1.f, -2.f));
  CHECK(functor::tanh::packet(0.3f) == std::tanh(0.3f));
  CHECK(functor::log1p::packet(1e-9) == std::log1p(1e-9));
  CHECK(functor::next_after::packet(1.f, 2.f) == std::nextafter(1.f, 2.f));
  CHECK(functor::pow::packet(std::complex<double>(1, 2), std::complex<double>(0.5, 1)) ==
        std::pow(std::complex<double>(1, 2), std::complex<double>(0.5, 1)));
}
