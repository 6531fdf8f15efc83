#include <flowgraph/ops/image/resize_bicubic.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("cubic interpolation reproduces straight lines inside of an image") {
  fg::tensor<float> x({1, 1, 8, 1});
  for (std::size_t i = 0; i < 8; ++i) x.writable()[i] = static_cast<float>(i);
  const auto y = evaluate([](auto a) { return fg::resize_bicubic(a, {1, 16}, {.half_pixel_centers = true}); }, x);
  for (std::size_t i = 4; i < 12; ++i) CHECK(y.data()[i] == doctest::Approx((static_cast<double>(i) + 0.5) / 2 - 0.5));
}

TEST_CASE("the weights of a pixel add up to one at the edges too") {
  for (const bool centered : {false, true})
    for (const std::int64_t depth : {1, 2, 3, 4}) {
      fg::tensor<float> x({1, 3, 5, depth});
      for (float& e : x.writable()) e = 2;
      const auto y = evaluate([&](auto a) { return fg::resize_bicubic(a, {7, 300}, {.half_pixel_centers = centered}); }, x);
      for (const float e : y) CHECK(e == doctest::Approx(2).epsilon(1e-6));
    }
}

TEST_CASE("the gradient of cubic interpolation is its transpose") {
  for (const fg::resize_attributes& o : {fg::resize_attributes{}, {.align_corners = true}, {.half_pixel_centers = true}})
    for (const fg::shape& size : {fg::shape{7, 9}, {2, 2}, {1, 1}})
      check_linear_gradient([&](auto a) { return fg::resize_bicubic(a, size, o); }, drawn_images<float>({2, 4, 3, 2}));
}

TEST_CASE("cubic interpolation has the same bits by any number of threads") {
  const auto f = [](auto a) { return fg::resize_bicubic(a, {150, 170}); };
  check_threads(f, drawn_images<float>({2, 90, 80, 3}));
  check_threads([&](auto a) { return fg::out<float>(fg::gradients(fg::sum(f(a) * f(a)), a)); },
                drawn_images<float>({2, 90, 80, 3}));
}
