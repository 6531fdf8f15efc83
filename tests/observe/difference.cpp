#include <flowgraph/observe/difference.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace fg = flowgraph;

namespace {

template <class T>
std::optional<fg::tensor_difference> difference_of(std::initializer_list<T> a, std::initializer_list<T> b, fg::tolerance t = {}) {
  const fg::shape s{static_cast<std::int64_t>(a.size())};
  return fg::difference(fg::tensor<T>(s, a).erased(), fg::tensor<T>(s, b).erased(), t);
}

}  // namespace

TEST_CASE("difference: by bits, or within a tolerance; the element that is farthest apart is told") {
  CHECK_FALSE(difference_of<float>({1, 2, 3}, {1, 2, 3}));
  const auto d = difference_of<float>({1, 2, 3}, {1, 2.5f, 4});
  REQUIRE(d);
  CHECK(d->differing == 2);
  CHECK(d->at == 2);
  CHECK(d->most == 1);
  CHECK(d->text() == "2 of 3 elements differ, the most by 1, at element 2: 3 and 4");
  CHECK(difference_of<float>({1, 2, 3}, {1, 2.5f, 4}, {.absolute = 0.5})->differing == 1);
  CHECK_FALSE(difference_of<float>({1, 2, 3}, {1, 2.5f, 4}, {.absolute = 1}));
  CHECK_FALSE(difference_of<float>({1, 2, 3}, {1, 2.5f, 4}, {.relative = 0.25}));
  CHECK(difference_of<double>({1e300}, {-1e300}, {.relative = 0.5}));
}

TEST_CASE("difference: zeros of both signs, NaN and infinities") {
  const float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
  CHECK(difference_of<float>({0.f}, {-0.f}));
  CHECK_FALSE(difference_of<float>({0.f}, {-0.f}, {.absolute = 1e-30}));
  CHECK_FALSE(difference_of<float>({nan}, {nan}));
  CHECK(difference_of<float>({nan}, {-nan}));
  CHECK_FALSE(difference_of<float>({nan}, {-nan}, {.relative = 0.1}));
  CHECK(difference_of<float>({nan}, {1}, {.relative = 10}));
  CHECK(difference_of<float>({infinite}, {-infinite}, {.absolute = 1, .relative = 1}));
  CHECK(difference_of<float>({infinite}, {1}, {.absolute = 1, .relative = 1}));
  CHECK_FALSE(difference_of<float>({infinite}, {infinite}, {.absolute = 1}));
}

TEST_CASE("difference: types, shapes, and elements that are not numbers") {
  const auto types = fg::difference(fg::tensor<float>(1.f).erased(), fg::tensor<double>(1.0).erased());
  REQUIRE(types);
  CHECK(types->text() == "float[] and double[]");
  const auto shapes = fg::difference(fg::tensor<float>({2}, {1, 2}).erased(), fg::tensor<float>({1, 2}, {1, 2}).erased());
  REQUIRE(shapes);
  CHECK(shapes->kind == fg::tensor_difference::form::shape);
  CHECK(difference_of<std::string>({"a", "b"}, {"a", "c"})->text() == "1 of 2 elements differ, at element 1: 'b' and 'c'");
  CHECK(difference_of<bool>({true}, {false})->text() == "1 of 1 elements differ, at element 0: true and false");
  CHECK(difference_of<fg::complex64>({{1, 2}}, {{1, 3}})->most == 1);
  CHECK_FALSE(difference_of<std::int64_t>({1, -5}, {1, -5}));
  CHECK(difference_of<std::uint8_t>({200}, {100})->text() ==
        "1 of 1 elements differ, the most by 100, at element 0: 200 and 100");
}
