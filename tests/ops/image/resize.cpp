#include <flowgraph/ops/image/resize.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("each method keeps an image of one color") {
  using method = fg::resize_method;
  fg::tensor<float> x({1, 6, 7, 3});
  for (float& e : x.writable()) e = 0.75f;
  for (const method m : {method::bilinear, method::nearest, method::bicubic, method::area, method::lanczos3, method::lanczos5,
                         method::gaussian, method::mitchellcubic})
    for (const bool antialias : {false, true}) {
      CAPTURE(static_cast<int>(m));
      const auto y = evaluate([&](auto a) { return fg::resize(a, {3, 11}, {.method = m, .antialias = antialias}); }, x);
      CHECK(y.shape() == fg::shape{1, 3, 11, 3});
      for (const float e : y) CHECK(e == doctest::Approx(0.75).epsilon(1e-5));
    }
}

TEST_CASE("the nearest pixels of integers become floats") {
  const fg::tensor<std::uint8_t> x({1, 1, 2, 1}, {7, 200});
  const auto y = evaluate([](auto a) { return fg::resize(a, {1, 4}, {.method = fg::resize_method::nearest}); }, x);
  CHECK(values(y) == std::vector<float>{7, 7, 200, 200});
}

TEST_CASE("antialiasing removes a pattern that is finer than the result") {
  fg::tensor<float> x({1, 16, 16, 1});
  for (std::size_t i = 0; i < x.size(); ++i) x.writable()[i] = i % 2 == 0 ? 1.f : 0.f;
  const auto y = evaluate([](auto a) { return fg::resize(a, {4, 4}, {.antialias = true}); }, x);
  for (std::int64_t i : {5, 6, 9, 10}) CHECK(y.data()[i] == doctest::Approx(0.5).epsilon(0.01));
}
