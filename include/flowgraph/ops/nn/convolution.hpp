#pragma once
// Convolution of batches of images with filters, and its gradients. The gradients of each of the three ops use the other two ops.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/nn/window.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct convolution_attributes {
  std::vector<std::int64_t> strides;
  bool use_cudnn_on_gpu = true;
  flowgraph::padding padding = flowgraph::padding::same;
  std::vector<std::int64_t> explicit_paddings;
  flowgraph::data_format data_format = flowgraph::data_format::nhwc;
  std::vector<std::int64_t> dilations{1, 1, 1, 1};
  static constexpr auto attrs = flowgraph::attrs(
      required("strides", &convolution_attributes::strides), attr("use_cudnn_on_gpu", &convolution_attributes::use_cudnn_on_gpu),
      required("padding", &convolution_attributes::padding),
      attr("explicit_paddings", &convolution_attributes::explicit_paddings),
      attr("data_format", &convolution_attributes::data_format), attr("dilations", &convolution_attributes::dilations));
};

namespace detail {

inline window_terms terms_of(const convolution_attributes& a) {
  return {a.strides, a.dilations, a.explicit_paddings, a.padding, a.data_format == data_format::nchw};
}

// Shape rules for batches of images (rank 4) and of volumes (rank 5): the shape of the output.
shape convolution_shape(shape_context& c, const window_terms& t, int rank, const shape& x, const shape& filter);
// The shape of the images or of the filter, which is an input. If the gradient dy cannot be that of a convolution, an error is
// reported.
shape convolution_input_shape(shape_context& c, const window_terms& t, int rank, const shape& sizes, const shape& filter,
                              const shape& dy);
shape convolution_filter_shape(shape_context& c, const window_terms& t, int rank, const shape& x, const shape& sizes,
                               const shape& dy);
bool check_convolution(shape_context& c, const window_terms& t, int rank, const shape& x, const shape& filter, const shape& dy);

// Returns the size in bytes of the scratch memory for parts of images in the form of matrices. This size has a limit that does
// not depend on the size of the images.
std::size_t convolution_scratch(const window_terms& t, const shape& x, const shape& filter);
std::size_t convolution_input_scratch(const window_terms& t, const shape& filter, const shape& dy);
std::size_t convolution_filter_scratch(const window_terms& t, const shape& x, const shape& dy);

}  // namespace detail

// Convolves images with filters: y[n,r,c,o] = sum of x[n, r * stride + i * dilation - border, ..., d] * filter[i,j,d,o]. If the
// filter has fewer channels than x, the convolution is grouped: each group of outputs uses its own part of the channels.
struct conv2d_op : convolution_attributes {
  static constexpr std::string_view name = "Conv2D";
  using types = joined<floating, type_list<std::int32_t>>;
  static constexpr op_facts facts{
      .expensive = true, .work = work_figure(2).elements_of_input(1).rows_of_output(0), .engine = {.finishes = true}};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& filter) const {
    return detail::convolution_shape(c, detail::terms_of(*this), 4, x, filter);
  }
  flowgraph::shape column_factors(const flowgraph::shape& filter) const {
    return data_format == flowgraph::data_format::nhwc ? flowgraph::shape{filter[-1]} : flowgraph::shape::unknown();
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape& filter) const {
    return detail::convolution_scratch(detail::terms_of(*this), x, filter);
  }
  std::shared_ptr<const detail::packed_weights> packed(const flowgraph::shape& x, const any_tensor& filter) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> filter, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> filter, out<T>, out<T> dy) const {
    return {{conv2d_backprop_input(*this, shape_like(x), filter, dy), conv2d_backprop_filter(*this, x, shape_like(filter), dy)}};
  }
};

