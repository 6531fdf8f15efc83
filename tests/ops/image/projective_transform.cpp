#include <flowgraph/ops/image/projective_transform.hpp>

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include "images.hpp"

using namespace ops_test;

namespace {

const fg::tensor<float> six_pixels({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});

std::vector<float> transformed_pixels(std::vector<float> transform, const fg::transform_options& options,
                                      const fg::shape& size = {2, 3}) {
  fg::tensor<float> t({1, 8});
  std::copy(transform.begin(), transform.end(), t.writable().begin());
  return values(
      evaluate_on_threads([&](auto x, auto to) { return fg::projective_transform(x, to, size, options); }, six_pixels, t));
}

}  // namespace

TEST_CASE("a transform says for each pixel which place of the image it shows") {
  const std::vector<float> same{1, 0, 0, 0, 1, 0, 0, 0}, right{1, 0, 1, 0, 1, 0, 0, 0}, between{1, 0, 0.5f, 0, 1, 0.5f, 0, 0};
  for (const char* interpolation : {"NEAREST", "BILINEAR"}) {
    CHECK(transformed_pixels(same, {.interpolation = interpolation}) == std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK(transformed_pixels(right, {.interpolation = interpolation, .fill_value = 9}) == std::vector<float>{2, 3, 9, 5, 6, 9});
  }
  CHECK(transformed_pixels(between, {}) == std::vector<float>{3, 4, 2.25f, 2.25f, 2.75f, 1.5f});
  CHECK(transformed_pixels({1, 0, 0, 0, 1, 0, -1, 0}, {.interpolation = "NEAREST", .fill_value = 9}) ==
        std::vector<float>{1, 9, 9, 4, 9, 9});
}

// WRAP repeats an image with the period of its last place, as in TensorFlow.
TEST_CASE("places outside of the image are filled in four ways") {
  const auto filled = [](const char* mode) {
    return transformed_pixels({1, 0, -3, 0, 1, 0, 0, 0}, {.interpolation = "NEAREST", .fill_mode = mode}, {1, 9});
  };
  CHECK(filled("CONSTANT") == std::vector<float>{0, 0, 0, 1, 2, 3, 0, 0, 0});
  CHECK(filled("NEAREST") == std::vector<float>{1, 1, 1, 1, 2, 3, 3, 3, 3});
  CHECK(filled("REFLECT") == std::vector<float>{3, 2, 1, 1, 2, 3, 3, 2, 1});
  CHECK(filled("WRAP") == std::vector<float>{3, 3, 3, 1, 2, 3, 1, 1, 1});
}

TEST_CASE("places that are not numbers or too large read no pixel outside of the image") {
  for (const char* mode : {"CONSTANT", "NEAREST", "REFLECT", "WRAP"})
    for (const char* interpolation : {"NEAREST", "BILINEAR"})
      for (const float odd : {no_number, infinity, -infinity, 1e20f, -1e20f})
        CHECK(transformed_pixels({odd, 0, 1, 0, odd, odd, 0, 0}, {interpolation, mode, 7}).size() == 6);
}

TEST_CASE("the gradient of a transform is the gradient transformed back, as in TensorFlow") {
  fg::graph g;
  const auto x = g.constant(six_pixels);
  const auto t = g.constant(fg::tensor<float>({1, 8}, {1, 0, 1, 0, 1, 0, 0, 0}));
  const auto y = fg::projective_transform(x, t, {2, 3});
  const fg::out<float> dx = fg::gradients(fg::sum(fg::square(y)), x);
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(dx))) == std::vector<float>{0, 4, 6, 0, 10, 12});
}

TEST_CASE("transforms of a wrong form and empty results are refused") {
  fg::graph g;
  const auto x = g.constant(six_pixels);
  const auto with = [&](const fg::shape& form, const fg::shape& size) {
    return fg::projective_transform(x, g.constant(fg::tensor<float>(form)), size);
  };
  CHECK_THROWS(with({2, 8}, {2, 3}));
  CHECK_THROWS(with({1, 7}, {2, 3}));
  CHECK_THROWS(with({8}, {2, 3}));
  CHECK_THROWS(with({1, 8}, {0, 3}));
  CHECK_THROWS(with({1, 8}, {2, 3, 1}));
}
