#pragma once
// Maximum over windows of images, with the position of each maximum.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/nn/pool.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of max_pool_with_argmax.
struct argmax_pool_attributes {
  std::vector<std::int64_t> ksize, strides;                // size of windows and distance between them, in the order of the axes
  flowgraph::padding padding = flowgraph::padding::valid;  // same: only strides shrink the output; valid: no padding
  bool include_batch_in_index = false;  // true: positions count from the first image, otherwise from each image
  static constexpr auto attrs =
      flowgraph::attrs(required("ksize", &argmax_pool_attributes::ksize), required("strides", &argmax_pool_attributes::strides),
                       required("padding", &argmax_pool_attributes::padding),
                       attr("include_batch_in_index", &argmax_pool_attributes::include_batch_in_index));
};

namespace detail {

inline window_terms terms_of(const argmax_pool_attributes& a) { return {a.strides, {}, {}, a.padding, false}; }

}  // namespace detail

// Maximum over each window of images, and its position in the image. If several elements are equal, the first is used. NaN is the
// maximum only if it is the first element of the window.
struct max_pool_with_argmax_op : argmax_pool_attributes {
  static constexpr std::string_view name = "MaxPoolWithArgmax";
  using types = type_attrs<type_attr<"Targmax", index_types>, type_attr<"T", real_numbers>>;

  shape_list shape(shape_context& c, const flowgraph::shape& x) const {
    for (const std::int64_t extent : x)
      if (extent == 0) c.fail("expected images that are not empty");
    const flowgraph::shape y = detail::pool_shape(c, ksize, detail::terms_of(*this), 4, x);
    return {y, y};
  }
  template <class I, class T> void operator()(cpu ctx, view<const T> x, view<T> y, view<I> argmax) const;
  template <class I, class T> out<T> gradient(out<T> x, out<T>, out<I> argmax, out<T> dy, out<I>) const {
    return max_pool_grad_with_argmax(*this, x, dy, cast<std::int64_t>(argmax));
  }
};

// The gradient of MaxPoolWithArgmax: dy is added to the elements at the given positions.
struct max_pool_grad_with_argmax_op : argmax_pool_attributes {
  static constexpr std::string_view name = "MaxPoolGradWithArgmax";
  using types = type_attrs<type_attr<"Targmax", type_list<std::int64_t>>, type_attr<"T", real_numbers>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& dy,
                         const flowgraph::shape& argmax) const {
    return detail::pool_gradient_shape(c, ksize, detail::terms_of(*this), 4, x, argmax, dy);
  }
  template <class I, class T> void operator()(cpu ctx, view<const T> x, view<const T> dy, view<const I> argmax, view<T> dx) const;
};

// These functions take the attributes of the op instead of options.
template <class I = std::int64_t, class T>
std::tuple<out<T>, out<I>> max_pool_with_argmax(const argmax_pool_attributes& a, const out<T>& x, site s = {}) {
  return apply_as<I, T>(s, max_pool_with_argmax_op{a}, x);
}
template <class T>
out<T> max_pool_grad_with_argmax(const argmax_pool_attributes& a, out<T> x, out<T> dy, const out<std::int64_t>& argmax,
                                 site s = {}) {
  return apply(max_pool_grad_with_argmax_op{a}, x, dy, argmax, s);
}

using pool_argmax_ops = type_list<max_pool_with_argmax_op, max_pool_grad_with_argmax_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/pool_argmax.hpp>
#endif