// The gradient of Conv2D with respect to its input: a transposed convolution.
struct conv2d_backprop_input_op : convolution_attributes {
  static constexpr std::string_view name = "Conv2DBackpropInput";
  using types = conv2d_op::types;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.expensive = true, .work = work_figure(2).elements_of_input(1).rows_of_input(2)};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sizes, const flowgraph::shape& filter,
                         const flowgraph::shape& dy) const {
    return detail::convolution_input_shape(c, detail::terms_of(*this), 4, sizes, filter, dy);
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& filter, const flowgraph::shape& dy) const {
    return detail::convolution_input_scratch(detail::terms_of(*this), filter, dy);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int32_t> sizes, view<const T> filter, view<const T> dy, view<T> dx) const;
  template <class T>
  std::tuple<none_type, any_grad, any_grad> gradient(out<std::int32_t>, out<T> filter, out<T> dy, out<T>, out<T> ddx) const {
    return {none, any_grad(conv2d_backprop_filter(*this, ddx, shape_like(filter), dy)), any_grad(conv2d(*this, ddx, filter))};
  }
};

// The gradient of Conv2D with respect to its filter.
struct conv2d_backprop_filter_op : convolution_attributes {
  static constexpr std::string_view name = "Conv2DBackpropFilter";
  using types = floating;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.expensive = true, .work = work_figure(2).elements_of_output(0).rows_of_input(2)};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& sizes,
                         const flowgraph::shape& dy) const {
    return detail::convolution_filter_shape(c, detail::terms_of(*this), 4, x, sizes, dy);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&, const flowgraph::shape& dy) const {
    return detail::convolution_filter_scratch(detail::terms_of(*this), x, dy);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const std::int32_t> sizes, view<const T> dy, view<T> df) const;
  template <class T>
  std::tuple<any_grad, none_type, any_grad> gradient(out<T> x, out<std::int32_t>, out<T> dy, out<T>, out<T> ddf) const {
    return {any_grad(conv2d_backprop_input(*this, shape_like(x), ddf, dy)), none, any_grad(conv2d(*this, x, ddf))};
  }
};

// These functions take the attributes of the op instead of options.
template <class T> out<T> conv2d(const convolution_attributes& a, out<T> x, out<T> filter, site s = {}) {
  return apply(conv2d_op{a}, x, filter, s);
}
template <class T>
out<T> conv2d_backprop_input(const convolution_attributes& a, const out<std::int32_t>& sizes, out<T> filter, out<T> dy,
                             site s = {}) {
  return apply(conv2d_backprop_input_op{a}, sizes, filter, dy, s);
}
template <class T>
out<T> conv2d_backprop_filter(const convolution_attributes& a, out<T> x, const out<std::int32_t>& sizes, out<T> dy, site s = {}) {
  return apply(conv2d_backprop_filter_op{a}, x, sizes, dy, s);
}

// Options of conv2d.
struct conv2d_options {
  std::array<std::int64_t, 2> strides{1, 1};  // the distances between windows, in rows and columns
  // same: zeros on all sides, so that only strides make the output smaller; valid: no padding; explicit_: `paddings`.
  flowgraph::padding padding = flowgraph::padding::same;
  std::array<std::int64_t, 4> paddings{};       // numbers of zeros for explicit_: top, bottom, left, right
  std::array<std::int64_t, 2> dilations{1, 1};  // the distances between elements of the filter, in rows and columns
};
convolution_attributes attributes_of(const conv2d_options& options);

// The shape of x is [images, rows, columns, channels], and the shape of the filter is [rows, columns, channels, outputs].
template <class T> out<T> conv2d(out<T> x, std::type_identity_t<out<T>> filter, const conv2d_options& options, site s = {}) {
  return conv2d(attributes_of(options), x, filter, s);
}
template <class T> out<T> conv2d(out<T> x, std::type_identity_t<out<T>> filter, site s = {}) {
  return conv2d(x, filter, conv2d_options{}, s);
}

using convolution_ops = type_list<conv2d_op, conv2d_backprop_input_op, conv2d_backprop_filter_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/nn/impl/convolution.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/convolution.hpp>
#endif
