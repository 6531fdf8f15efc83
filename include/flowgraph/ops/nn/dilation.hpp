#pragma once
// Grayscale dilation of images: for each window and channel, the maximum of the sums of image and filter elements.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/nn/window.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct dilation_attributes {
  std::vector<std::int64_t> strides, rates;
  flowgraph::padding padding = flowgraph::padding::same;
  static constexpr auto attrs =
      flowgraph::attrs(required("strides", &dilation_attributes::strides), required("rates", &dilation_attributes::rates),
                       required("padding", &dilation_attributes::padding));
};

namespace detail {

inline window_terms terms_of(const dilation_attributes& a) { return {a.strides, a.rates, {}, a.padding, false}; }
shape dilation_shape(shape_context& c, const dilation_attributes& a, const shape& x, const shape& filter);
bool check_dilation(shape_context& c, const dilation_attributes& a, const shape& x, const shape& filter, const shape& dy);

}  // namespace detail

// Grayscale dilation of images: the maximum of the sums of image and filter elements in each window. The shape of the filter is
// [rows, columns, channels]. Padding is never the maximum, and neither is a sum that is not greater than the lowest finite
// number.
struct dilation2d_op : dilation_attributes {
  static constexpr std::string_view name = "Dilation2D";
  using types = real_numbers;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& filter) const {
    return detail::dilation_shape(c, *this, x, filter);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> filter, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> filter, out<T>, out<T> dy) const {
    return {{dilation2d_backprop_input(*this, x, filter, dy), dilation2d_backprop_filter(*this, x, filter, dy)}};
  }
};

// The gradient of Dilation2D with respect to its input: in each window, dy is added to the element with the largest sum, or to
// the first such element if several sums are equal.
struct dilation2d_backprop_input_op : dilation_attributes {
  static constexpr std::string_view name = "Dilation2DBackpropInput";
  using types = real_numbers;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& filter,
                         const flowgraph::shape& dy) const {
    return detail::check_dilation(c, *this, x, filter, dy) ? x : flowgraph::shape::unknown();
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> filter, view<const T> dy, view<T> dx) const;
};
// The gradient of Dilation2D with respect to its filter.
struct dilation2d_backprop_filter_op : dilation_attributes {
  static constexpr std::string_view name = "Dilation2DBackpropFilter";
  using types = real_numbers;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& filter,
                         const flowgraph::shape& dy) const {
    return detail::check_dilation(c, *this, x, filter, dy) ? filter : flowgraph::shape::unknown();
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> filter, view<const T> dy, view<T> df) const;
};

// These functions take the attributes of the op instead of options.
template <class T> out<T> dilation2d(const dilation_attributes& a, out<T> x, out<T> filter, site s = {}) {
  return apply(dilation2d_op{a}, x, filter, s);
}
template <class T>
out<T> dilation2d_backprop_input(const dilation_attributes& a, out<T> x, out<T> filter, out<T> dy, site s = {}) {
  return apply(dilation2d_backprop_input_op{a}, x, filter, dy, s);
}
template <class T>
out<T> dilation2d_backprop_filter(const dilation_attributes& a, out<T> x, out<T> filter, out<T> dy, site s = {}) {
  return apply(dilation2d_backprop_filter_op{a}, x, filter, dy, s);
}

// Options of dilation2d.
struct dilation2d_options {
  std::array<std::int64_t, 2> strides{1, 1}, rates{1, 1};  // strides: distance of windows; rates: distance of filter elements
  flowgraph::padding padding = flowgraph::padding::same;   // same: only strides shrink the output; valid: no padding
};
template <class T>
out<T> dilation2d(out<T> x, std::type_identity_t<out<T>> filter, const dilation2d_options& o = {}, site s = {}) {
  return dilation2d(dilation_attributes{{1, o.strides[0], o.strides[1], 1}, {1, o.rates[0], o.rates[1], 1}, o.padding}, x, filter,
                    s);
}

using dilation_ops = type_list<dilation2d_op, dilation2d_backprop_input_op, dilation2d_backprop_filter_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/dilation.hpp>
#endif
