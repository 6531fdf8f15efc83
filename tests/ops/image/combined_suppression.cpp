#include <flowgraph/ops/image/combined_suppression.hpp>

#include "images.hpp"

using namespace ops_test;

TEST_CASE("boxes of all classes are sorted by their scores") {
  fg::graph g;
  const auto boxes = g.constant(fg::tensor<float>({1, 3, 1, 4}, {0, 0, 1, 1, 0, 0.05f, 1, 1.05f, 0, 5, 1, 6}));
  const auto scores = g.constant(fg::tensor<float>({1, 3, 2}, {0.9f, 0.1f, 0.8f, 0.7f, 0.3f, 0.6f}));
  const auto found = fg::combined_non_max_suppression(boxes, scores, g.constant(2), g.constant(5));
  CHECK(found.boxes.shape() == fg::shape{1, 5, 4});
  fg::session s{g};
  const auto [kept, best, classes, count] = s.run(fg::fetch(found.boxes, found.scores, found.classes, found.count));
  CHECK(count.scalar() == 4);
  CHECK(values(best) == std::vector<float>{0.9f, 0.7f, 0.6f, 0.3f, 0});
  CHECK(values(classes) == std::vector<float>{0, 1, 1, 0, 0});
  CHECK(std::vector<float>(kept.begin() + 4, kept.begin() + 8) == std::vector<float>{0, 0.05f, 1, 1});  // clipped
}

TEST_CASE("boxes that do not fit into the result are left out") {
  fg::graph g;
  fg::tensor<float> boxes({1, 9, 1, 4}), scores({1, 9, 1});
  for (std::size_t i = 0; i < 9; ++i) {
    const float corners[] = {0, static_cast<float>(i), 1, static_cast<float>(i) + 0.5f};
    std::copy_n(corners, 4, boxes.writable().data() + 4 * i);
    scores.writable()[i] = static_cast<float>((i * 4) % 9) / 10;
  }
  const auto found = fg::combined_non_max_suppression(g.constant(boxes), g.constant(scores), g.constant(9), g.constant(3),
                                                      {.score_threshold = 0.05f, .clip_boxes = false});
  fg::session s{g};
  const auto [best, count] = s.run(fg::fetch(found.scores, found.count));
  CHECK(values(best) == std::vector<float>{0.8f, 0.7f, 0.6f});
  CHECK(count.scalar() == 3);
}

TEST_CASE("the selection has the same bits by any number of threads") {
  check_threads(
      [](auto b) {
        const auto scores = fg::detail::constant_beside(b, drawn_images<float>({6, 400, 4}, 5));
        const auto number = [&](int n) { return fg::detail::constant_beside(b, fg::tensor<int>(n)); };
        return fg::combined_non_max_suppression(b, scores, number(20), number(50)).boxes;
      },
      drawn_images<float>({6, 400, 1, 4}));
}
