#pragma once
// Non-maximum suppression for the classes of a detector, for a batch of images.
//
//   const auto found = fg::combined_non_max_suppression(boxes, scores, g.constant(20), g.constant(100));
//   found.boxes;  // [batch, 100, 4]

#include <flowgraph/ops/image/non_max_suppression.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct combined_attributes {
  bool pad_per_class = false, clip_boxes = true;
  static constexpr auto attrs = flowgraph::attrs(attr("pad_per_class", &combined_attributes::pad_per_class),
                                                 attr("clip_boxes", &combined_attributes::clip_boxes));
};
shape_list combined_shape(shape_context& c, const combined_attributes& a, const shape& boxes, const shape& scores,
                          std::initializer_list<shape> scalars);
std::size_t combined_scratch(const shape& scores);

}  // namespace detail

// Selects boxes for each class by NonMaxSuppression, and returns the boxes of all classes in the order of their scores. Boxes of
// the shape [batch, n, 1, 4] are shared by all classes; otherwise each class has its own boxes: [batch, n, classes, 4]. With
// `clip_boxes`, the corners are limited to [0, 1]. With `pad_per_class`, the result has room for at most
// max_output_size_per_class boxes per class.
struct combined_non_max_suppression_op : detail::combined_attributes {
  static constexpr std::string_view name = "CombinedNonMaxSuppression";
  static constexpr auto host_inputs = flowgraph::host_inputs(2, 3);
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& boxes, const flowgraph::shape& scores,
                   const flowgraph::shape& per_class, const flowgraph::shape& total, const flowgraph::shape& iou,
                   const flowgraph::shape& score) const {
    return detail::combined_shape(c, *this, boxes, scores, {per_class, total, iou, score});
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& scores, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&, const flowgraph::shape&) const {
    return detail::combined_scratch(scores);
  }
  void operator()(cpu ctx, view<const float> boxes, view<const float> scores, view<const std::int32_t> per_class,
                  view<const std::int32_t> total, view<const float> iou_threshold, view<const float> score_threshold,
                  view<float> selected, view<float> selected_scores, view<float> classes, view<std::int32_t> valid) const;
};

// Options of combined_non_max_suppression.
struct combined_suppression_options {
  float iou_threshold = 0.5f;                                       // boxes that overlap by more are left out
  float score_threshold = -std::numeric_limits<float>::infinity();  // boxes with no greater score are left out
  bool pad_per_class = false;  // true: the result has at most max_output_size_per_class boxes per class
  bool clip_boxes = true;      // true: the corners of boxes are limited to [0, 1]
};
// The result of combined_non_max_suppression, the highest score first. Zeros follow the selected boxes.
struct combined_boxes {
  out<float> boxes;         // [batch, max_total_size, 4]
  out<float> scores;        // [batch, max_total_size]
  out<float> classes;       // [batch, max_total_size]
  out<std::int32_t> count;  // [batch]: the number of selected boxes
};
// Selects boxes for each class and each image. The shape of `boxes` is [batch, n, 1 or classes, 4], and that of `scores` is
// [batch, n, classes].
inline combined_boxes combined_non_max_suppression(const out<float>& boxes, const out<float>& scores,
                                                   const out<std::int32_t>& max_output_size_per_class,
                                                   const out<std::int32_t>& max_total_size,
                                                   const combined_suppression_options& o = {}, site s = {}) {
  const auto [selected, kept, classes, count] =
      apply(s, combined_non_max_suppression_op{{o.pad_per_class, o.clip_boxes}}, boxes, scores, max_output_size_per_class,
            max_total_size, detail::threshold_beside<float>(boxes, o.iou_threshold, s, "CombinedNonMaxSuppression/iou_threshold"),
            detail::threshold_beside<float>(boxes, o.score_threshold, s, "CombinedNonMaxSuppression/score_threshold"));
  return {selected, kept, classes, count};
}

using combined_suppression_ops = type_list<combined_non_max_suppression_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/combined_suppression.hpp>
#endif
