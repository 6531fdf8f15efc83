#include <flowgraph/ops/image/color_space.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("hue, saturation and value of pure colors") {
  const fg::tensor<double> x({5, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.5, 0.5, 0, 0, 0});
  const auto y = values(evaluate([](auto a) { return fg::rgb_to_hsv(a); }, x));
  const std::vector<double> expected = {0, 1, 1, 1 / 3., 1, 1, 2 / 3., 1, 1, 0, 0, 0.5, 0, 0, 0};
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(expected[i]));
}

TEST_CASE_TEMPLATE("a color that is converted back is the same", T, float, double) {
  const auto x = drawn_images<T>({50, 3});
  CHECK(largest_difference(x, evaluate([](auto a) { return fg::hsv_to_rgb(fg::rgb_to_hsv(a)); }, x)) < 1e-6);
}

TEST_CASE("a gray pixel has a gradient without hue") {
  const fg::tensor<float> x({1, 3}, {0.5f, 0.5f, 0.5f});
  const auto slope = evaluate([](auto a) { return fg::out<float>(fg::gradients(fg::sum(fg::rgb_to_hsv(a)), a)); }, x);
  for (const float e : slope) CHECK(std::isfinite(e));
}

TEST_CASE("pixels of two colors are refused") {
  fg::graph g;
  const auto why = refusal(g, [&] { fg::rgb_to_hsv(g.constant(fg::tensor<float>({2}, {1, 2}))); });
  CHECK(says(why, "the last axis must have three elements"));
}

TEST_CASE("a channel that is NaN gives the numbers of TensorFlow") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto found = evaluate([](auto x) { return fg::rgb_to_hsv(x); }, fg::tensor<float>({1, 3}, {nan, -0.f, .0688f}));
  CHECK(std::isnan(found[0]));
  CHECK(found[1] == 1);
  CHECK(found[2] == .0688f);
}
