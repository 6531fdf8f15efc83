#pragma once
// Pooling of volumes: batches of planes, rows and columns with channels.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/nn/pool.hpp>
#include <flowgraph/ops/nn/volume.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct pool_3d_attributes {
  std::vector<std::int64_t> ksize, strides;  // five numbers, in the order of the axes
  flowgraph::padding padding = flowgraph::padding::valid;
  flowgraph::volume_format data_format = flowgraph::volume_format::ndhwc;
  static constexpr auto attrs =
      flowgraph::attrs(required("ksize", &pool_3d_attributes::ksize), required("strides", &pool_3d_attributes::strides),
                       required("padding", &pool_3d_attributes::padding), attr("data_format", &pool_3d_attributes::data_format));
};

namespace detail {

inline window_terms terms_of(const pool_3d_attributes& a) {
  return {a.strides, {}, {}, a.padding, a.data_format == volume_format::ncdhw};
}
using pooled_volumes = type_list<bfloat16, float>;

}  // namespace detail

// Maximum over each window of a volume. NaN stays the maximum until a number follows it in the window.
struct max_pool_3d_op : pool_3d_attributes {
  static constexpr std::string_view name = "MaxPool3D";
  using types = detail::pooled_volumes;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::pool_shape(c, ksize, detail::terms_of(*this), 5, x);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const { return max_pool3d_grad(*this, x, y, dy); }
};

// The gradient of MaxPool3D: dy is added to every element of a window that equals its maximum.
struct max_pool_3d_grad_op : pool_3d_attributes {
  static constexpr std::string_view name = "MaxPool3DGrad";
  using types = type_attrs<type_attr<"T", detail::pooled_volumes>, type_attr<"TInput", detail::pooled_volumes>>;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y,
                         const flowgraph::shape& dy) const {
    return detail::pool_gradient_shape(c, ksize, detail::terms_of(*this), 5, x, y, dy);
  }
  template <class T, class I> void operator()(cpu ctx, view<const I> x, view<const I> y, view<const T> dy, view<T> dx) const;
  template <class T, class I>
  std::tuple<any_grad, any_grad, any_grad> gradient(out<I> x, out<I> y, out<T>, out<T>, out<T> ddx) const {
    return {any_grad(zeros_like(x)), any_grad(zeros_like(y)), any_grad(cast<T>(max_pool3d_grad_grad(*this, x, y, cast<I>(ddx))))};
  }
};

// The gradient of MaxPool3DGrad with respect to dy: the value at the first maximum of each window.
struct max_pool_3d_grad_grad_op : pool_3d_attributes {
  static constexpr std::string_view name = "MaxPool3DGradGrad";
  using types = detail::pooled_volumes;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y,
                         const flowgraph::shape& ddx) const {
    return detail::pool_second_shape(c, ksize, detail::terms_of(*this), 5, x, y, ddx);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> y, view<const T> ddx, view<T> ddy) const;
  template <class T> gradients_of<T, 3> gradient(out<T> x, out<T> y, out<T>, out<T>, out<T> g) const {
    return {{zeros_like(x), zeros_like(y), max_pool3d_grad(*this, x, y, g)}};
  }
};

// Mean over each window of volumes. Padding is not included in the mean.
struct avg_pool_3d_op : pool_3d_attributes {
  static constexpr std::string_view name = "AvgPool3D";
  using types = detail::pooled_volumes;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::pool_shape(c, ksize, detail::terms_of(*this), 5, x);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return avg_pool3d_grad(*this, shape_like(x), dy); }
};

// The gradient of AvgPool3D: each element of dy is divided evenly among the elements of its window.
struct avg_pool_3d_grad_op : pool_3d_attributes {
  static constexpr std::string_view name = "AvgPool3DGrad";
  using types = detail::pooled_volumes;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sizes, const flowgraph::shape& dy) const {
    return detail::mean_gradient_shape(c, ksize, detail::terms_of(*this), 5, sizes, dy);
  }
  template <class T> void operator()(cpu ctx, view<const std::int32_t> sizes, view<const T> dy, view<T> dx) const;
  template <class T> std::tuple<none_type, any_grad> gradient(out<std::int32_t>, out<T>, out<T>, out<T> ddx) const {
    return {none, any_grad(avg_pool3d(static_cast<const pool_3d_attributes&>(*this), ddx))};
  }
};

// These functions take the attributes of the op instead of options.
template <class T> out<T> max_pool3d(const pool_3d_attributes& a, out<T> x, site s = {}) {
  return apply(max_pool_3d_op{a}, x, s);
}
template <class T, class I> out<T> max_pool3d_grad(const pool_3d_attributes& a, out<I> x, out<I> y, out<T> dy, site s = {}) {
  return apply(max_pool_3d_grad_op{a}, x, y, dy, s);
}
template <class T> out<T> max_pool3d_grad_grad(const pool_3d_attributes& a, out<T> x, out<T> y, out<T> ddx, site s = {}) {
  return apply(max_pool_3d_grad_grad_op{a}, x, y, ddx, s);
}
template <class T> out<T> avg_pool3d(const pool_3d_attributes& a, out<T> x, site s = {}) {
  return apply(avg_pool_3d_op{a}, x, s);
}
template <class T> out<T> avg_pool3d_grad(const pool_3d_attributes& a, const out<std::int32_t>& sizes, out<T> dy, site s = {}) {
  return apply(avg_pool_3d_grad_op{a}, sizes, dy, s);
}

// Options of pooling over volumes.
struct pool_3d_options {
  std::array<std::int64_t, 3> window{2, 2, 2}, strides{2, 2, 2};  // size of windows and distance between them, in each axis
  flowgraph::padding padding = flowgraph::padding::valid;         // same: only strides shrink the output; valid: no padding
};
inline pool_3d_attributes attributes_of(const pool_3d_options& o) {
  return {{1, o.window[0], o.window[1], o.window[2], 1}, {1, o.strides[0], o.strides[1], o.strides[2], 1}, o.padding, {}};
}
template <class T> out<T> max_pool3d(out<T> x, const pool_3d_options& options = {}, site s = {}) {
  return max_pool3d(attributes_of(options), x, s);
}
template <class T> out<T> avg_pool3d(out<T> x, const pool_3d_options& options = {}, site s = {}) {
  return avg_pool3d(attributes_of(options), x, s);
}

using pool_3d_ops = type_list<max_pool_3d_op, max_pool_3d_grad_op, max_pool_3d_grad_grad_op, avg_pool_3d_op, avg_pool_3d_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/pool_3d.hpp>
#endif
