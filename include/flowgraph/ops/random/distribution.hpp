#pragma once
// Random numbers from distributions: gamma, Poisson, multinomial, truncated normal.

#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/ops/shared/pointwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace functor {

// The functor is defined in functors/gamma.hpp.
struct random_gamma_grad;

}  // namespace functor

namespace detail {

flowgraph::shape multinomial_shape(shape_context& c, const flowgraph::shape& logits, const flowgraph::shape& num_samples);
// Returns the shape of the samples: the extents in input 0, followed by those of the parameter. Each element of the parameter
// gets as many samples as input 0 requests.
flowgraph::shape samples_shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& parameter);

}  // namespace detail

// Draws the requested number of class indices for each row of logits. The probability of a class is proportional to the
// exponential of its logit. Classes with an infinite or NaN logit are never drawn.
struct multinomial_op : detail::random_seeds {
  static constexpr std::string_view name = "Multinomial";
  using types = type_attrs<type_attr<"T", floating>, type_attr<"output_dtype", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& logits, const flowgraph::shape& num_samples) const {
    return detail::multinomial_shape(c, logits, num_samples);
  }
  // The scratch memory contains the cumulative distribution of each row.
  std::size_t scratch(const flowgraph::shape& logits, const flowgraph::shape&) const {
    return static_cast<std::size_t>(logits.size()) * sizeof(double);
  }
  template <class T, class O>
  void operator()(cpu ctx, view<const T> logits, view<const std::int32_t> num_samples, view<O> y) const;
};

// Draws class indices like Multinomial, but from a seed of two integers.
struct stateless_multinomial_op {
  static constexpr std::string_view name = "StatelessMultinomial";
  using types = type_attrs<type_attr<"T", floating>, type_attr<"Tseed", index_types>, type_attr<"output_dtype", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& logits, const flowgraph::shape& num_samples,
                         const flowgraph::shape& seed) const;
  std::size_t scratch(const flowgraph::shape& logits, const flowgraph::shape&, const flowgraph::shape&) const {
    return static_cast<std::size_t>(logits.size()) * sizeof(double);
  }
  template <class T, class S, class O>
  void operator()(cpu ctx, view<const T> logits, view<const std::int32_t> num_samples, index_view<S> seed, view<O> y) const;
};

// Derivative of a gamma-distributed sample with respect to alpha, at constant probability.
struct random_gamma_grad_op : binary_pointwise<random_gamma_grad_op> {
  static constexpr std::string_view name = "RandomGammaGrad";
  using types = type_list<float, double>;
  static constexpr op_facts facts{.not_differentiable = true};
  using function = functor::random_gamma_grad;
};

// Draws gamma-distributed samples. The shape of the output is the shape in the first input, followed by the shape of alpha.
struct random_gamma_op : detail::random_seeds {
  static constexpr std::string_view name = "RandomGamma";
  using types = type_attrs<type_attr<"S", index_types>, type_attr<"T", type_list<half, float, double>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.stateful = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& alpha) const {
    return detail::samples_shape(c, dims, alpha);
  }
  template <class I, class T> void operator()(cpu ctx, index_view<I> dims, view<const T> alpha, view<T> y) const;
  template <class I, class T> std::tuple<none_type, any_grad> gradient(out<I> dims, out<T> alpha, out<T> sample, out<T> dy) const;
};

// Draws Poisson-distributed counts. The shape of the output is the shape in the first input, followed by the shape of the rates.
struct random_poisson_op : detail::random_seeds {
  static constexpr std::string_view name = "RandomPoisson";
  using types = type_attrs<type_attr<"S", index_types>, type_attr<"dtype", type_list<half, float, double>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& rate) const {
    return detail::samples_shape(c, dims, rate);
  }
  template <class I, class T> void operator()(cpu ctx, index_view<I> dims, view<const T> rate, view<T> y) const;
};
// Draws Poisson-distributed numbers of a chosen type. The shape of the output is the shape in the first input, followed by the
// shape of the rates.
struct random_poisson_v2_op : detail::random_seeds {
  static constexpr std::string_view name = "RandomPoissonV2";
  using numbers = type_list<half, float, double, std::int32_t, std::int64_t>;
  using types = type_attrs<type_attr<"S", index_types>, type_attr<"R", numbers>, type_attr<"dtype", numbers>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& rate) const {
    return detail::samples_shape(c, dims, rate);
  }
  template <class I, class R, class T> void operator()(cpu ctx, index_view<I> dims, view<const R> rate, view<T> y) const;
};

// Draws normally distributed numbers between two bounds. Each parameter is a scalar, or has an element for each slice along the
// first axis.
struct parameterized_truncated_normal_op : detail::random_seeds {
  static constexpr std::string_view name = "ParameterizedTruncatedNormal";
  using types = type_attrs<type_attr<"dtype", type_list<half, float, double>>, type_attr<"T", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& means,
                         const flowgraph::shape& deviations, const flowgraph::shape& minvals,
                         const flowgraph::shape& maxvals) const;
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> dims, view<const T> means, view<const T> deviations, view<const T> minvals,
                  view<const T> maxvals, view<T> y) const;
};

// `count` is the number of indices for each row.
template <class I = std::int64_t, class T>
out<I> multinomial(const out<T>& logits, int count, std::optional<std::int64_t> seed = {}, site s = {}) {
  if (!detail::has_graph(logits, multinomial_op::name, s)) return {};
  const site part = detail::part_of(s, "Multinomial/num_samples");
  const out<std::int32_t> samples = detail::constant_beside(logits, tensor<std::int32_t>(count), part);
  return apply_as<T, I>(s, multinomial_op{detail::seeds_in(graph_of(*logits.source), seed)}, logits, samples);
}

using distribution_ops = type_list<multinomial_op, stateless_multinomial_op, random_gamma_grad_op, random_gamma_op,
                                   random_poisson_op, random_poisson_v2_op, parameterized_truncated_normal_op>;

}  // namespace flowgraph

namespace flowgraph::inline FLOWGRAPH_ABI {

// The gradient uses the derivative of each sample with respect to its alpha (Figurnov, Mohamed and Mnih, 2018), summed over the
// samples.
template <class I, class T>
std::tuple<none_type, any_grad> random_gamma_op::gradient(out<I>, out<T> alpha, out<T> sample, out<T> dy) const {
  using wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const out<wide> moved = apply(random_gamma_grad_op{}, cast<wide>(alpha), cast<wide>(sample));
  return {none, any_grad(detail::reduced_like(cast<T>(moved) * dy, alpha, sample.shape()))};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/random/detail/distribution.hpp>
#endif
