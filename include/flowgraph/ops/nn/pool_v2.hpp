#pragma once
// Maximum over windows whose sizes and strides are inputs.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/nn/pool.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of max_pool_v2.
struct max_pool_v2_attributes {
  flowgraph::padding padding = flowgraph::padding::valid;             // same: only strides shrink the output; valid: no padding
  flowgraph::data_format data_format = flowgraph::data_format::nhwc;  // must be nhwc
  static constexpr auto attrs = flowgraph::attrs(required("padding", &max_pool_v2_attributes::padding),
                                                 attr("data_format", &max_pool_v2_attributes::data_format));
};

namespace detail {

// The shape rule of the three ops. Sizes and strides are the inputs from index `first`. For MaxPoolV2, only `images` is given.
// For the gradients, `dy` has the shape of the output, or `ddx` has the shape of the images.
shape max_pool_v2_shape(shape_context& c, const max_pool_v2_attributes& a, std::size_t first, const shape& images,
                        const shape& ksize, const shape& strides, const shape* y = nullptr, const shape* dy = nullptr,
                        const shape* ddx = nullptr);

}  // namespace detail

// Maximum over each window of images, like MaxPool, but the sizes and strides of the windows are inputs. The data format must be
// NHWC.
struct max_pool_v2_op : max_pool_v2_attributes {
  static constexpr std::string_view name = "MaxPoolV2";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& ksize,
                         const flowgraph::shape& strides) const {
    return detail::max_pool_v2_shape(c, *this, 1, x, ksize, strides);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const std::int32_t> ksize, view<const std::int32_t> strides, view<T> y) const;
  template <class T>
  std::tuple<any_grad, none_type, none_type> gradient(out<T> x, out<std::int32_t> ksize, out<std::int32_t> strides, out<T> y,
                                                      out<T> dy) const {
    return {any_grad(max_pool_grad_v2(*this, x, y, dy, ksize, strides)), none, none};
  }
};

// MaxPoolGrad, with sizes and strides as inputs.
struct max_pool_grad_v2_op : max_pool_v2_attributes {
  static constexpr std::string_view name = "MaxPoolGradV2";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(3, 4);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y, const flowgraph::shape& dy,
                         const flowgraph::shape& ksize, const flowgraph::shape& strides) const {
    return detail::max_pool_v2_shape(c, *this, 3, x, ksize, strides, &y, &dy);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> y, view<const T> dy, view<const std::int32_t> ksize,
                  view<const std::int32_t> strides, view<T> dx) const;
  template <class T>
  std::tuple<any_grad, any_grad, any_grad, none_type, none_type> gradient(out<T> x, out<T> y, out<T>, out<std::int32_t> ksize,
                                                                          out<std::int32_t> strides, out<T>, out<T> ddx) const {
    return {any_grad(zeros_like(x)), any_grad(zeros_like(y)), any_grad(max_pool_grad_grad_v2(*this, x, y, ddx, ksize, strides)),
            none, none};
  }
};

// MaxPoolGradGrad, with sizes and strides as inputs.
struct max_pool_grad_grad_v2_op : max_pool_v2_attributes {
  static constexpr std::string_view name = "MaxPoolGradGradV2";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(3, 4);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y, const flowgraph::shape& ddx,
                         const flowgraph::shape& ksize, const flowgraph::shape& strides) const {
    return detail::max_pool_v2_shape(c, *this, 3, x, ksize, strides, &y, nullptr, &ddx);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> y, view<const T> ddx, view<const std::int32_t> ksize,
                  view<const std::int32_t> strides, view<T> ddy) const;
};

// These functions take the attributes of the op instead of options.
template <class T>
out<T> max_pool_v2(const max_pool_v2_attributes& a, out<T> x, const out<std::int32_t>& ksize, const out<std::int32_t>& strides,
                   site s = {}) {
  return apply(max_pool_v2_op{a}, x, ksize, strides, s);
}
template <class T>
out<T> max_pool_grad_v2(const max_pool_v2_attributes& a, out<T> x, out<T> y, out<T> dy, const out<std::int32_t>& ksize,
                        const out<std::int32_t>& strides, site s = {}) {
  return apply(s, max_pool_grad_v2_op{a}, x, y, dy, ksize, strides);
}
template <class T>
out<T> max_pool_grad_grad_v2(const max_pool_v2_attributes& a, out<T> x, out<T> y, out<T> ddx, const out<std::int32_t>& ksize,
                             const out<std::int32_t>& strides, site s = {}) {
  return apply(s, max_pool_grad_grad_v2_op{a}, x, y, ddx, ksize, strides);
}

using pool_v2_ops = type_list<max_pool_v2_op, max_pool_grad_v2_op, max_pool_grad_grad_v2_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/pool_v2.hpp>
#endif
