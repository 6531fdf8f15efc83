#include <flowgraph/ops/image/draw_boxes.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("the edges of a box are drawn, and its inside stays") {
  const fg::tensor<float> x({1, 4, 4, 1});
  const fg::tensor<float> boxes({1, 1, 4}, {0, 0, 0.7f, 0.7f});
  const auto y = evaluate([](auto a, auto b) { return fg::draw_bounding_boxes(a, b); }, x, boxes);
  CHECK(values(y) == std::vector<float>{1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0});
}

TEST_CASE("images and computed boxes of one size stay apart") {
  const fg::tensor<float> x({1, 4, 4, 1});
  fg::tensor<float> boxes({1, 4, 4});
  std::copy_n(std::array{0.f, 0.f, 0.7f, 0.7f}.data(), 4, boxes.writable().data());
  const auto y = evaluate([](auto a, auto b) { return fg::draw_bounding_boxes(a, fg::identity(b) * 1.f); }, x, boxes);
  CHECK(y[0] == 1);
  CHECK(y[8] == 1);
}

TEST_CASE("colors repeat after ten boxes, and later boxes cover earlier ones") {
  const fg::tensor<float> x({1, 1, 12, 3});
  fg::tensor<float> boxes({1, 11, 4});
  for (std::size_t i = 0; i < 11; ++i) {
    const float corners[] = {0, static_cast<float>(i) / 11 + 0.001f, 0, static_cast<float>(i) / 11 + 0.001f};
    std::copy_n(corners, 4, boxes.writable().data() + 4 * i);
  }
  const auto y = evaluate([](auto a, auto b) { return fg::draw_bounding_boxes(a, b); }, x, boxes);
  CHECK(std::equal(y.begin(), y.begin() + 3, y.begin() + 30));
  CHECK(!std::equal(y.begin(), y.begin() + 3, y.begin() + 3));
}

TEST_CASE("boxes outside of the image and inverted boxes draw nothing, and missing numbers end without a fault") {
  const fg::tensor<float> x({1, 3, 3, 1});
  for (const auto& corners : {std::array<float, 4>{2, 2, 3, 3},
                              {0.9f, 0, 0.1f, 1},
                              {no_number, 0, 1, 1},
                              {-3, -3, -2, -2},
                              {infinity, 0, infinity, 1}}) {
    const fg::tensor<float> boxes({1, 1, 4}, {corners[0], corners[1], corners[2], corners[3]});
    const auto y = evaluate([](auto a, auto b) { return fg::draw_bounding_boxes(a, b); }, x, boxes);
    if (corners[0] != corners[0]) continue;  // the result for missing numbers is not specified
    for (const float e : y) CHECK(e == 0);
  }
}
