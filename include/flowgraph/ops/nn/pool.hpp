#pragma once
// Maximum and mean over windows of images, and their gradients.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/nn/window.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct pool_attributes {
  std::vector<std::int64_t> ksize, strides;
  flowgraph::padding padding = flowgraph::padding::valid;
  std::vector<std::int64_t> explicit_paddings;
  flowgraph::data_format data_format = flowgraph::data_format::nhwc;
};

namespace detail {

inline constexpr auto pool_attrs =
    attrs(required("ksize", &pool_attributes::ksize), required("strides", &pool_attributes::strides),
          required("padding", &pool_attributes::padding), attr("data_format", &pool_attributes::data_format));
inline constexpr auto explicit_pool_attrs =
    attrs(required("ksize", &pool_attributes::ksize), required("strides", &pool_attributes::strides),
          required("padding", &pool_attributes::padding), attr("data_format", &pool_attributes::data_format),
          attr("explicit_paddings", &pool_attributes::explicit_paddings));

inline window_terms terms_of(const pool_attributes& a) {
  return {a.strides, {}, a.explicit_paddings, a.padding, a.data_format == data_format::nchw};
}

// Return the shape of the output for windows of `ksize`, over images or volumes. Windows of max_pool_shape may instead be over
// channels.
shape pool_shape(shape_context& c, std::span<const std::int64_t> ksize, const window_terms& t, int rank, const shape& x);
shape max_pool_shape(shape_context& c, std::span<const std::int64_t> ksize, const window_terms& t, const shape& x);
// Checks the shapes of the output and its gradient, and returns the shape of x.
shape pool_gradient_shape(shape_context& c, std::span<const std::int64_t> ksize, const window_terms& t, int rank, const shape& x,
                          const shape& y, const shape& dy);
// Checks the shapes of x and of the second gradient, which must be equal, and returns the shape of y.
shape pool_second_shape(shape_context& c, std::span<const std::int64_t> ksize, const window_terms& t, int rank, const shape& x,
                        const shape& y, const shape& ddx);
// Returns the shape of the images. An input contains this shape as a list of extents.
shape mean_gradient_shape(shape_context& c, std::span<const std::int64_t> ksize, const window_terms& t, int rank,
                          const shape& sizes, const shape& dy);

}  // namespace detail

// Maximum over each window of images. NaN is ignored, and padding is never the maximum. A window over channels must not include
// rows or columns, and has no gradient.
struct max_pool_op : pool_attributes {
  static constexpr std::string_view name = "MaxPool";
  using types = real_numbers;
  static constexpr auto attrs = detail::explicit_pool_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::max_pool_shape(c, ksize, detail::terms_of(*this), x);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const { return max_pool_grad(*this, x, y, dy); }
};

// The gradient of MaxPool: dy is added to the first maximum of each window.
struct max_pool_grad_op : pool_attributes {
  static constexpr std::string_view name = "MaxPoolGrad";
  using types = real_numbers;
  static constexpr auto attrs = detail::explicit_pool_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y,
                         const flowgraph::shape& dy) const {
    return detail::pool_gradient_shape(c, ksize, detail::terms_of(*this), 4, x, y, dy);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> y, view<const T> dy, view<T> dx) const;
  template <class T> gradients_of<T, 3> gradient(out<T> x, out<T> y, out<T>, out<T>, out<T> ddx) const {
    return {{zeros_like(x), zeros_like(y), max_pool_grad_grad(*this, x, y, ddx)}};
  }
};

// The gradient of MaxPoolGrad with respect to dy: the value at the first maximum of each window.
struct max_pool_grad_grad_op : pool_attributes {
  static constexpr std::string_view name = "MaxPoolGradGrad";
  using types = real_numbers;
  static constexpr auto attrs = detail::pool_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y,
                         const flowgraph::shape& ddx) const {
    return detail::pool_second_shape(c, ksize, detail::terms_of(*this), 4, x, y, ddx);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> y, view<const T> ddx, view<T> ddy) const;
  template <class T> gradients_of<T, 3> gradient(out<T> x, out<T> y, out<T>, out<T>, out<T> g) const {
    return {{zeros_like(x), zeros_like(y), max_pool_grad(*this, x, y, g)}};
  }
};

// Mean over each window of images. Padding is not included in the mean.
struct avg_pool_op : pool_attributes {
  static constexpr std::string_view name = "AvgPool";
  using types = floating;
  static constexpr auto attrs = detail::pool_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::pool_shape(c, ksize, detail::terms_of(*this), 4, x);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return avg_pool_grad(*this, shape_like(x), dy); }
};

// The gradient of AvgPool: each element of dy is divided evenly among the elements of its window.
struct avg_pool_grad_op : pool_attributes {
  static constexpr std::string_view name = "AvgPoolGrad";
  using types = floating;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr auto attrs = detail::pool_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sizes, const flowgraph::shape& dy) const {
    return detail::mean_gradient_shape(c, ksize, detail::terms_of(*this), 4, sizes, dy);
  }
  template <class T> void operator()(cpu ctx, view<const std::int32_t> sizes, view<const T> dy, view<T> dx) const;
  template <class T> std::tuple<none_type, any_grad> gradient(out<std::int32_t>, out<T>, out<T>, out<T> ddx) const {
    return {none, any_grad(avg_pool(static_cast<const pool_attributes&>(*this), ddx))};
  }
};

template <class T> out<T> max_pool(const pool_attributes& a, out<T> x, site s = {}) { return apply(max_pool_op{a}, x, s); }
template <class T> out<T> max_pool_grad(const pool_attributes& a, out<T> x, out<T> y, out<T> dy, site s = {}) {
  return apply(max_pool_grad_op{a}, x, y, dy, s);
}
template <class T> out<T> max_pool_grad_grad(const pool_attributes& a, out<T> x, out<T> y, out<T> ddx, site s = {}) {
  return apply(max_pool_grad_grad_op{a}, x, y, ddx, s);
}
template <class T> out<T> avg_pool(const pool_attributes& a, out<T> x, site s = {}) { return apply(avg_pool_op{a}, x, s); }
template <class T> out<T> avg_pool_grad(const pool_attributes& a, const out<std::int32_t>& sizes, out<T> dy, site s = {}) {
  return apply(avg_pool_grad_op{a}, sizes, dy, s);
}

// Options of pooling over images.
struct pool_options {
  std::array<std::int64_t, 2> window{2, 2}, strides{2, 2};  // size of windows and distance between them, in rows and columns
  flowgraph::padding padding = flowgraph::padding::valid;   // same: only strides shrink the output; valid: no padding
};
pool_attributes attributes_of(const pool_options& options);

template <class T> out<T> max_pool(out<T> x, const pool_options& options, site s = {}) {
  return max_pool(attributes_of(options), x, s);
}
template <class T> out<T> max_pool(out<T> x, site s = {}) { return max_pool(x, pool_options{}, s); }
template <class T> out<T> avg_pool(out<T> x, const pool_options& options, site s = {}) {
  return avg_pool(attributes_of(options), x, s);
}
template <class T> out<T> avg_pool(out<T> x, site s = {}) { return avg_pool(x, pool_options{}, s); }

using pool_ops = type_list<max_pool_op, max_pool_grad_op, max_pool_grad_grad_op, avg_pool_op, avg_pool_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/nn/impl/pool.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/pool.hpp>
#endif
