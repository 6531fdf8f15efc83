#include <flowgraph/ops/image/crop_and_resize.hpp>

#include "images.hpp"

using namespace ops_test;

namespace {

fg::tensor<float> boxes_of(std::initializer_list<float> corners) { return {{corners.size() / 4, 4}, corners}; }
fg::tensor<int> images_of(std::initializer_list<int> images) { return {{images.size()}, images}; }

}  // namespace

TEST_CASE("a box of the whole image is the image, and one with its edges exchanged is flipped") {
  const fg::tensor<float> x({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const auto crop = [](auto a, auto b, auto i) { return fg::crop_and_resize(a, b, i, {2, 3}); };
  const auto y = evaluate(crop, x, boxes_of({0, 0, 1, 1, 1, 1, 0, 0}), images_of({0, 0}));
  CHECK(values(y) == std::vector<float>{1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1});
}

TEST_CASE("pixels outside of an image have the value of the attribute") {
  const fg::tensor<float> x({1, 1, 2, 1}, {1, 2});
  const auto crop = [](auto a, auto b, auto i) { return fg::crop_and_resize(a, b, i, {1, 3}, {.extrapolation_value = -1}); };
  CHECK(values(evaluate(crop, x, boxes_of({0, -1, 1, 1}), images_of({0}))) == std::vector<float>{-1, 1, 2});
  CHECK(values(evaluate(crop, x, boxes_of({0, -3e38f, 0, 3e38f}), images_of({0})))[0] == -1);
}

TEST_CASE("crops of the method nearest copy pixels") {
  const fg::tensor<std::uint8_t> x({2, 1, 2, 1}, {1, 2, 30, 40});
  const auto crop = [](auto a, auto b, auto i) {
    return fg::crop_and_resize(a, b, i, {1, 3}, {.method = fg::crop_method::nearest});
  };
  CHECK(values(evaluate(crop, x, boxes_of({0, 0, 0, 1}), images_of({1}))) == std::vector<float>{30, 40, 40});
}

TEST_CASE("the gradient of crops with respect to images is their transpose") {
  const auto boxes = boxes_of({0, 0, 1, 1, 0.1f, 0.2f, 0.9f, 0.7f, 0.9f, 0.8f, 0.3f, 0.1f, -0.4f, 0.2f, 1.3f, 0.6f});
  for (const fg::crop_method method : {fg::crop_method::bilinear, fg::crop_method::nearest})
    check_linear_gradient(
        [&](auto a) {
          const auto b = fg::detail::constant_beside(a, boxes);
          const auto i = fg::detail::constant_beside(a, images_of({0, 1, 1, 0}));
          return fg::crop_and_resize(a, b, i, {3, 5}, {.method = method});
        },
        drawn_images<float>({2, 4, 6, 2}));
}

TEST_CASE("the gradient of crops with respect to boxes is the difference that a small move makes") {
  const auto x = drawn_images<float>({1, 5, 6, 2});
  const auto boxes = boxes_of({0.11f, 0.23f, 0.87f, 0.71f});
  const auto indices = images_of({0});
  for (const fg::shape& size : {fg::shape{3, 4}, {1, 1}}) {
    const auto loss = [&](auto a, auto b, auto i) { return fg::sum(fg::crop_and_resize(a, b, i, size)); };
    const auto slope =
        evaluate([&](auto a, auto b, auto i) { return fg::out<float>(fg::gradients(loss(a, b, i), b)); }, x, boxes, indices);
    for (std::size_t k = 0; k < 4; ++k) {
      const auto moved = [&](float by) {
        fg::tensor<float> other({1, 4}, {boxes.data()[0], boxes.data()[1], boxes.data()[2], boxes.data()[3]});
        other.writable()[k] += by;
        return evaluate(loss, x, other, indices).scalar();
      };
      CHECK(slope.data()[k] == doctest::Approx((moved(2e-3f) - moved(-2e-3f)) / 4e-3f).epsilon(0.02));
    }
  }
}

TEST_CASE("boxes of images that do not exist and boxes that are not finite are refused") {
  const auto x = drawn_images<float>({2, 3, 3, 1});
  const auto refused = [&](const fg::tensor<float>& boxes, const fg::tensor<int>& indices) {
    fg::graph g;
    fg::session s{g};
    const auto made = s.try_run(fg::fetch(fg::crop_and_resize(g.constant(x), g.constant(boxes), g.constant(indices), {2, 2})));
    REQUIRE(!made);
    return made.error();
  };
  const auto missing = refused(boxes_of({0, 0, 1, 1}), images_of({2}));
  CHECK(missing.code() == fg::error_code::out_of_range);
  CHECK(says(missing, "box_ind must be in [0, 2), found 2"));
  CHECK(says(refused(boxes_of({0, 0, infinity, 1}), images_of({0})), "boxes must be finite"));
  fg::graph g;
  const auto longer = refusal(g, [&] {
    fg::crop_and_resize(g.constant(x), g.constant(boxes_of({0, 0, 1, 1})), g.constant(images_of({0, 1})), {2, 2});
  });
  CHECK(says(longer, "box_ind must have one element per box"));
}

TEST_CASE("crops and their gradients have the same bits by any number of threads") {
  const auto crop = [](auto a) {
    fg::tensor<float> boxes({20, 4});
    fg::tensor<int> indices({20});
    const auto drawn = drawn_images<float>({20, 4}, 3);
    for (std::size_t i = 0; i < 80; ++i) boxes.writable()[i] = drawn.data()[i];
    for (std::size_t i = 0; i < 20; ++i) indices.writable()[i] = static_cast<int>(i % 2);
    return fg::crop_and_resize(a, fg::detail::constant_beside(a, boxes), fg::detail::constant_beside(a, indices), {30, 40});
  };
  const auto x = drawn_images<float>({2, 60, 70, 3});
  check_threads(crop, x);
  check_threads([&](auto a) { return fg::out<float>(fg::gradients(fg::sum(crop(a) * crop(a)), a)); }, x);
}
