#pragma once
// Resizing of images by means over the covered areas, for example to shrink photographs.
//
//   const auto y = fg::resize_area(images, {64, 64});  // images: [batch, rows, columns, channels]

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/image/detail/resize_rules.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t area_scratch(const shape& images);

}  // namespace detail

// Resizes images: each pixel of the result is the mean of the area that it covers in the original image.
struct resize_area_op {
  static constexpr std::string_view name = "ResizeArea";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};
  bool align_corners = false;
  static constexpr auto attrs = flowgraph::attrs(attr("align_corners", &resize_area_op::align_corners));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& size) const {
    return detail::resized_shape(c, x, size);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&) const { return detail::area_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const std::int32_t> size, view<float> y) const;
};

// Options of resize_area.
struct resize_area_options {
  bool align_corners = false;  // true: the centers of the corner pixels keep their places
};
// `size` contains the numbers of rows and columns.
template <class T>
out<float> resize_area(const out<T>& images, const out<std::int32_t>& size, const resize_area_options& options = {},
                       site s = {}) {
  return apply(resize_area_op{options.align_corners}, images, size, s);
}
template <class T>
out<float> resize_area(const out<T>& images, const shape& size, const resize_area_options& options = {}, site s = {}) {
  return resize_area(images, detail::shape_constant(images, size, detail::part_of(s, "ResizeArea/size")), options, s);
}

using resize_area_ops = type_list<resize_area_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/resize_area.hpp>
#endif
