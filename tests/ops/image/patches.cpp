#include <flowgraph/ops/image/patches.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("patches contain the pixels below a window, row by row") {
  const auto x = counting<int>({1, 3, 3, 1});
  const auto y = evaluate([](auto a) { return fg::extract_image_patches(a, {.sizes = {2, 2}, .strides = {1, 1}}); }, x);
  CHECK(y.shape() == fg::shape{1, 2, 2, 4});
  CHECK(values(y) == std::vector<int>{1, 2, 4, 5, 2, 3, 5, 6, 4, 5, 7, 8, 5, 6, 8, 9});
}

TEST_CASE("rates leave out pixels, and padding is zero") {
  const auto x = counting<int>({1, 3, 3, 1});
  const auto y = evaluate(
      [](auto a) {
        return fg::extract_image_patches(a, {.sizes = {2, 2}, .strides = {2, 2}, .rates = {2, 2}, .padding = fg::padding::same});
      },
      x);
  CHECK(values(y) == std::vector<int>{0, 0, 0, 5, 0, 0, 5, 0, 0, 5, 0, 0, 5, 0, 0, 0});
}

TEST_CASE("patches of volumes contain the planes first") {
  const auto x = counting<int>({1, 2, 2, 2, 1});
  const auto y = evaluate([](auto a) { return fg::extract_volume_patches(a, {.sizes = {2, 1, 2}}); }, x);
  CHECK(y.shape() == fg::shape{1, 1, 2, 1, 4});
  CHECK(values(y) == std::vector<int>{1, 2, 5, 6, 3, 4, 7, 8});
}

TEST_CASE("the gradient of patches adds each element at its pixel") {
  const auto x = drawn_images<float>({2, 4, 5, 3});
  check_linear_gradient(
      [](auto a) {
        return fg::extract_image_patches(a, {.sizes = {3, 2}, .strides = {1, 2}, .padding = fg::padding::same});
      },
      x);
}
