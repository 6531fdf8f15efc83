#include <flowgraph/ops/image/adjust_color.hpp>

#include "images.hpp"

using namespace ops_test;

namespace {

template <class F> fg::tensor<float> adjusted(const F& f, const fg::tensor<float>& x, float by) {
  return evaluate([&](auto a, auto b) { return f(a, b); }, x, fg::tensor<float>(by));
}

}  // namespace

TEST_CASE("contrast moves each channel away from its mean in its image") {
  const fg::tensor<float> x({2, 1, 2, 1}, {1, 3, 10, 20});
  const auto contrast = [](auto a, auto b) { return fg::adjust_contrast(a, b); };
  CHECK(values(adjusted(contrast, x, 2)) == std::vector<float>{0, 4, 5, 25});
  CHECK(values(adjusted(contrast, x, 0)) == std::vector<float>{2, 2, 15, 15});
}

TEST_CASE("the older contrast limits its result and takes integers") {
  const fg::tensor<std::uint8_t> x({1, 2, 1}, {10, 30});
  const auto f = [](auto a) {
    const auto number = [&](float v) { return fg::detail::constant_beside(a, fg::tensor<float>(v)); };
    return fg::apply(fg::site{}, fg::adjust_contrast_op{}, a, number(2), number(5), number(35));
  };
  CHECK(values(evaluate(f, x)) == std::vector<float>{5, 35});
}

TEST_CASE("a third of a turn exchanges the colors, and a whole turn keeps them") {
  const auto hue = [](auto a, auto b) { return fg::adjust_hue(a, b); };
  const fg::tensor<float> x({1, 1, 3}, {0.75f, 0.25f, 0.5f});
  const auto y = adjusted(hue, x, 1 / 3.f);
  CHECK(y.data()[1] == doctest::Approx(0.75));
  CHECK(y.data()[2] == doctest::Approx(0.25));
  for (const float turns : {1.f, -2.f}) CHECK(largest_difference(x, adjusted(hue, x, turns)) < 1e-5);
}

TEST_CASE("a hue that is not a number ends without a loop") {
  const auto hue = [](auto a, auto b) { return fg::adjust_hue(a, b); };
  const auto x = drawn_images<float>({1, 2, 3});
  for (const float turns : {infinity, -infinity, no_number, 1e30f, -1e30f}) CHECK(adjusted(hue, x, turns).shape() == x.shape());
}

TEST_CASE("without saturation pixels are gray, and with a large factor one color is missing") {
  const auto saturation = [](auto a, auto b) { return fg::adjust_saturation(a, b); };
  const fg::tensor<float> x({1, 1, 3}, {0.75f, 0.25f, 0.5f});
  CHECK(values(adjusted(saturation, x, 0)) == std::vector<float>{0.75f, 0.75f, 0.75f});
  CHECK(adjusted(saturation, x, 100).data()[1] == doctest::Approx(0));
  CHECK(largest_difference(x, adjusted(saturation, x, 1)) < 1e-6);
}
