#include <flowgraph/ops/image/resize_bilinear.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("bilinear resizing keeps the places that its attributes name") {
  const fg::tensor<float> x({1, 1, 3, 1}, {0, 3, 6});
  const auto resized = [&](const fg::resize_attributes& o) {
    return values(evaluate([&](auto a) { return fg::resize_bilinear(a, {1, 6}, o); }, x));
  };
  CHECK(resized({}) == std::vector<float>{0, 1.5f, 3, 4.5f, 6, 6});
  CHECK(resized({.half_pixel_centers = true}) == std::vector<float>{0, 0.75f, 2.25f, 3.75f, 5.25f, 6});
  const auto corners = resized({.align_corners = true});
  CHECK(corners.front() == 0);
  CHECK(corners.back() == 6);
  CHECK(corners[1] == doctest::Approx(1.2));
}

TEST_CASE("images of any width and depth are interpolated alike") {
  // Each channel of a deep image is resized like an image of one channel.
  for (const std::int64_t depth : {1, 3, 4, 5, 700, 2100}) {
    CAPTURE(depth);
    const auto x = drawn_images<float>({1, 3, 4, depth});
    const auto y = evaluate([](auto a) { return fg::resize_bilinear(a, {5, 7}); }, x);
    fg::tensor<float> plane({1, 3, 4, 1});
    for (std::int64_t i = 0; i < 12; ++i) plane.writable()[static_cast<std::size_t>(i)] = x.data()[i * depth + depth - 1];
    const auto expected = evaluate([](auto a) { return fg::resize_bilinear(a, {5, 7}); }, plane);
    for (std::int64_t i = 0; i < 35; ++i) CHECK(y.data()[i * depth + depth - 1] == expected.data()[i]);
  }
  const auto wide = drawn_images<float>({1, 2, 3, 1});
  const auto y = evaluate([](auto a) { return fg::resize_bilinear(a, {2, 900}); }, wide);
  CHECK(y.data()[0] == wide.data()[0]);
  CHECK(y.data()[300] == wide.data()[1]);
  CHECK(y.data()[600] == wide.data()[2]);
}

TEST_CASE("integers are resized as floats") {
  const fg::tensor<std::uint8_t> x({1, 1, 2, 1}, {255, 0});
  CHECK(values(evaluate([](auto a) { return fg::resize_bilinear(a, {1, 4}); }, x)) == std::vector<float>{255, 127.5f, 0, 0});
}

TEST_CASE("the gradient of bilinear resizing distributes each element among its four pixels") {
  for (const fg::resize_attributes& o : {fg::resize_attributes{}, {.align_corners = true}, {.half_pixel_centers = true}})
    for (const fg::shape& size : {fg::shape{7, 9}, {2, 2}, {1, 1}, {4, 3}})
      check_linear_gradient([&](auto a) { return fg::resize_bilinear(a, size, o); }, drawn_images<float>({2, 4, 3, 2}));
}

TEST_CASE("bilinear resizing has the same bits by any number of threads") {
  const auto f = [](auto a) { return fg::resize_bilinear(a, {150, 170}, {.half_pixel_centers = true}); };
  check_threads(f, drawn_images<float>({2, 90, 80, 3}));
  check_threads([&](auto a) { return fg::out<float>(fg::gradients(fg::sum(f(a) * f(a)), a)); },
                drawn_images<float>({2, 90, 80, 3}));
}
