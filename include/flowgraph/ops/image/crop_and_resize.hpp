#pragma once
// Crops of images, resized to one size: for example the objects that a detector finds.
//
//   const auto crops = fg::crop_and_resize(images, boxes, box_indices, {14, 14});  // boxes: [n, 4], box_indices: [n]

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// How CropAndResize computes a pixel: bilinear uses the four pixels around its place, nearest uses one pixel.
enum class crop_method : std::uint8_t { bilinear, nearest };
constexpr std::array<std::string_view, 2> attribute_names(crop_method) { return {"bilinear", "nearest"}; }

// How CropAndResize fills its crops.
struct crop_attributes {
  crop_method method = crop_method::bilinear;  // how a pixel is computed
  float extrapolation_value = 0;               // the value of pixels outside of the image
  static constexpr auto attrs = flowgraph::attrs(attr("method", &crop_attributes::method),
                                                 attr("extrapolation_value", &crop_attributes::extrapolation_value));
};

namespace detail {

struct crop_gradient_attributes {
  crop_method method = crop_method::bilinear;
  static constexpr auto attrs = flowgraph::attrs(attr("method", &crop_gradient_attributes::method));
};
shape crops_shape(shape_context& c, const shape& images, const shape& boxes, const shape& indices, const shape& size);
shape crop_image_gradient_shape(shape_context& c, const shape& dy, const shape& boxes, const shape& indices, const shape& size);
shape crop_boxes_gradient_shape(shape_context& c, crop_method method, const shape& dy, const shape& images, const shape& boxes,
                                const shape& indices);

}  // namespace detail

// The gradient of CropAndResize with respect to its images.
struct crop_and_resize_grad_image_op : detail::crop_gradient_attributes {
  static constexpr std::string_view name = "CropAndResizeGradImage";
  using types = type_list<half, float, double>;
  static constexpr auto host_inputs = flowgraph::host_inputs(3);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& boxes,
                         const flowgraph::shape& indices, const flowgraph::shape& size) const {
    return detail::crop_image_gradient_shape(c, dy, boxes, indices, size);
  }
  template <class T>
  void operator()(cpu ctx, view<const float> dy, view<const float> boxes, view<const std::int32_t> indices,
                  view<const std::int32_t> image_size, view<T> dx) const;
};

// The gradient of CropAndResize with respect to its boxes.
struct crop_and_resize_grad_boxes_op : detail::crop_gradient_attributes {
  static constexpr std::string_view name = "CropAndResizeGradBoxes";
  using types = real_numbers;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& images,
                         const flowgraph::shape& boxes, const flowgraph::shape& indices) const {
    return detail::crop_boxes_gradient_shape(c, method, dy, images, boxes, indices);
  }
  template <class T>
  void operator()(cpu ctx, view<const float> dy, view<const T> images, view<const float> boxes, view<const std::int32_t> indices,
                  view<float> dboxes) const;
};

// Cuts boxes out of images and resizes them to one size. A box is [y1, x1, y2, x2], where 0 is the center of the first row or
// column and 1 the center of the last. If y1 is greater than y2, the crop is flipped. `box_ind` contains the number of the image
// of each box.
struct crop_and_resize_op : crop_attributes {
  static constexpr std::string_view name = "CropAndResize";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(3);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& images, const flowgraph::shape& boxes,
                         const flowgraph::shape& indices, const flowgraph::shape& size) const {
    return detail::crops_shape(c, images, boxes, indices, size);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> images, view<const float> boxes, view<const std::int32_t> indices,
                  view<const std::int32_t> size, view<float> y) const;
  // As in TensorFlow, the gradient of the boxes is that of the method bilinear.
  template <class T>
  std::tuple<any_grad, any_grad, none_type, none_type> gradient(out<T> images, out<float> boxes, out<std::int32_t> indices,
                                                                out<std::int32_t>, out<float>, out<float> dy) const {
    any_grad of_images = none;
    if constexpr (in_list<T, crop_and_resize_grad_image_op::types>)
      of_images =
          apply_as<T>(site{}, crop_and_resize_grad_image_op{{method}}, dy, boxes, indices, shape_of<std::int32_t>(images));
    return {of_images, any_grad(apply(crop_and_resize_grad_boxes_op{}, dy, images, boxes, indices)), none, none};
  }
};

// `boxes` contains a box per row, and `box_indices` the number of the image of each box. `size` contains the numbers of rows and
// columns of a crop. The options are the attributes of the op.
template <class T>
out<float> crop_and_resize(const out<T>& images, const out<float>& boxes, const out<std::int32_t>& box_indices,
                           const out<std::int32_t>& size, const crop_attributes& options = {}, site s = {}) {
  return apply(crop_and_resize_op{options}, images, boxes, box_indices, size, s);
}
template <class T>
out<float> crop_and_resize(const out<T>& images, const out<float>& boxes, const out<std::int32_t>& box_indices, const shape& size,
                           const crop_attributes& options = {}, site s = {}) {
  const auto pair = detail::shape_constant(images, size, detail::part_of(s, "CropAndResize/size"));
  return crop_and_resize(images, boxes, box_indices, pair, options, s);
}

using crop_and_resize_ops = type_list<crop_and_resize_op, crop_and_resize_grad_image_op, crop_and_resize_grad_boxes_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/crop_and_resize.hpp>
#endif
