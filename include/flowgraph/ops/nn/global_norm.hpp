#pragma once
// The older form of batch normalization. Its mean and variance are inputs and have gradients.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct global_norm_attributes {
  float variance_epsilon = 0;
  bool scale_after_normalization = true;
};
inline constexpr auto global_norm_attrs =
    attrs(required("variance_epsilon", &global_norm_attributes::variance_epsilon),
          required("scale_after_normalization", &global_norm_attributes::scale_after_normalization));
// The shape rule: `t` is a batch of images with the channels last, and the vectors have one element per channel.
shape global_norm_shape(shape_context& c, const shape& t, std::span<const shape* const> vectors);
std::size_t global_norm_scratch(const shape& t);

}  // namespace detail

// The gradients of BatchNormWithGlobalNormalization.
struct batch_norm_with_global_normalization_grad_op : detail::global_norm_attributes {
  static constexpr std::string_view name = "BatchNormWithGlobalNormalizationGrad";
  using types = type_list<half, float, double>;
  static constexpr op_facts facts{.not_differentiable = true};
  static constexpr auto attrs = detail::global_norm_attrs;

  std::array<flowgraph::shape, 5> shape(shape_context& c, const flowgraph::shape& t, const flowgraph::shape& mean,
                                        const flowgraph::shape& variance, const flowgraph::shape& gamma,
                                        const flowgraph::shape& dy) const;
  template <class T>
  void operator()(cpu ctx, view<const T> t, view<const T> mean, view<const T> variance, view<const T> gamma, view<const T> dy,
                  view<T> dt, view<T> dmean, view<T> dvariance, view<T> dbeta, view<T> dgamma) const;
};

// Normalizes by a given mean and variance: (t - mean) / sqrt(variance + variance_epsilon) * gamma + beta. gamma is only used if
// `scale_after_normalization` is set.
struct batch_norm_with_global_normalization_op : detail::global_norm_attributes {
  static constexpr std::string_view name = "BatchNormWithGlobalNormalization";
  using types = type_list<half, float, double>;
  static constexpr auto attrs = detail::global_norm_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& t, const flowgraph::shape& mean,
                         const flowgraph::shape& variance, const flowgraph::shape& beta, const flowgraph::shape& gamma) const {
    return detail::global_norm_shape(c, t, {{&mean, &variance, &beta, &gamma}});
  }
  std::size_t scratch(const flowgraph::shape& t, const flowgraph::shape&, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::global_norm_scratch(t);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> t, view<const T> mean, view<const T> variance, view<const T> beta, view<const T> gamma,
                  view<T> y) const;
  template <class T>
  gradients_of<T, 5> gradient(out<T> t, out<T> mean, out<T> variance, out<T>, out<T> gamma, out<T>, out<T> dy) const {
    const batch_norm_with_global_normalization_grad_op op{static_cast<const detail::global_norm_attributes&>(*this)};
    const auto [dt, dmean, dvariance, dbeta, dgamma] = apply_as<T>({}, op, t, mean, variance, gamma, dy);
    return {{dt, dmean, dvariance, dbeta, dgamma}};
  }
};

using global_norm_ops = type_list<batch_norm_with_global_normalization_op, batch_norm_with_global_normalization_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/global_norm.hpp>
#endif
