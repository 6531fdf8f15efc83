#pragma once
// Convolution of batches of volumes with filters, and its gradients. The gradients of each of the three ops use the other two
// ops.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/nn/volume.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct convolution_3d_attributes {
  std::vector<std::int64_t> strides;
  flowgraph::padding padding = flowgraph::padding::same;
  flowgraph::volume_format data_format = flowgraph::volume_format::ndhwc;
  std::vector<std::int64_t> dilations{1, 1, 1, 1, 1};
};

namespace detail {

inline constexpr auto convolution_3d_attrs =
    attrs(required("strides", &convolution_3d_attributes::strides), required("padding", &convolution_3d_attributes::padding),
          attr("data_format", &convolution_3d_attributes::data_format), attr("dilations", &convolution_3d_attributes::dilations));
// The attributes of the first version of the gradients.
inline constexpr auto old_convolution_3d_attrs =
    attrs(required("strides", &convolution_3d_attributes::strides), required("padding", &convolution_3d_attributes::padding),
          attr("dilations", &convolution_3d_attributes::dilations));

inline window_terms terms_of(const convolution_3d_attributes& a) {
  return {a.strides, a.dilations, {}, a.padding, a.data_format == volume_format::ncdhw};
}

}  // namespace detail

// Convolves volumes with filters: like Conv2D, with an additional axis before rows and columns, and without groups.
struct conv3d_op : convolution_3d_attributes {
  static constexpr std::string_view name = "Conv3D";
  using types = floating;
  static constexpr op_facts facts{.expensive = true, .work = work_figure(2).elements_of_input(1).rows_of_output(0)};
  static constexpr auto attrs = detail::convolution_3d_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& filter) const {
    return detail::convolution_shape(c, detail::terms_of(*this), 5, x, filter);
  }
  flowgraph::shape column_factors(const flowgraph::shape& filter) const {
    return data_format == volume_format::ndhwc ? flowgraph::shape{filter[-1]} : flowgraph::shape::unknown();
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape& filter) const {
    return detail::convolution_scratch(detail::terms_of(*this), x, filter);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> filter, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> filter, out<T>, out<T> dy) const {
    return {{conv3d_backprop_input(*this, shape_like(x), filter, dy), conv3d_backprop_filter(*this, x, shape_like(filter), dy)}};
  }
};

// The gradient of Conv3D with respect to its input. The shape of the input is given.
struct conv3d_backprop_input_op : convolution_3d_attributes {
  static constexpr std::string_view name = "Conv3DBackpropInputV2";
  using types = type_attrs<type_attr<"T", floating>, type_attr<"Tshape", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.expensive = true, .work = work_figure(2).elements_of_input(1).rows_of_input(2)};
  static constexpr auto attrs = detail::convolution_3d_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sizes, const flowgraph::shape& filter,
                         const flowgraph::shape& dy) const {
    return detail::convolution_input_shape(c, detail::terms_of(*this), 5, sizes, filter, dy);
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& filter, const flowgraph::shape& dy) const {
    return detail::convolution_input_scratch(detail::terms_of(*this), filter, dy);
  }
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> sizes, view<const T> filter, view<const T> dy, view<T> dx) const;
  template <class T, class I>
  std::tuple<none_type, any_grad, any_grad> gradient(out<I>, out<T> filter, out<T> dy, out<T>, out<T> ddx) const {
    return {none, any_grad(conv3d_backprop_filter(*this, ddx, shape_like(filter), dy)), any_grad(conv3d(*this, ddx, filter))};
  }
};

// The gradient of Conv3D with respect to its filter. The shape of the filter is given.
struct conv3d_backprop_filter_op : convolution_3d_attributes {
  static constexpr std::string_view name = "Conv3DBackpropFilterV2";
  using types = floating;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.expensive = true, .work = work_figure(2).elements_of_output(0).rows_of_input(2)};
  static constexpr auto attrs = detail::convolution_3d_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& sizes,
                         const flowgraph::shape& dy) const {
    return detail::convolution_filter_shape(c, detail::terms_of(*this), 5, x, sizes, dy);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&, const flowgraph::shape& dy) const {
    return detail::convolution_filter_scratch(detail::terms_of(*this), x, dy);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const std::int32_t> sizes, view<const T> dy, view<T> df) const;
  template <class T>
  std::tuple<any_grad, none_type, any_grad> gradient(out<T> x, out<std::int32_t>, out<T> dy, out<T>, out<T> ddf) const {
    return {any_grad(conv3d_backprop_input(*this, shape_like(x), ddf, dy)), none, any_grad(conv3d(*this, x, ddf))};
  }
};

