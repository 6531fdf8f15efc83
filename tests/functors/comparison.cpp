#include <flowgraph/functors/comparison.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace functor = flowgraph::functor;

TEST_CASE("comparisons with a NaN are false, except not_equal") {
  const double nan = std::nan("");
  CHECK_FALSE(functor::equal::packet(nan, nan));
  CHECK(functor::not_equal::packet(nan, nan));
  CHECK_FALSE(functor::less::packet(nan, 1.));
  CHECK_FALSE(functor::greater_equal::packet(nan, 1.));
  CHECK(functor::equal::packet(std::string("a"), std::string("a")));
}

TEST_CASE("a NaN is neither larger nor smaller than the first operand") {
  CHECK(functor::larger::packet(1., std::nan("")) == 1);
  CHECK(functor::smaller::packet(1., std::nan("")) == 1);
  CHECK(functor::larger::packet(1, 2) == 2);
  CHECK(functor::smaller::packet(1, 2) == 1);
}
