#pragma once
// Non-maximum suppression keeps only the box with the highest score of each group of boxes that overlap.
//
//   const auto kept = fg::non_max_suppression(boxes, scores, g.constant(100), {.iou_threshold = 0.5f});
//   const auto best = fg::gather(boxes, kept);

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using box_numbers = type_list<half, float>;
using box_types = type_attrs<type_attr<"T", box_numbers>, type_attr<"T_threshold", box_numbers>>;

// Checks boxes, scores and the scalar inputs that follow. Returns the shape of a vector of unknown size.
shape suppression_shape(shape_context& c, const shape& boxes, const shape& scores, std::initializer_list<shape> scalars);
shape overlap_shape(shape_context& c, const shape& overlaps, const shape& scores, std::initializer_list<shape> scalars);
// The number of selected boxes if it is padded to max_output_size, which is input 2.
shape padded_shape(shape_context& c, const shape& found, bool pad);
std::size_t suppression_scratch(const shape& scores);

}  // namespace detail

// Selects boxes in the order of their scores, and leaves out each box that overlaps a selected box by more than `iou_threshold`.
// The overlap of two boxes is the area of their intersection divided by the area of their union. A box is [y1, x1, y2, x2]: two
// opposite corners.
struct non_max_suppression_op {
  static constexpr std::string_view name = "NonMaxSuppression";
  static constexpr op_facts facts{.not_differentiable = true};
  float iou_threshold = 0.5f;
  static constexpr auto attrs = flowgraph::attrs(attr("iou_threshold", &non_max_suppression_op::iou_threshold));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& boxes, const flowgraph::shape& scores,
                         const flowgraph::shape& count) const {
    if (!(iou_threshold >= 0 && iou_threshold <= 1)) return c.fail("iou_threshold must be in [0, 1]");
    return detail::suppression_shape(c, boxes, scores, {count});
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& scores, const flowgraph::shape&) const {
    return detail::suppression_scratch(scores);
  }
  void operator()(cpu ctx, view<const float> boxes, view<const float> scores, view<const std::int32_t> max_output_size,
                  unsized<std::int32_t> selected) const;
};

// The same as NonMaxSuppression, but the threshold is an input.
struct non_max_suppression_v2_op {
  static constexpr std::string_view name = "NonMaxSuppressionV2";
  using types = detail::box_types;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& boxes, const flowgraph::shape& scores,
                         const flowgraph::shape& count, const flowgraph::shape& iou) const {
    return detail::suppression_shape(c, boxes, scores, {count, iou});
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& scores, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::suppression_scratch(scores);
  }
  template <class T, class U>
  void operator()(cpu ctx, view<const T> boxes, view<const T> scores, view<const std::int32_t> max_output_size,
                  view<const U> iou_threshold, unsized<std::int32_t> selected) const;
};

// Selects boxes in the order of their scores. Leaves out each box that overlaps a selected box by more than `iou_threshold`, and
// each box whose score is not greater than `score_threshold`.
struct non_max_suppression_v3_op {
  static constexpr std::string_view name = "NonMaxSuppressionV3";
  using types = detail::box_types;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& boxes, const flowgraph::shape& scores,
                         const flowgraph::shape& count, const flowgraph::shape& iou, const flowgraph::shape& score) const {
    return detail::suppression_shape(c, boxes, scores, {count, iou, score});
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& scores, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::suppression_scratch(scores);
  }
  template <class T, class U>
  void operator()(cpu ctx, view<const T> boxes, view<const T> scores, view<const std::int32_t> max_output_size,
                  view<const U> iou_threshold, view<const U> score_threshold, unsized<std::int32_t> selected) const;
};

// Selects boxes like NonMaxSuppressionV3, and also returns their number. With `pad_to_max_output_size`, zeros follow the selected
// boxes.
struct non_max_suppression_v4_op {
  static constexpr std::string_view name = "NonMaxSuppressionV4";
  using types = detail::box_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr op_facts facts{.not_differentiable = true};
  bool pad_to_max_output_size = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("pad_to_max_output_size", &non_max_suppression_v4_op::pad_to_max_output_size));

  shape_list shape(shape_context& c, const flowgraph::shape& boxes, const flowgraph::shape& scores, const flowgraph::shape& count,
                   const flowgraph::shape& iou, const flowgraph::shape& score) const {
    const flowgraph::shape found = detail::suppression_shape(c, boxes, scores, {count, iou, score});
    return {detail::padded_shape(c, found, pad_to_max_output_size), flowgraph::shape{}};
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& scores, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::suppression_scratch(scores);
  }
  template <class T, class U>
  void operator()(cpu ctx, view<const T> boxes, view<const T> scores, view<const std::int32_t> max_output_size,
                  view<const U> iou_threshold, view<const U> score_threshold, unsized<std::int32_t> selected,
                  view<std::int32_t> valid) const;
};

// Selects boxes like NonMaxSuppressionV4, and also returns their scores. If `soft_nms_sigma` is greater than 0, boxes
// that overlap are not left out: their scores are multiplied by exp(-overlap^2 / (2 soft_nms_sigma)).
struct non_max_suppression_v5_op {
  static constexpr std::string_view name = "NonMaxSuppressionV5";
  using types = detail::box_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr op_facts facts{.not_differentiable = true};
  bool pad_to_max_output_size = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("pad_to_max_output_size", &non_max_suppression_v5_op::pad_to_max_output_size));

  shape_list shape(shape_context& c, const flowgraph::shape& boxes, const flowgraph::shape& scores, const flowgraph::shape& count,
                   const flowgraph::shape& iou, const flowgraph::shape& score, const flowgraph::shape& sigma) const {
    const flowgraph::shape found = detail::suppression_shape(c, boxes, scores, {count, iou, score, sigma});
    const flowgraph::shape result = detail::padded_shape(c, found, pad_to_max_output_size);
    return {result, result, flowgraph::shape{}};
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& scores, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&, const flowgraph::shape&) const {
    return detail::suppression_scratch(scores);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> boxes, view<const T> scores, view<const std::int32_t> max_output_size,
                  view<const T> iou_threshold, view<const T> score_threshold, view<const T> soft_nms_sigma,
                  unsized<std::int32_t> selected, unsized<T> selected_scores, view<std::int32_t> valid) const;
};

