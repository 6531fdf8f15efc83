#include <flowgraph/ops/image/resize_area.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("a pixel of a smaller image is the mean of the area that it covers") {
  const fg::tensor<float> x({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(values(evaluate([](auto a) { return fg::resize_area(a, {1, 2}); }, x)) == std::vector<float>{3.5f, 5.5f});
  const auto third = evaluate([](auto a) { return fg::resize_area(a, {2, 3}); }, x);
  CHECK(third.data()[0] == doctest::Approx((1 + 2 / 3.) / (4 / 3.)));
  CHECK(third.data()[1] == doctest::Approx(2.5));
}

TEST_CASE("an area that extends beyond the image repeats the last pixel, and a single pixel has no corners") {
  const auto aligned = [](auto a) { return fg::resize_area(a, {1, 2}, {.align_corners = true}); };
  CHECK(values(evaluate(aligned, fg::tensor<float>({1, 1, 3, 1}, {1, 2, 4}))) == std::vector<float>{1.5f, 4});
  CHECK(values(evaluate(aligned, fg::tensor<float>({1, 1, 1, 1}, {3}))) == std::vector<float>{3, 3});
}

TEST_CASE("the mean of an area is the same for each channel") {
  const auto x = drawn_images<float>({1, 6, 6, 130});
  const auto y = evaluate([](auto a) { return fg::resize_area(a, {2, 3}); }, x);
  for (const std::int64_t c : {0, 63, 64, 129}) {
    double sum = 0;
    for (std::int64_t r = 0; r < 3; ++r)
      for (std::int64_t k = 0; k < 2; ++k) sum += static_cast<double>(x.data()[(r * 6 + k) * 130 + c]);
    CHECK(y.data()[c] == doctest::Approx(sum / 6));
  }
}

TEST_CASE("means of areas have the same bits by any number of threads") {
  check_threads([](auto a) { return fg::resize_area(a, {31, 47}); }, drawn_images<float>({2, 90, 280, 3}));
}