// The first version of the gradient of Conv3D with respect to its input. It takes the volumes themselves instead of their shape.
struct conv3d_backprop_input_v1_op : convolution_3d_attributes {
  static constexpr std::string_view name = "Conv3DBackpropInput";
  using types = type_list<half, float, double>;
  static constexpr op_facts facts{
      .not_differentiable = true, .expensive = true, .work = work_figure(2).elements_of_input(1).rows_of_input(2)};
  static constexpr auto attrs = detail::old_convolution_3d_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& filter,
                         const flowgraph::shape& dy) const {
    return detail::check_convolution(c, detail::terms_of(*this), 5, x, filter, dy) ? x : flowgraph::shape::unknown();
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& filter, const flowgraph::shape& dy) const {
    return detail::convolution_input_scratch(detail::terms_of(*this), filter, dy);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> filter, view<const T> dy, view<T> dx) const;
};

// The first version of the gradient of Conv3D with respect to its filter. It takes the filter itself instead of its shape.
struct conv3d_backprop_filter_v1_op : convolution_3d_attributes {
  static constexpr std::string_view name = "Conv3DBackpropFilter";
  using types = type_list<half, float, double>;
  static constexpr op_facts facts{
      .not_differentiable = true, .expensive = true, .work = work_figure(2).elements_of_output(0).rows_of_input(2)};
  static constexpr auto attrs = detail::old_convolution_3d_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& filter,
                         const flowgraph::shape& dy) const {
    return detail::check_convolution(c, detail::terms_of(*this), 5, x, filter, dy) ? filter : flowgraph::shape::unknown();
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&, const flowgraph::shape& dy) const {
    return detail::convolution_filter_scratch(detail::terms_of(*this), x, dy);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> filter, view<const T> dy, view<T> df) const;
};

// These functions take the attributes of the op instead of options.
template <class T> out<T> conv3d(const convolution_3d_attributes& a, out<T> x, out<T> filter, site s = {}) {
  return apply(conv3d_op{a}, x, filter, s);
}
template <class T, class I>
out<T> conv3d_backprop_input(const convolution_3d_attributes& a, const out<I>& sizes, out<T> filter, out<T> dy, site s = {}) {
  return apply(conv3d_backprop_input_op{a}, sizes, filter, dy, s);
}
template <class T>
out<T> conv3d_backprop_filter(const convolution_3d_attributes& a, out<T> x, const out<std::int32_t>& sizes, out<T> dy,
                              site s = {}) {
  return apply(conv3d_backprop_filter_op{a}, x, sizes, dy, s);
}

// Options of conv3d.
struct conv3d_options {
  std::array<std::int64_t, 3> strides{1, 1, 1};           // distances between windows, in planes, rows and columns
  flowgraph::padding padding = flowgraph::padding::same;  // same: only strides shrink the output; valid: no padding
  std::array<std::int64_t, 3> dilations{1, 1, 1};         // the distances between elements of the filter
};
inline convolution_3d_attributes attributes_of(const conv3d_options& o) {
  return {
      {1, o.strides[0], o.strides[1], o.strides[2], 1}, o.padding, {}, {1, o.dilations[0], o.dilations[1], o.dilations[2], 1}};
}
// The shape of x is [volumes, planes, rows, columns, channels], and the shape of the filter is [planes, rows, columns, channels,
// outputs].
template <class T> out<T> conv3d(out<T> x, std::type_identity_t<out<T>> filter, const conv3d_options& options = {}, site s = {}) {
  return conv3d(attributes_of(options), x, filter, s);
}

using convolution_3d_ops = type_list<conv3d_op, conv3d_backprop_input_op, conv3d_backprop_filter_op, conv3d_backprop_input_v1_op,
                                     conv3d_backprop_filter_v1_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/convolution_3d.hpp>
#endif
