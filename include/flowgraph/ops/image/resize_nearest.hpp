#pragma once
// Resizing of images by copying the nearest pixel, which keeps the element type.
//
//   const auto y = fg::resize_nearest_neighbor(labels, {224, 224});  // labels: [batch, rows, columns, channels]

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/image/detail/resize_rules.hpp>
#include <flowgraph/ops/image/resize_attributes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t nearest_gradient_scratch(const shape& dy);

}  // namespace detail

// The gradient of ResizeNearestNeighbor. `size` contains the rows and columns of the original images.
struct resize_nearest_neighbor_grad_op : resize_attributes {
  static constexpr std::string_view name = "ResizeNearestNeighborGrad";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& size) const {
    return detail::sized_gradient_shape(c, dy, size);
  }
  std::size_t scratch(const flowgraph::shape& dy, const flowgraph::shape&) const { return detail::nearest_gradient_scratch(dy); }
  template <class T> void operator()(cpu ctx, view<const T> dy, view<const std::int32_t> size, view<T> dx) const;
};

// Resizes images by copying the nearest pixel.
struct resize_nearest_neighbor_op : resize_attributes {
  static constexpr std::string_view name = "ResizeNearestNeighbor";
  using types = real_numbers;
  static constexpr std::size_t moved_types = 1;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& size) const {
    return detail::resized_shape(c, *this, x, size);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const std::int32_t> size, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<std::int32_t>, out<T>, out<T> dy) const {
    return {{apply(resize_nearest_neighbor_grad_op{*this}, dy, slice(shape_of<std::int32_t>(x), {1}, {2})), none}};
  }
};

// `size` contains the numbers of rows and columns. The options are the attributes of the op.
template <class T>
out<T> resize_nearest_neighbor(const out<T>& images, const out<std::int32_t>& size, const resize_attributes& options = {},
                               site s = {}) {
  return apply(resize_nearest_neighbor_op{options}, images, size, s);
}
template <class T>
out<T> resize_nearest_neighbor(const out<T>& images, const shape& size, const resize_attributes& options = {}, site s = {}) {
  const auto pair = detail::shape_constant(images, size, detail::part_of(s, "ResizeNearestNeighbor/size"));
  return resize_nearest_neighbor(images, pair, options, s);
}

using resize_nearest_ops = type_list<resize_nearest_neighbor_op, resize_nearest_neighbor_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/resize_nearest.hpp>
#endif
