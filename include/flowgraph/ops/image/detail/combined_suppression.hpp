#pragma once

#include <flowgraph/ops/image/combined_suppression.hpp>
#include <flowgraph/ops/image/detail/box_overlap.hpp>
#include <flowgraph/ops/image/detail/resize_axis.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list combined_shape(shape_context& c, const combined_attributes& a,
                                                                 const shape& boxes, const shape& scores,
                                                                 std::initializer_list<shape> scalars) {
  const shape_list unknown{shape{-1, -1, 4}, shape::unknown_of_rank(2), shape::unknown_of_rank(2), shape::unknown_of_rank(1)};
  const auto refused = [&](const message& why) {
    c.fail(why);
    return unknown;
  };
  if (!fits(boxes, shape{any, any, any, 4})) return refused({"boxes must have four axes, and four columns"});
  if (!fits(scores, shape{any, any, any})) return refused({"scores must have three axes"});
  for (const shape& s : scalars)
    if (!fits(s, {})) return refused({"the sizes and the thresholds must be scalars"});
  if (boxes.has_rank() && scores.has_rank()) {
    if (!fits(shape::of(boxes.dims, 2), shape::of(scores.dims, 2))) return refused({"scores must have a row per box"});
    if (boxes[2] >= 0 && boxes[2] != 1 && scores[2] >= 0 && boxes[2] != scores[2])
      return refused({"boxes must have one box per class, or one for all"});
  }
  const std::int64_t batch = boxes.has_rank() && boxes[0] >= 0 ? boxes[0] : scores.has_rank() ? scores[0] : -1;
  const shape per_class = c.integers(2), total = c.integers(3);
  std::int64_t size = -1;
  if (per_class.rank == 1 && per_class[0] <= 0)
    return refused({"max_output_size_per_class must be positive, found ", per_class[0]});
  if (total.rank == 1) {
    if (total[0] <= 0) return refused({"max_total_size must be positive, found ", total[0]});
    if (!a.pad_per_class) size = total[0];
    else if (per_class.rank == 1 && scores.has_rank() && scores[2] >= 0) size = std::min(total[0], per_class[0] * scores[2]);
  }
  return {shape{batch, size, 4}, shape{batch, size}, shape{batch, size}, shape{batch}};
}

struct scored_box {
  float score;
  std::int32_t box;
};

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t combined_scratch(const shape& scores) {
  return static_cast<std::size_t>(most_image_parts * scores[1]) * (sizeof(scored_box) + sizeof(std::int32_t));
}

// The selected boxes of one image, sorted by their scores. Boxes that do not fit are only counted.
struct combined_selection {
  float *boxes, *scores, *classes;
  std::int64_t size, count = 0;

  // Boxes with equal scores stay in the order in which they are added.
  void add(const float* box, float score, std::int64_t of_class, bool clip) {
    std::int64_t at = std::min(count, size);
    while (at > 0 && scores[at - 1] < score) --at;
    ++count;
    if (at == size) return;
    const std::int64_t end = std::min(count, size);
    std::copy_backward(scores + at, scores + end - 1, scores + end);
    std::copy_backward(classes + at, classes + end - 1, classes + end);
    std::copy_backward(boxes + 4 * at, boxes + 4 * (end - 1), boxes + 4 * end);
    scores[at] = score;
    classes[at] = static_cast<float>(of_class);
    for (int i = 0; i < 4; ++i) boxes[4 * at + i] = clip ? std::max(std::min(box[i], 1.0f), 0.0f) : box[i];
  }
};

struct combined_settings {
  std::int64_t boxes, classes, groups;  // groups: of boxes, one for each class or one for all
  std::int64_t most_per_class;
  float overlap, score;
  bool clip;
};

// `heap` and `selected` have room for all boxes.
inline void select_of_class(const combined_settings& s, const float* boxes, const float* scores, std::int64_t of_class,
                            scored_box* heap, std::int32_t* selected, combined_selection& to) {
  const auto is_behind = [](const scored_box& a, const scored_box& b) {
    return a.score < b.score || (a.score == b.score && a.box > b.box);
  };
  scored_box* end = heap;
  for (std::int64_t i = 0; i < s.boxes; ++i) {
    const float score = scores[i * s.classes + of_class];
    if (score > s.score) *end++ = {score, static_cast<std::int32_t>(i)};
  }
  std::make_heap(heap, end, is_behind);
  const auto box_at = [&](std::int32_t i) { return boxes + 4 * (i * s.groups + (s.groups > 1 ? of_class : 0)); };
  std::int64_t count = 0;
  while (count < s.most_per_class && end != heap) {
    std::pop_heap(heap, end, is_behind);
    const scored_box next = *--end;
    bool is_free = true;
    for (std::int64_t j = count - 1; j >= 0 && is_free; --j)
      is_free = !(box_overlap(box_at(next.box), box_at(selected[j])) > s.overlap);
    if (!is_free) continue;
    selected[count++] = next.box;
    to.add(box_at(next.box), next.score, of_class, s.clip);
  }
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void combined_non_max_suppression_op::operator()(
    cpu ctx, view<const float> boxes, view<const float> scores, view<const std::int32_t> per_class, view<const std::int32_t>,
    view<const float> iou_threshold, view<const float> score_threshold, view<float> selected, view<float> selected_scores,
    view<float> classes, view<std::int32_t> valid) const {
  const float overlap = iou_threshold.scalar();
  if (!(overlap >= 0 && overlap <= 1)) return ctx.fail("iou_threshold must be in [0, 1]");
  const std::int64_t n = scores.dim(1), size = selected.dim(1);
  const detail::combined_settings s{
      n,         scores.dim(2), boxes.dim(2), std::min<std::int64_t>(per_class.scalar(), n), overlap, score_threshold.scalar(),
      clip_boxes};
  for (const view<float>& y : {selected, selected_scores, classes}) std::fill_n(y.data(), y.size(), 0.0f);
  auto* const heaps = ctx.scratch<detail::scored_box>();
  auto* const chosen = reinterpret_cast<std::int32_t*>(heaps + detail::most_image_parts * n);
  detail::for_parts_of_rows(
      ctx, scores.dim(0), n * s.classes * 16, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
        for (std::int64_t image = first; image < last; ++image) {
          detail::combined_selection to{selected.data() + image * size * 4, selected_scores.data() + image * size,
                                        classes.data() + image * size, size};
          for (std::int64_t c = 0; c < s.classes && !ctx.stop_requested(); ++c)
            detail::select_of_class(s, boxes.data() + image * n * s.groups * 4, scores.data() + image * n * s.classes, c,
                                    heaps + part * n, chosen + part * n, to);
          valid[static_cast<std::size_t>(image)] = static_cast<std::int32_t>(std::min(to.count, size));
        }
      });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
