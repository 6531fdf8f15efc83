#pragma once
// Addition of one number per channel to a batch.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/nn/window.hpp>
#include <flowgraph/ops/shared/element_program.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the channel axis of x.
constexpr int channel_axis(data_format f, const shape& x) { return f == data_format::nchw ? 1 : x.rank - 1; }

}  // namespace detail

// Adds a vector to a batch: one number per channel.
struct bias_add_op {
  static constexpr std::string_view name = "BiasAdd";
  using types = numbers;
  static constexpr op_facts facts{.in_place = true};
  flowgraph::data_format data_format = flowgraph::data_format::nhwc;
  static constexpr auto attrs = flowgraph::attrs(attr("data_format", &bias_add_op::data_format));

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& bias) const {
    if (bias.has_rank() && bias.rank != 1) return c.fail("the bias must be a vector");
    if (!x.has_rank()) return x;
    if (x.rank < 2) return c.fail("expected a batch of at least two axes");
    flowgraph::shape result = x;
    std::int64_t& channels = result[detail::channel_axis(data_format, x)];
    if (bias.rank == 1 && channels >= 0 && bias[0] >= 0 && bias[0] != channels)
      return c.fail("the bias must have one element per channel");
    if (bias.rank == 1 && channels < 0) channels = bias[0];
    return result;
  }
  static constexpr const detail::element_function* in_group = detail::element_function_of<functor::add>();
  bool computes_rows() const { return data_format == flowgraph::data_format::nhwc; }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> bias, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T>, out<T>, out<T>, out<T> dy) const {
    return {{dy, bias_add_grad(dy, data_format)}};
  }
};

// The gradient of BiasAdd with respect to the vector: the sum over all axes except the channel axis.
struct bias_add_grad_op {
  static constexpr std::string_view name = "BiasAddGrad";
  using types = numbers;
  flowgraph::data_format data_format = flowgraph::data_format::nhwc;
  static constexpr auto attrs = flowgraph::attrs(attr("data_format", &bias_add_grad_op::data_format));

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy) const {
    if (!dy.has_rank()) return {any};
    if (dy.rank < 2) return c.fail("expected a batch of at least two axes");
    return {dy[detail::channel_axis(data_format, dy)]};
  }
  template <class T> void operator()(cpu ctx, view<const T> dy, view<T> db) const;
  template <class T> out<T> gradient(out<T> dy, out<T>, out<T> ddb) const { return repeated_bias(ddb, dy, data_format); }
};

template <class T> out<T> bias_add(out<T> x, std::type_identity_t<out<T>> bias, data_format f, site s = {}) {
  return apply(bias_add_op{f}, x, bias, s);
}
template <class T> out<T> bias_add(out<T> x, std::type_identity_t<out<T>> bias, site s = {}) {
  return bias_add(x, bias, data_format::nhwc, s);
}
template <class T> out<T> bias_add_grad(out<T> dy, data_format f = data_format::nhwc, site s = {}) {
  return apply(bias_add_grad_op{f}, dy, s);
}

using bias_ops = type_list<bias_add_op, bias_add_grad_op>;

}  // namespace flowgraph

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns a bias, repeated to the shape of a batch.
template <class T> out<T> repeated_bias(const out<T>& bias, const out<T>& batch, data_format f) {
  return bias_add(zeros_like(batch), bias, f);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/bias.hpp>
#endif
