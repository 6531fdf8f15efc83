#pragma once
// Random parts of images, to vary the pictures of a training set.
//
//   const auto part = fg::random_crop(image, {200, 200});                   // image: [rows, columns, channels]
//   const auto box = fg::sample_distorted_bounding_box(fg::shape_of<std::int32_t>(image), boxes);
//   const auto other = fg::slice(image, box.begin, box.size);

#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/random/random.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns a part of an image at a random place. `size` contains the numbers of rows and columns.
struct random_crop_op : detail::random_seeds {
  static constexpr std::string_view name = "RandomCrop";
  using types = real_numbers;
  static constexpr std::size_t moved_types = 1;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& size) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<const std::int64_t> size, view<T> y) const;
};

// The limits of the boxes that sample_distorted_bounding_box draws.
struct distortion_attributes {
  float min_object_covered = 0.1f;                      // the part of at least one box that the drawn box must contain
  std::vector<float> aspect_ratio_range{0.75f, 1.33f};  // the smallest and the largest width divided by height
  std::vector<float> area_range{0.05f, 1.0f};           // the smallest and the largest part of the image
  std::int64_t max_attempts = 100;                      // after this number of attempts, the box is the whole image
  bool use_image_if_no_bounding_boxes = false;          // true: without boxes, the whole image is the box
};

// Draws a box of an image that contains enough of one of the given boxes.
struct sample_distorted_bounding_box_op : detail::random_seeds, distortion_attributes {
  static constexpr std::string_view name = "SampleDistortedBoundingBox";
  using types = integers;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};
  static constexpr auto attrs = flowgraph::attrs(
      attr("seed", &sample_distorted_bounding_box_op::seed), attr("seed2", &sample_distorted_bounding_box_op::seed2),
      attr("min_object_covered", &sample_distorted_bounding_box_op::min_object_covered),
      attr("aspect_ratio_range", &sample_distorted_bounding_box_op::aspect_ratio_range),
      attr("area_range", &sample_distorted_bounding_box_op::area_range),
      attr("max_attempts", &sample_distorted_bounding_box_op::max_attempts),
      attr("use_image_if_no_bounding_boxes", &sample_distorted_bounding_box_op::use_image_if_no_bounding_boxes));

  shape_list shape(shape_context& c, const flowgraph::shape& image_size, const flowgraph::shape& boxes) const;
  template <class T>
  void operator()(cpu ctx, view<const T> image_size, view<const float> boxes, view<T> begin, view<T> size, view<float> box) const;
};

// Each run draws a new place.
template <class T>
out<T> random_crop(const out<T>& image, const shape& size, std::optional<std::int64_t> seed = {}, site s = {}) {
  if (!image.source) return image;
  const out<std::int64_t> pair =
      detail::constant_beside(image, tensor<std::int64_t>({2}, {size[0], size[1]}), detail::part_of(s, "RandomCrop/size"));
  return apply(random_crop_op{detail::seeds_in(graph_of(*image.source), seed)}, image, pair, s);
}

// The result of sample_distorted_bounding_box.
template <class T> struct sampled_box {
  out<T> begin, size;  // the arguments of `slice` that cut the box out of the image
  out<float> box;      // [1, 1, 4]: the box for draw_bounding_boxes
};
// `image_size` is the shape of an image: rows, columns and channels. `boxes` has the shape [1, n, 4].
template <class T>
sampled_box<T> sample_distorted_bounding_box(const out<T>& image_size, const out<float>& boxes,
                                             const distortion_attributes& options = {}, std::optional<std::int64_t> seed = {},
                                             site s = {}) {
  if (!image_size.source) return {};
  const sample_distorted_bounding_box_op op{detail::seeds_in(graph_of(*image_size.source), seed), options};
  const auto [begin, size, box] = apply(op, image_size, boxes, s);
  return {begin, size, box};
}

using random_crop_ops = type_list<random_crop_op, sample_distorted_bounding_box_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/random_crop.hpp>
#endif
