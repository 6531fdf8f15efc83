#pragma once
// Resizing of images by linear interpolation between four pixels.
//
//   const auto y = fg::resize_bilinear(images, {224, 224});  // images: [batch, rows, columns, channels]

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/image/detail/resize_rules.hpp>
#include <flowgraph/ops/image/resize_attributes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t bilinear_scratch(const shape& images);
std::size_t bilinear_gradient_scratch(const shape& dy, const shape& x);

}  // namespace detail

// The gradient of ResizeBilinear, computed from the original images.
struct resize_bilinear_grad_op : resize_attributes {
  static constexpr std::string_view name = "ResizeBilinearGrad";
  using types = floating;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& x) const {
    return detail::resize_gradient_shape(c, *this, dy, x);
  }
  std::size_t scratch(const flowgraph::shape& dy, const flowgraph::shape& x) const {
    return detail::bilinear_gradient_scratch(dy, x);
  }
  template <class T> void operator()(cpu ctx, view<const float> dy, view<const T> x, view<T> dx) const;
};

// Resizes images by linear interpolation between the four nearest pixels.
struct resize_bilinear_op : resize_attributes {
  static constexpr std::string_view name = "ResizeBilinear";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& size) const {
    return detail::resized_shape(c, *this, x, size);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&) const { return detail::bilinear_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const std::int32_t> size, view<float> y) const;
  template <class T> std::tuple<any_grad, none_type> gradient(out<T> x, out<std::int32_t>, out<float>, out<float> dy) const {
    if constexpr (in_list<T, floating>) return {any_grad(apply(resize_bilinear_grad_op{*this}, dy, x)), none};
    else return {any_grad(none), none};
  }
};

// `size` contains the numbers of rows and columns. The options are the attributes of the op.
template <class T>
out<float> resize_bilinear(const out<T>& images, const out<std::int32_t>& size, const resize_attributes& options = {},
                           site s = {}) {
  return apply(resize_bilinear_op{options}, images, size, s);
}
template <class T>
out<float> resize_bilinear(const out<T>& images, const shape& size, const resize_attributes& options = {}, site s = {}) {
  return resize_bilinear(images, detail::shape_constant(images, size, detail::part_of(s, "ResizeBilinear/size")), options, s);
}

using resize_bilinear_ops = type_list<resize_bilinear_op, resize_bilinear_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/resize_bilinear.hpp>
#endif
