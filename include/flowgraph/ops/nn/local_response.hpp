#pragma once
// Local response normalization: each element is divided by a function of its neighbours in the channel axis.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct local_response_attributes {
  std::int64_t depth_radius = 5;
  float bias = 1, alpha = 1, beta = 0.5f;
};
inline constexpr auto local_response_attrs =
    attrs(attr("depth_radius", &local_response_attributes::depth_radius), attr("bias", &local_response_attributes::bias),
          attr("alpha", &local_response_attributes::alpha), attr("beta", &local_response_attributes::beta));
shape local_response_shape(shape_context& c, const local_response_attributes& a, const shape& x);

}  // namespace detail

// The gradient of LRN.
struct lrn_grad_op : detail::local_response_attributes {
  static constexpr std::string_view name = "LRNGrad";
  using types = type_list<half, float>;
  static constexpr op_facts facts{.not_differentiable = true};
  static constexpr auto attrs = detail::local_response_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& x,
                         const flowgraph::shape& y) const {
    const flowgraph::shape result = detail::local_response_shape(c, *this, x);
    return c.failed() || (fits(dy, x) && fits(y, x)) ? merged(result, merged(dy, y))
                                                     : c.fail("expected three inputs of one shape");
  }
  template <class T> void operator()(cpu ctx, view<const T> dy, view<const T> x, view<const T> y, view<T> dx) const;
};

// Normalizes each element by its neighbours in the channel axis: x / (bias + alpha * sum of x^2 over the channels at most
// `depth_radius` away) ^ beta.
struct lrn_op : detail::local_response_attributes {
  static constexpr std::string_view name = "LRN";
  using types = type_list<half, float>;
  static constexpr auto attrs = detail::local_response_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::local_response_shape(c, *this, x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const {
    return apply(lrn_grad_op{static_cast<const detail::local_response_attributes&>(*this)}, dy, x, y);
  }
};

// Options of local_response_normalization.
struct local_response_options {
  std::int64_t depth_radius = 5;           // the number of channels on each side
  float bias = 1, alpha = 1, beta = 0.5f;  // the coefficients of x / (bias + alpha * sum of squares) ^ beta
};
template <class T> out<T> local_response_normalization(const out<T>& x, const local_response_options& o = {}, site s = {}) {
  return apply(lrn_op{{o.depth_radius, o.bias, o.alpha, o.beta}}, x, s);
}

using local_response_ops = type_list<lrn_op, lrn_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/local_response.hpp>
#endif
