#pragma once
// Element-wise kernels of the plain device: 41 ops.

#include "context.hpp"

#include <flowgraph/op/device_kernel.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/math/rounding.hpp>
#include <flowgraph/ops/math/special.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/rectifier.hpp>

#include <algorithm>
#include <cmath>

namespace plain {

template <class Op, class F> struct unary_kernel {
  void operator()(const Op&, context, fg::view<const float> x, fg::view<float> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = F{}(x[i]);
  }
};
template <class Op, class F> void add_unary(fg::kernel_set& set, F) {
  set.add<Op, float>(unary_kernel<Op, F>{}, {.in_place = true}).value();
}

// A kernel for two operands of the same shape, as in gradients.
template <class Op, class F> struct paired_kernel {
  void operator()(const Op&, context, fg::view<const float> a, fg::view<const float> b, fg::view<float> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = F{}(a[i], b[i]);
  }
};
template <class Op, class F> void add_paired(fg::kernel_set& set, F) {
  set.add<Op, float>(paired_kernel<Op, F>{}, {.in_place = true}).value();
}

// Returns the position in an operand of element `i` of the broadcast result.
inline std::size_t place_in(const fg::shape& operand, const fg::shape& result, std::size_t i) {
  std::size_t at = 0, step = 1;
  for (int k = result.rank - 1, j = operand.rank - 1; j >= 0; --k, --j) {
    const auto extent = static_cast<std::size_t>(result[k]);
    if (operand[j] != 1) at += i % extent * step;
    step *= static_cast<std::size_t>(operand[j]);
    i /= extent;
  }
  return at;
}
template <class Op, class R, class F> struct binary_kernel {
  void operator()(const Op&, context, fg::view<const float> a, fg::view<const float> b, fg::view<R> y) const {
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = F{}(a[place_in(a.shape(), y.shape(), i)], b[place_in(b.shape(), y.shape(), i)]);
  }
};
template <class Op, class R = float, class F> void add_binary(fg::kernel_set& set, F) {
  set.add<Op, float>(binary_kernel<Op, R, F>{}).value();
}

inline void add_unary_kernels(fg::kernel_set& set) {
  add_unary<fg::neg_op>(set, [](float x) { return -x; });
  add_unary<fg::abs_op>(set, [](float x) { return std::fabs(x); });
  add_unary<fg::square_op>(set, [](float x) { return x * x; });
  add_unary<fg::sqrt_op>(set, [](float x) { return std::sqrt(x); });
  add_unary<fg::rsqrt_op>(set, [](float x) { return 1 / std::sqrt(x); });
  add_unary<fg::exp_op>(set, [](float x) { return std::exp(x); });
  add_unary<fg::expm1_op>(set, [](float x) { return std::expm1(x); });
  add_unary<fg::log_op>(set, [](float x) { return std::log(x); });
  add_unary<fg::log1p_op>(set, [](float x) { return std::log1p(x); });
  add_unary<fg::tanh_op>(set, [](float x) { return std::tanh(x); });
  add_unary<fg::sigmoid_op>(set, [](float x) { return 1 / (1 + std::exp(-x)); });
  add_unary<fg::sin_op>(set, [](float x) { return std::sin(x); });
  add_unary<fg::cos_op>(set, [](float x) { return std::cos(x); });
  add_unary<fg::floor_op>(set, [](float x) { return std::floor(x); });
  add_unary<fg::ceil_op>(set, [](float x) { return std::ceil(x); });
  add_unary<fg::sign_op>(set, [](float x) { return x > 0 ? 1 : x < 0 ? -1 : x; });
  add_unary<fg::reciprocal_op>(set, [](float x) { return 1 / x; });
  add_unary<fg::relu_op>(set, [](float x) { return x <= 0 ? 0 : x; });
  add_unary<fg::relu6_op>(set, [](float x) { return x <= 0 ? 0 : x > 6 ? 6 : x; });
  add_unary<fg::softplus_op>(set, [](float x) { return x != x ? x : std::max(x, 0.f) + std::log1p(std::exp(-std::fabs(x))); });
  add_unary<fg::elu_op>(set, [](float x) { return x < 0 ? std::expm1(x) : x; });
  add_unary<fg::erf_op>(set, [](float x) { return std::erf(x); });
  add_unary<fg::erfc_op>(set, [](float x) { return std::erfc(x); });
}

inline void add_binary_kernels(fg::kernel_set& set) {
  add_binary<fg::add_v1_op>(set, [](float a, float b) { return a + b; });
  add_binary<fg::add_v2_op>(set, [](float a, float b) { return a + b; });
  add_binary<fg::sub_op>(set, [](float a, float b) { return a - b; });
  add_binary<fg::mul_op>(set, [](float a, float b) { return a * b; });
  add_binary<fg::div_op>(set, [](float a, float b) { return a / b; });
  add_binary<fg::real_div_op>(set, [](float a, float b) { return a / b; });
  add_binary<fg::maximum_op>(set, [](float a, float b) { return a != a ? a : b != b ? b : std::max(a, b); });
  add_binary<fg::minimum_op>(set, [](float a, float b) { return a != a ? a : b != b ? b : std::min(a, b); });
  add_binary<fg::squared_difference_op>(set, [](float a, float b) { return (a - b) * (a - b); });
  add_binary<fg::greater_op, bool>(set, [](float a, float b) { return a > b; });
  add_binary<fg::greater_equal_op, bool>(set, [](float a, float b) { return a >= b; });
  add_binary<fg::less_op, bool>(set, [](float a, float b) { return a < b; });
  add_binary<fg::less_equal_op, bool>(set, [](float a, float b) { return a <= b; });
}

inline void add_gradient_kernels(fg::kernel_set& set) {
  add_paired<fg::relu_grad_op>(set, [](float dy, float y) { return dy * (y > 0 ? 1.f : 0.f); });
  add_paired<fg::tanh_grad_op>(set, [](float y, float dy) { return dy * (1 - y * y); });
  add_paired<fg::sigmoid_grad_op>(set, [](float y, float dy) { return dy * y * (1 - y); });
  add_paired<fg::sqrt_grad_op>(set, [](float y, float dy) { return dy * 0.5f / y; });
  add_paired<fg::reciprocal_grad_op>(set, [](float y, float dy) { return -dy * y * y; });
}

}  // namespace plain
