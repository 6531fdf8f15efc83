// Finds the bright discs of a picture, and cuts them out: many windows get scores, the best window of each group is kept, and the
// crops are resized to one size.
//
//     picture ──> brightness ──> avg_pool ──> a score per window ──> non_max_suppression ──> gather ──> found
//        │                                                                 boxes ─────────────^          │
//        └─────────────────────────────> crop_and_resize <───────────────────────────────────────────────┘

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/image/crop_and_resize.hpp>
#include <flowgraph/ops/image/draw_boxes.hpp>
#include <flowgraph/ops/image/non_max_suppression.hpp>

#include <algorithm>
#include <cstdio>

namespace fg = flowgraph;

constexpr std::int64_t height = 96, width = 128, window = 24, step = 4;
constexpr std::int64_t windows_down = (height - window) / step + 1, windows_across = (width - window) / step + 1;

struct disc {
  std::int64_t row, column;
  float color[3];
};
constexpr disc discs[] = {{24, 30, {1, 0.2f, 0.2f}}, {60, 90, {0.2f, 0.8f, 0.2f}}, {72, 28, {0.2f, 0.2f, 0.6f}}};

fg::tensor<float> picture() {
  fg::tensor<float> made({1, height, width, 3});
  for (std::int64_t i = 0; i < height * width; ++i)
    for (const disc& d : discs) {
      const std::int64_t down = i / width - d.row, across = i % width - d.column;
      if (down * down + across * across <= 100) std::copy_n(d.color, 3, made.writable().data() + 3 * i);
    }
  return made;
}

// The box of each window: its first and last row and column, as fractions of the picture.
fg::tensor<float> boxes_of_windows() {
  fg::tensor<float> made({windows_down * windows_across, 4});
  for (std::int64_t i = 0; i < windows_down * windows_across; ++i) {
    const auto top = static_cast<float>(i / windows_across * step), left = static_cast<float>(i % windows_across * step);
    const float box[] = {top / (height - 1), left / (width - 1), (top + window - 1) / (height - 1),
                         (left + window - 1) / (width - 1)};
    std::copy_n(box, 4, made.writable().data() + 4 * i);
  }
  return made;
}

int main() {
  fg::graph g;
  auto images = g.placeholder<float>("images", {1, height, width, 3});
  auto boxes = g.constant(boxes_of_windows());

  auto brightness = fg::max(images, 3, true);
  auto scores = fg::reshape(fg::avg_pool(brightness, {.window = {window, window}, .strides = {step, step}}), {-1});
  auto kept = fg::non_max_suppression(boxes, scores, g.constant(10), {.iou_threshold = 0.1f, .score_threshold = 0.2f});
  auto found = fg::gather(boxes, kept);
  auto image_of_box = fg::zeros_like(kept);  // all boxes are in image 0
  auto crops = fg::crop_and_resize(images, found, image_of_box, {12, 12});
  auto shown = fg::draw_bounding_boxes(images, fg::expand_dims(found, 0));

  fg::session s{g};
  const auto [place, score, crop, drawn] = s.run(fg::fetch(found, fg::gather(scores, kept), crops, shown), {{images, picture()}});
  bool is_right = crop.shape() == fg::shape{3, 12, 12, 3} && drawn.shape() == fg::shape{1, height, width, 3};
  for (std::size_t i = 0; i < score.size() && is_right; ++i) {
    const float* const middle = crop.data() + ((i * 12 + 6) * 12 + 6) * 3;  // the first disc is the brightest
    std::printf("score %.2f  box %.2f %.2f %.2f %.2f  color %.1f %.1f %.1f\n", score.data()[i], place.data()[4 * i],
                place.data()[4 * i + 1], place.data()[4 * i + 2], place.data()[4 * i + 3], middle[0], middle[1], middle[2]);
    is_right = std::equal(middle, middle + 3, discs[i].color, [](float a, float b) { return a > b - 0.01f && a < b + 0.01f; });
  }
  return is_right ? 0 : 1;
}
