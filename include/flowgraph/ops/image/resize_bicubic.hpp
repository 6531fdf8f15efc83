#pragma once
// Resizing of images by cubic interpolation between sixteen pixels.
//
//   const auto y = fg::resize_bicubic(images, {224, 224});  // images: [batch, rows, columns, channels]

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/image/detail/resize_rules.hpp>
#include <flowgraph/ops/image/resize_attributes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t bicubic_scratch(const shape& images);
std::size_t bicubic_gradient_scratch(const shape& dy);

}  // namespace detail

// The gradient of ResizeBicubic, computed from the original images.
struct resize_bicubic_grad_op : resize_attributes {
  static constexpr std::string_view name = "ResizeBicubicGrad";
  using types = type_list<float, double>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& x) const {
    return detail::resize_gradient_shape(c, *this, dy, x);
  }
  std::size_t scratch(const flowgraph::shape& dy, const flowgraph::shape&) const { return detail::bicubic_gradient_scratch(dy); }
  template <class T> void operator()(cpu ctx, view<const float> dy, view<const T> x, view<T> dx) const;
};

// Resizes images by cubic interpolation between the sixteen nearest pixels. With `half_pixel_centers`, the parameter of the cubic
// is -0.5 and pixels outside of the images have no weight. Otherwise it is -0.75, and pixels at the edges are repeated.
struct resize_bicubic_op : resize_attributes {
  static constexpr std::string_view name = "ResizeBicubic";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& size) const {
    return detail::resized_shape(c, *this, x, size);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&) const { return detail::bicubic_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const std::int32_t> size, view<float> y) const;
  // As in TensorFlow, no gradient flows to images of half precision.
  template <class T> std::tuple<any_grad, none_type> gradient(out<T> x, out<std::int32_t>, out<float>, out<float> dy) const {
    if constexpr (in_list<T, type_list<float, double>>) return {any_grad(apply(resize_bicubic_grad_op{*this}, dy, x)), none};
    else return {any_grad(none), none};
  }
};

// `size` contains the numbers of rows and columns. The options are the attributes of the op.
template <class T>
out<float> resize_bicubic(const out<T>& images, const out<std::int32_t>& size, const resize_attributes& options = {},
                          site s = {}) {
  return apply(resize_bicubic_op{options}, images, size, s);
}
template <class T>
out<float> resize_bicubic(const out<T>& images, const shape& size, const resize_attributes& options = {}, site s = {}) {
  return resize_bicubic(images, detail::shape_constant(images, size, detail::part_of(s, "ResizeBicubic/size")), options, s);
}

using resize_bicubic_ops = type_list<resize_bicubic_op, resize_bicubic_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/resize_bicubic.hpp>
#endif
