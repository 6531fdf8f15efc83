#pragma once

#include <flowgraph/ops/image/detail/box_overlap.hpp>
#include <flowgraph/ops/image/non_max_suppression.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline shape selected_shape(shape_context& c, std::int64_t boxes, const shape& scores,
                                           std::initializer_list<shape> scalars) {
  if (!fits(scores, shape{any})) return c.fail("scores must be a vector");
  if (scores.has_rank() && !fits(scores, shape{boxes})) return c.fail("scores must have one element per box");
  for (const shape& s : scalars)
    if (!fits(s, {})) return c.fail("max_output_size and the thresholds must be scalars");
  return shape{any};
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape suppression_shape(shape_context& c, const shape& boxes, const shape& scores,
                                                               std::initializer_list<shape> scalars) {
  if (!fits(boxes, shape{any, 4})) return c.fail("boxes must have two axes, and four columns");
  return selected_shape(c, boxes.has_rank() ? boxes[0] : -1, scores, scalars);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape overlap_shape(shape_context& c, const shape& overlaps, const shape& scores,
                                                           std::initializer_list<shape> scalars) {
  if (!fits(overlaps, shape{any, any})) return c.fail("overlaps must be a matrix");
  if (overlaps.has_rank() && !fits(shape{overlaps[0]}, shape{overlaps[1]})) return c.fail("overlaps must be a square matrix");
  return selected_shape(c, overlaps.has_rank() ? overlaps[0] : -1, scores, scalars);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape padded_shape(shape_context& c, const shape& found, bool pad) {
  if (c.failed() || !pad) return found;
  const any_tensor* const count = c.constant(2);
  return count && count->shape().rank == 0 ? shape{count->as<std::int32_t>().scalar()} : found;
}

// A box that may be selected. `compared`: the number of selected boxes with which it has been compared.
struct box_candidate {
  std::int32_t box, compared;
};

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t suppression_scratch(const shape& scores) {
  return static_cast<std::size_t>(scores[0]) * (sizeof(box_candidate) + sizeof(std::int32_t) + 2 * sizeof(float));
}

// The settings of a suppression, in the type of the scores.
template <class T> struct suppression {
  std::int64_t most = 0;
  T overlap = T(0), score = least_finite<T>(), sigma = T(0);
};

// Returns false after a failure.
template <class T> bool is_valid(cpu ctx, const suppression<T>& s, bool bounded) {
  if (s.most < 0) return fail_check(ctx, "max_output_size must not be negative");
  const auto overlap = static_cast<float>(s.overlap);
  if (bounded && !(overlap >= 0 && overlap <= 1)) return fail_check(ctx, "iou_threshold must be in [0, 1]");
  if (!(static_cast<float>(s.sigma) >= 0)) return fail_check(ctx, "soft_nms_sigma must not be negative");
  return true;
}

// The selected boxes and their scores; at most as many as there are boxes.
template <class T> struct selection {
  std::int32_t* boxes;
  T* scores;
  std::int64_t count = 0;
};

// Returns the factor by which an overlap reduces a score, rounded as in TensorFlow.
template <class T> T remaining_share(const suppression<T>& s, T overlap) {
  const bool soft = widened(s.sigma) > 0;
  if (!soft) return widened(overlap) <= widened(s.overlap) ? T(1) : T(0);
  const T scale = narrowed<T>(-0.5f / widened(s.sigma));
  const T power = narrowed<T>(widened(narrowed<T>(widened(scale) * widened(overlap))) * widened(overlap));
  return narrowed<T>(std::exp(widened(power)));
}

// A heap of candidates sorts only as many boxes as are needed. `overlap_of(i, j)` returns the overlap of two boxes.
template <class T, class Overlap>
selection<T> select_boxes(cpu ctx, const suppression<T>& s, view<const T> scores, const Overlap& overlap_of) {
  const std::size_t n = scores.size();
  auto* const heap = ctx.scratch<box_candidate>();
  selection<T> result{reinterpret_cast<std::int32_t*>(heap + n), nullptr};
  auto* const current = reinterpret_cast<T*>(result.boxes + n);  // the scores after suppression
  result.scores = current + n;
  const auto is_behind = [current](const box_candidate& a, const box_candidate& b) {
    const auto p = widened(current[a.box]), q = widened(current[b.box]);
    return p < q || (p == q && a.box > b.box);
  };
  box_candidate* end = heap;
  for (std::size_t i = 0; i < n; ++i) {
    current[i] = scores[i];
    if (widened(scores[i]) > widened(s.score)) *end++ = {static_cast<std::int32_t>(i), 0};
  }
  std::make_heap(heap, end, is_behind);
  const bool soft = widened(s.sigma) > 0;
  while (result.count < s.most && end != heap && !ctx.stop_requested()) {
    std::pop_heap(heap, end, is_behind);
    box_candidate next = *--end;
    const T before = current[next.box];
    bool is_dropped = false;
    for (std::int64_t j = result.count - 1; j >= next.compared && !is_dropped; --j) {
      const T overlap = T(overlap_of(next.box, result.boxes[j]));
      current[next.box] = narrowed<T>(widened(current[next.box]) * widened(remaining_share(s, overlap)));
      is_dropped = !soft && widened(overlap) > widened(s.overlap);
      if (widened(current[next.box]) <= widened(s.score)) break;
    }
    next.compared = static_cast<std::int32_t>(result.count);
    if (is_dropped) continue;
    if (widened(current[next.box]) == widened(before)) {
      result.boxes[result.count] = next.box;
      result.scores[result.count++] = before;
    } else if (widened(current[next.box]) > widened(s.score)) {
      *end++ = next;
      std::push_heap(heap, end, is_behind);
    }
  }
  return result;
}

template <class T> void write_selected(const unsized<T>& y, const T* from, std::int64_t count, std::int64_t size) {
  const view<T> to = y.resize(shape{size});
  if (static_cast<std::int64_t>(to.size()) != size) return;
  std::copy_n(from, count, to.data());
  std::fill_n(to.data() + count, size - count, T(0));
}

template <class T> selection<T> select_boxes(cpu ctx, const suppression<T>& s, view<const T> boxes, view<const T> scores) {
  if (!is_valid(ctx, s, true)) return {};
  return select_boxes(ctx, s, scores, [&](std::int32_t i, std::int32_t j) {
    return box_overlap(boxes.data() + 4 * std::int64_t{i}, boxes.data() + 4 * std::int64_t{j});
  });
}

// Returns a threshold in the type of the scores.
template <class T, class U> T threshold_as(view<const U> x) {
  if constexpr (std::is_same_v<T, U>) return x.scalar();
  else return T(static_cast<float>(x.scalar()));
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void non_max_suppression_op::operator()(cpu ctx, view<const float> boxes, view<const float> scores,
                                                                view<const std::int32_t> max_output_size,
                                                                unsized<std::int32_t> selected) const {
  detail::suppression<float> s{max_output_size.scalar(), iou_threshold};
  const auto result = detail::select_boxes(ctx, s, boxes, scores);
  if (!ctx.failed()) detail::write_selected(selected, result.boxes, result.count, result.count);
}

template <class T, class U>
void non_max_suppression_v2_op::operator()(cpu ctx, view<const T> boxes, view<const T> scores,
                                           view<const std::int32_t> max_output_size, view<const U> iou_threshold,
                                           unsized<std::int32_t> selected) const {
  const detail::suppression<T> s{max_output_size.scalar(), detail::threshold_as<T>(iou_threshold)};
  const auto result = detail::select_boxes(ctx, s, boxes, scores);
  if (!ctx.failed()) detail::write_selected(selected, result.boxes, result.count, result.count);
}

template <class T, class U>
void non_max_suppression_v3_op::operator()(cpu ctx, view<const T> boxes, view<const T> scores,
                                           view<const std::int32_t> max_output_size, view<const U> iou_threshold,
                                           view<const U> score_threshold, unsized<std::int32_t> selected) const {
  const detail::suppression<T> s{max_output_size.scalar(), detail::threshold_as<T>(iou_threshold),
                                 detail::threshold_as<T>(score_threshold)};
  const auto result = detail::select_boxes(ctx, s, boxes, scores);
  if (!ctx.failed()) detail::write_selected(selected, result.boxes, result.count, result.count);
}

template <class T, class U>
void non_max_suppression_v4_op::operator()(cpu ctx, view<const T> boxes, view<const T> scores,
                                           view<const std::int32_t> max_output_size, view<const U> iou_threshold,
                                           view<const U> score_threshold, unsized<std::int32_t> selected,
                                           view<std::int32_t> valid) const {
  const detail::suppression<T> s{max_output_size.scalar(), detail::threshold_as<T>(iou_threshold),
                                 detail::threshold_as<T>(score_threshold)};
  const auto result = detail::select_boxes(ctx, s, boxes, scores);
  if (ctx.failed()) return;
  valid[0] = static_cast<std::int32_t>(result.count);
  detail::write_selected(selected, result.boxes, result.count, pad_to_max_output_size ? s.most : result.count);
}

template <class T>
void non_max_suppression_v5_op::operator()(cpu ctx, view<const T> boxes, view<const T> scores,
                                           view<const std::int32_t> max_output_size, view<const T> iou_threshold,
                                           view<const T> score_threshold, view<const T> soft_nms_sigma,
                                           unsized<std::int32_t> selected, unsized<T> selected_scores,
                                           view<std::int32_t> valid) const {
  const detail::suppression<T> s{max_output_size.scalar(), iou_threshold.scalar(), score_threshold.scalar(),
                                 soft_nms_sigma.scalar()};
  const auto result = detail::select_boxes(ctx, s, boxes, scores);
  if (ctx.failed()) return;
  valid[0] = static_cast<std::int32_t>(result.count);
  const std::int64_t size = pad_to_max_output_size ? s.most : result.count;
  detail::write_selected(selected, result.boxes, result.count, size);
  detail::write_selected(selected_scores, result.scores, result.count, size);
}

FLOWGRAPH_KERNEL_INLINE void non_max_suppression_with_overlaps_op::operator()(
    cpu ctx, view<const float> overlaps, view<const float> scores, view<const std::int32_t> max_output_size,
    view<const float> overlap_threshold, view<const float> score_threshold, unsized<std::int32_t> selected) const {
  const detail::suppression<float> s{max_output_size.scalar(), overlap_threshold.scalar(), score_threshold.scalar()};
  if (!detail::is_valid(ctx, s, false)) return;
  const auto n = static_cast<std::int64_t>(scores.size());
  const auto result =
      detail::select_boxes(ctx, s, scores, [&](std::int32_t i, std::int32_t j) { return overlaps.data()[i * n + j]; });
  if (!ctx.failed()) detail::write_selected(selected, result.boxes, result.count, result.count);
}

}  // namespace flowgraph
