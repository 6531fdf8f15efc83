#include <flowgraph/ops/image/random_crop.hpp>

#include <flowgraph/ops/array/slice.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("a random crop is a part of the image, and moves from run to run") {
  fg::graph g;
  const auto x = counting<int>({9, 8, 1});
  const auto y = fg::random_crop(g.constant(x), {3, 4}, 5);
  fg::session s{g};
  bool moves = false;
  int first = 0;
  for (int run = 0; run < 10; ++run) {
    const auto part = s.run(fg::fetch(y));
    const int corner = part.data()[0];
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 4; ++c) CHECK(part.data()[r * 4 + c] == corner + r * 8 + c);
    moves = moves || (run > 0 && corner != first);
    first = corner;
  }
  CHECK(moves);
}

TEST_CASE("a crop that is larger than the image is refused") {
  fg::graph g;
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(fg::random_crop(g.constant(counting<int>({2, 2, 1})), {3, 1})));
  REQUIRE(!made);
  CHECK(says(made.error(), "size must not exceed the image"));
}

TEST_CASE("sampled boxes have the area and the form that the attributes name") {
  fg::graph g;
  const auto boxes = g.constant(fg::tensor<float>({1, 1, 4}, {0.4f, 0.4f, 0.6f, 0.6f}));
  const auto image = g.constant(fg::tensor<int>({3}, {100, 80, 3}));
  const auto made = fg::sample_distorted_bounding_box(
      image, boxes, {.min_object_covered = 0.5f, .aspect_ratio_range = {0.8f, 1.25f}, .area_range = {0.2f, 0.5f}}, 3);
  fg::session s{g};
  for (int run = 0; run < 20; ++run) {
    const auto [begin, size, box] = s.run(fg::fetch(made.begin, made.size, made.box));
    const double rows = size.data()[0], columns = size.data()[1];
    CHECK(begin.data()[0] + size.data()[0] <= 100);
    CHECK(begin.data()[1] + size.data()[1] <= 80);
    CHECK(size.data()[2] == -1);
    if (rows == 100 && columns == 80) continue;  // no attempt succeeded
    CHECK(columns / rows > 0.75);
    CHECK(columns / rows < 1.32);
    CHECK(rows * columns >= 0.2 * 8000);
    CHECK(rows * columns <= 0.5 * 8000);
    CHECK(box.data()[0] == doctest::Approx(begin.data()[0] / 100.));
  }
}