// Selects boxes like NonMaxSuppressionV3, but reads their overlaps from a matrix.
struct non_max_suppression_with_overlaps_op {
  static constexpr std::string_view name = "NonMaxSuppressionWithOverlaps";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& overlaps, const flowgraph::shape& scores,
                         const flowgraph::shape& count, const flowgraph::shape& overlap, const flowgraph::shape& score) const {
    return detail::overlap_shape(c, overlaps, scores, {count, overlap, score});
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& scores, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::suppression_scratch(scores);
  }
  void operator()(cpu ctx, view<const float> overlaps, view<const float> scores, view<const std::int32_t> max_output_size,
                  view<const float> overlap_threshold, view<const float> score_threshold, unsized<std::int32_t> selected) const;
};

// Options of non_max_suppression and of its variants.
struct suppression_options {
  float iou_threshold = 0.5f;                                       // boxes that overlap by more are left out
  float score_threshold = -std::numeric_limits<float>::infinity();  // boxes with no greater score are left out
  float soft_nms_sigma = 0;             // greater than 0: scores of overlapping boxes shrink; for non_max_suppression_with_scores
  bool pad_to_max_output_size = false;  // true: zeros follow the selected boxes; not for non_max_suppression
};

namespace detail {

template <class T> out<T> threshold_beside(const any_out& x, float value, const site& s, std::string_view name) {
  return constant_beside(x, tensor<T>(T(value)), part_of(s, name));
}

}  // namespace detail

// Returns the indices of the selected boxes, the highest score first.
template <class T>
out<std::int32_t> non_max_suppression(const out<T>& boxes, const std::type_identity_t<out<T>>& scores,
                                      const out<std::int32_t>& max_output_size, const suppression_options& o = {}, site s = {}) {
  return apply(s, non_max_suppression_v3_op{}, boxes, scores, max_output_size,
               detail::threshold_beside<T>(boxes, o.iou_threshold, s, "NonMaxSuppression/iou_threshold"),
               detail::threshold_beside<T>(boxes, o.score_threshold, s, "NonMaxSuppression/score_threshold"));
}

// The result of non_max_suppression_padded.
struct padded_boxes {
  out<std::int32_t> indices;  // the selected boxes
  out<std::int32_t> count;    // their number, without padding
};
// Returns the indices of the selected boxes and their number.
template <class T>
padded_boxes non_max_suppression_padded(const out<T>& boxes, const std::type_identity_t<out<T>>& scores,
                                        const out<std::int32_t>& max_output_size, const suppression_options& o = {},
                                        site s = {}) {
  const auto [indices, count] =
      apply(s, non_max_suppression_v4_op{o.pad_to_max_output_size}, boxes, scores, max_output_size,
            detail::threshold_beside<T>(boxes, o.iou_threshold, s, "NonMaxSuppression/iou_threshold"),
            detail::threshold_beside<T>(boxes, o.score_threshold, s, "NonMaxSuppression/score_threshold"));
  return {indices, count};
}

// The result of non_max_suppression_with_scores.
template <class T> struct scored_boxes {
  out<std::int32_t> indices;  // the selected boxes
  out<T> scores;              // their scores
  out<std::int32_t> count;    // their number, without padding
};
// Returns the indices and the scores of the selected boxes, and their number.
template <class T>
scored_boxes<T> non_max_suppression_with_scores(const out<T>& boxes, const std::type_identity_t<out<T>>& scores,
                                                const out<std::int32_t>& max_output_size, const suppression_options& o = {},
                                                site s = {}) {
  const auto [indices, kept, count] =
      apply(s, non_max_suppression_v5_op{o.pad_to_max_output_size}, boxes, scores, max_output_size,
            detail::threshold_beside<T>(boxes, o.iou_threshold, s, "NonMaxSuppression/iou_threshold"),
            detail::threshold_beside<T>(boxes, o.score_threshold, s, "NonMaxSuppression/score_threshold"),
            detail::threshold_beside<T>(boxes, o.soft_nms_sigma, s, "NonMaxSuppression/soft_nms_sigma"));
  return {indices, kept, count};
}

// Returns the indices of the selected boxes. Element [i, j] of `overlaps` is the overlap of boxes i and j.
inline out<std::int32_t> non_max_suppression_with_overlaps(const out<float>& overlaps, const out<float>& scores,
                                                           const out<std::int32_t>& max_output_size,
                                                           const suppression_options& o = {}, site s = {}) {
  return apply(s, non_max_suppression_with_overlaps_op{}, overlaps, scores, max_output_size,
               detail::threshold_beside<float>(overlaps, o.iou_threshold, s, "NonMaxSuppression/overlap_threshold"),
               detail::threshold_beside<float>(overlaps, o.score_threshold, s, "NonMaxSuppression/score_threshold"));
}

using non_max_suppression_ops =
    type_list<non_max_suppression_op, non_max_suppression_v2_op, non_max_suppression_v3_op, non_max_suppression_v4_op,
              non_max_suppression_v5_op, non_max_suppression_with_overlaps_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/non_max_suppression.hpp>
#endif
