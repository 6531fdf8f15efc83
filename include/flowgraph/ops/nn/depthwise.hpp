#pragma once
// Convolution of each channel of images with its own filters, and its gradients. The gradients of each of the three ops use the
// other two ops.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/nn/convolution.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct depthwise_attributes {
  std::vector<std::int64_t> strides;
  flowgraph::padding padding = flowgraph::padding::same;
  std::vector<std::int64_t> explicit_paddings;
  flowgraph::data_format data_format = flowgraph::data_format::nhwc;
  std::vector<std::int64_t> dilations{1, 1, 1, 1};
  static constexpr auto attrs = flowgraph::attrs(
      required("strides", &depthwise_attributes::strides), required("padding", &depthwise_attributes::padding),
      attr("explicit_paddings", &depthwise_attributes::explicit_paddings),
      attr("data_format", &depthwise_attributes::data_format), attr("dilations", &depthwise_attributes::dilations));
};

namespace detail {

inline window_terms terms_of(const depthwise_attributes& a) {
  return {a.strides, a.dilations, a.explicit_paddings, a.padding, a.data_format == data_format::nchw};
}
shape depthwise_shape(shape_context& c, const window_terms& t, const shape& x, const shape& filter);
// Checks the shape of a gradient dy, and returns the shape of the images or of the filter, which is input `i` with the extents
// `sizes`. `other` is the shape of the other operand.
shape depthwise_gradient_shape(shape_context& c, const window_terms& t, std::size_t i, const shape& sizes, const shape& other,
                               const shape& dy);

}  // namespace detail

// Convolves each channel of images with its own filters. The shape of the filter is [rows, columns, channels, outputs per
// channel]. The outputs of a channel are adjacent.
struct depthwise_conv2d_op : depthwise_attributes {
  static constexpr std::string_view name = "DepthwiseConv2dNative";
  using types = floating;
  static constexpr op_facts facts{
      .expensive = true, .work = work_figure(2).elements_of_input(1).rows_of_output(0), .engine = {.finishes = true}};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& filter) const {
    return detail::depthwise_shape(c, detail::terms_of(*this), x, filter);
  }
  flowgraph::shape column_factors(const flowgraph::shape& filter) const {
    return data_format == flowgraph::data_format::nhwc ? flowgraph::shape{filter[-2], filter[-1]} : flowgraph::shape::unknown();
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> filter, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> filter, out<T>, out<T> dy) const {
    return {{depthwise_conv2d_backprop_input(*this, shape_like(x), filter, dy),
             depthwise_conv2d_backprop_filter(*this, x, shape_like(filter), dy)}};
  }
};

// The gradient of DepthwiseConv2dNative with respect to its input.
struct depthwise_conv2d_backprop_input_op : depthwise_attributes {
  static constexpr std::string_view name = "DepthwiseConv2dNativeBackpropInput";
  using types = floating;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.expensive = true, .work = work_figure(2).elements_of_input(1).rows_of_input(2)};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sizes, const flowgraph::shape& filter,
                         const flowgraph::shape& dy) const {
    return detail::depthwise_gradient_shape(c, detail::terms_of(*this), 0, sizes, filter, dy);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int32_t> sizes, view<const T> filter, view<const T> dy, view<T> dx) const;
  template <class T>
  std::tuple<none_type, any_grad, any_grad> gradient(out<std::int32_t>, out<T> filter, out<T> dy, out<T>, out<T> ddx) const {
    return {none, any_grad(depthwise_conv2d_backprop_filter(*this, ddx, shape_like(filter), dy)),
            any_grad(depthwise_conv2d(*this, ddx, filter))};
  }
};

// The gradient of DepthwiseConv2dNative with respect to its filter.
struct depthwise_conv2d_backprop_filter_op : depthwise_attributes {
  static constexpr std::string_view name = "DepthwiseConv2dNativeBackpropFilter";
  using types = floating;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.expensive = true, .work = work_figure(2).elements_of_output(0).rows_of_input(2)};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& sizes,
                         const flowgraph::shape& dy) const {
    return detail::depthwise_gradient_shape(c, detail::terms_of(*this), 1, sizes, x, dy);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const std::int32_t> sizes, view<const T> dy, view<T> df) const;
  template <class T>
  std::tuple<any_grad, none_type, any_grad> gradient(out<T> x, out<std::int32_t>, out<T> dy, out<T>, out<T> ddf) const {
    return {any_grad(depthwise_conv2d_backprop_input(*this, shape_like(x), ddf, dy)), none,
            any_grad(depthwise_conv2d(*this, x, ddf))};
  }
};

// These functions take the attributes of the op instead of options.
template <class T> out<T> depthwise_conv2d(const depthwise_attributes& a, out<T> x, out<T> filter, site s = {}) {
  return apply(depthwise_conv2d_op{a}, x, filter, s);
}
template <class T>
out<T> depthwise_conv2d_backprop_input(const depthwise_attributes& a, const out<std::int32_t>& sizes, out<T> filter, out<T> dy,
                                       site s = {}) {
  return apply(depthwise_conv2d_backprop_input_op{a}, sizes, filter, dy, s);
}
template <class T>
out<T> depthwise_conv2d_backprop_filter(const depthwise_attributes& a, out<T> x, const out<std::int32_t>& sizes, out<T> dy,
                                        site s = {}) {
  return apply(depthwise_conv2d_backprop_filter_op{a}, x, sizes, dy, s);
}
template <class T>
out<T> depthwise_conv2d(out<T> x, std::type_identity_t<out<T>> filter, const conv2d_options& options = {}, site s = {}) {
  convolution_attributes a = attributes_of(options);
  return depthwise_conv2d(depthwise_attributes{std::move(a.strides), a.padding, std::move(a.explicit_paddings), a.data_format,
                                               std::move(a.dilations)},
                          x, filter, s);
}

using depthwise_ops = type_list<depthwise_conv2d_op, depthwise_conv2d_backprop_input_op, depthwise_conv2d_backprop_filter_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/depthwise.hpp>
#endif
