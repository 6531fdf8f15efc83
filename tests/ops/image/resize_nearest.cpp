#include <flowgraph/ops/image/resize_nearest.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("resizing by the nearest pixel copies elements of any type") {
  const fg::tensor<std::int64_t> x({1, 2, 2, 1}, {1, 2, 3, std::int64_t{1} << 60});
  const auto y = evaluate([](auto a) { return fg::resize_nearest_neighbor(a, {4, 3}); }, x);
  CHECK(values(y) == std::vector<std::int64_t>{1, 1, 2, 1, 1, 2, 3, 3, std::int64_t{1} << 60, 3, 3, std::int64_t{1} << 60});
}

TEST_CASE("the nearest pixel depends on the attributes") {
  const fg::tensor<int> x({1, 1, 4, 1}, {0, 1, 2, 3});
  const auto resized = [&](const fg::resize_attributes& o) {
    return values(evaluate([&](auto a) { return fg::resize_nearest_neighbor(a, {1, 3}, o); }, x));
  };
  CHECK(resized({}) == std::vector<int>{0, 1, 2});
  CHECK(resized({.half_pixel_centers = true}) == std::vector<int>{0, 2, 3});
  CHECK(resized({.align_corners = true}) == std::vector<int>{0, 2, 3});
}

TEST_CASE("the gradient of the nearest pixel sums the elements that show it") {
  for (const fg::resize_attributes& o : {fg::resize_attributes{}, {.align_corners = true}, {.half_pixel_centers = true}})
    for (const fg::shape& size : {fg::shape{7, 9}, {2, 2}, {1, 1}})
      check_linear_gradient([&](auto a) { return fg::resize_nearest_neighbor(a, size, o); }, drawn_images<float>({2, 4, 3, 2}));
}

TEST_CASE("resizing by the nearest pixel has the same bits by any number of threads") {
  check_threads([](auto a) { return fg::resize_nearest_neighbor(a, {150, 370}); }, drawn_images<float>({2, 90, 80, 3}));
}
