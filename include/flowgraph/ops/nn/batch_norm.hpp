#pragma once
// Batch normalization: each channel is normalized to mean 0 and variance 1, with the statistics of the batch or with averages
// over earlier batches. Then it is multiplied by a scale, and an offset is added.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/nn/window.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The position of the channel axis, in images and in volumes.
enum class channel_format : std::uint8_t { nhwc, nchw, ndhwc, ncdhw };
constexpr std::array<std::string_view, 4> attribute_names(channel_format) { return {"NHWC", "NCHW", "NDHWC", "NCDHW"}; }

namespace detail {

// The attributes that all versions of the op have.
struct batch_norm_settings {
  float epsilon, average_factor;  // average_factor is the weight of the batch in the averages
  bool channels_first, training;
  int rank;  // the rank that the format requires
};
shape_list batch_norm_shapes(shape_context& c, const batch_norm_settings& s, std::span<const shape* const> inputs,
                             std::size_t outputs);
shape_list batch_norm_gradient_shapes(shape_context& c, const batch_norm_settings& s, std::span<const shape* const> inputs);
std::size_t batch_norm_scratch(const shape& x, bool channels_first);
void set_batch_normalization(float epsilon, const edge_value* const* others, float* factors, result_finish& f);

template <class Format> struct batch_norm_attributes {
  float epsilon = 1e-4f, exponential_avg_factor = 1;
  Format data_format = Format::nhwc;
  bool is_training = true;

  constexpr batch_norm_settings settings() const {
    const auto format = static_cast<int>(data_format);
    return {epsilon, exponential_avg_factor, format % 2 == 1, is_training, format < 2 ? 4 : 5};
  }
  static constexpr auto attrs = flowgraph::attrs(attr("epsilon", &batch_norm_attributes::epsilon),
                                                 attr("exponential_avg_factor", &batch_norm_attributes::exponential_avg_factor),
                                                 attr("data_format", &batch_norm_attributes::data_format),
                                                 attr("is_training", &batch_norm_attributes::is_training));

  using S = flowgraph::shape;
  shape_list shape(shape_context& c, const S& x, const S& scale, const S& offset, const S& mean, const S& variance) const {
    return batch_norm_shapes(c, settings(), {{&x, &scale, &offset, &mean, &variance}}, c.output_count());
  }
  std::size_t scratch(const S& x, const S&, const S&, const S&, const S&) const {
    return batch_norm_scratch(x, settings().channels_first);
  }
  bool normalizes_columns() const { return !is_training && !settings().channels_first; }
  void set_normalization(const edge_value* const* others, float* factors, result_finish& f) const {
    set_batch_normalization(epsilon, others, factors, f);
  }
};
template <class Format> struct batch_norm_gradient_attributes {
  float epsilon = 1e-4f;
  Format data_format = Format::nhwc;
  bool is_training = true;

  constexpr batch_norm_settings settings() const {
    return batch_norm_attributes<Format>{epsilon, 1, data_format, is_training}.settings();
  }
  static constexpr auto attrs = flowgraph::attrs(attr("epsilon", &batch_norm_gradient_attributes::epsilon),
                                                 attr("data_format", &batch_norm_gradient_attributes::data_format),
                                                 attr("is_training", &batch_norm_gradient_attributes::is_training));

  using S = flowgraph::shape;
  shape_list shape(shape_context& c, const S& dy, const S& x, const S& scale, const S& mean, const S& variance) const {
    return batch_norm_gradient_shapes(c, settings(), {{&dy, &x, &scale, &mean, &variance}});
  }
  std::size_t scratch(const S& dy, const S&, const S&, const S&, const S&) const {
    return batch_norm_scratch(dy, settings().channels_first);
  }
};
// The inputs of the gradients. Defined in detail/batch_norm_gradient.hpp.
template <class T> struct batch_norm_inputs {
  out<T> dy, x;
  out<float> scale, mean, variance;
};
template <class T>
gradients_of<T, 3> batch_norm_second_gradients(const batch_norm_settings& s, const batch_norm_inputs<T>& in, const out<T>& ddx,
                                               const out<float>& dscale, const out<float>& doffset);

}  // namespace detail

using image_batch_norm = detail::batch_norm_attributes<data_format>;
using volume_batch_norm = detail::batch_norm_attributes<channel_format>;
using image_batch_norm_gradient = detail::batch_norm_gradient_attributes<data_format>;
using volume_batch_norm_gradient = detail::batch_norm_gradient_attributes<channel_format>;

// ---- Gradients. In training, they use the mean and variance of the batch, otherwise the given mean and variance.

// The gradients of FusedBatchNorm with respect to x, scale and offset.
struct fused_batch_norm_grad_op : image_batch_norm_gradient {
  static constexpr std::string_view name = "FusedBatchNormGrad";
  using types = type_list<float>;
  template <class T>
  void operator()(cpu ctx, view<const T> dy, view<const T> x, view<const T> scale, view<const T> mean, view<const T> variance,
                  view<T> dx, view<T> dscale, view<T> doffset, view<T> reserved, view<T> reserved_too) const;
  template <class T>
  gradients_of<T, 5> gradient(out<T> dy, out<T> x, out<T> scale, out<T> mean, out<T> variance, out<T>, out<T>, out<T>, out<T>,
                              out<T>, out<T> ddx, out<T> ddscale, out<T> ddoffset, out<T>, out<T>) const {
    const auto g = detail::batch_norm_second_gradients<T>(settings(), {dy, x, scale, mean, variance}, ddx, ddscale, ddoffset);
    return {{g.parts[0], g.parts[1], g.parts[2], none, none}};
  }
};

// For tensors of a half type, scale and statistics are floats.
using batch_norm_types = type_attrs<type_attr<"T", type_list<half, bfloat16, float>>, type_attr<"U", type_list<float>>>;

// FusedBatchNormGrad with scale and statistics as floats.
struct fused_batch_norm_grad_v2_op : image_batch_norm_gradient {
  static constexpr std::string_view name = "FusedBatchNormGradV2";
  using types = batch_norm_types;
  template <class T, class U>
  void operator()(cpu ctx, view<const T> dy, view<const T> x, view<const float> scale, view<const U> mean, view<const U> variance,
                  view<T> dx, view<U> dscale, view<U> doffset, view<U> reserved, view<U> reserved_too) const;
  template <class T, class U>
  gradients_of<T, 5> gradient(out<T> dy, out<T> x, out<float> scale, out<U> mean, out<U> variance, out<T>, out<U>, out<U>, out<U>,
                              out<U>, out<T> ddx, out<U> ddscale, out<U> ddoffset, out<U>, out<U>) const {
    const auto g = detail::batch_norm_second_gradients<T>(settings(), {dy, x, scale, mean, variance}, ddx, ddscale, ddoffset);
    return {{g.parts[0], g.parts[1], g.parts[2], none, none}};
  }
};

// FusedBatchNormGradV2 with an additional saved output.
struct fused_batch_norm_grad_v3_op : volume_batch_norm_gradient {
  static constexpr std::string_view name = "FusedBatchNormGradV3";
  using types = batch_norm_types;

  // The last input has no effect.
  shape_list shape(shape_context& c, const S& dy, const S& x, const S& scale, const S& mean, const S& variance, const S&) const {
    return volume_batch_norm_gradient::shape(c, dy, x, scale, mean, variance);
  }
  std::size_t scratch(const S& dy, const S& x, const S& scale, const S& mean, const S& variance, const S&) const {
    return volume_batch_norm_gradient::scratch(dy, x, scale, mean, variance);
  }
  template <class T, class U>
  void operator()(cpu ctx, view<const T> dy, view<const T> x, view<const float> scale, view<const U> mean, view<const U> variance,
                  view<const U> unused, view<T> dx, view<U> dscale, view<U> doffset, view<U> reserved,
                  view<U> reserved_too) const;
  template <class T, class U>
  gradients_of<T, 6> gradient(out<T> dy, out<T> x, out<float> scale, out<U> mean, out<U> variance, out<U>, out<T>, out<U>, out<U>,
                              out<U>, out<U>, out<T> ddx, out<U> ddscale, out<U> ddoffset, out<U>, out<U>) const {
    const auto g = detail::batch_norm_second_gradients<T>(settings(), {dy, x, scale, mean, variance}, ddx, ddscale, ddoffset);
    return {{g.parts[0], g.parts[1], g.parts[2], none, none, none}};
  }
};

// ---- The ops. They return y, the averages, and the mean and variance of the batch for the gradient. The averages use the
// unbiased variance of the batch. Only y has a gradient.

// Normalizes each channel by its mean and variance. In training, these are the mean and variance of the batch, otherwise the
// given ones.
struct fused_batch_norm_op : image_batch_norm {
  static constexpr std::string_view name = "FusedBatchNorm";
  using types = type_list<float>;
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> scale, view<const T> offset, view<const T> mean, view<const T> variance,
                  view<T> y, view<T> new_mean, view<T> new_variance, view<T> saved_mean, view<T> saved_variance) const;
  template <class T>
  gradients_of<T, 5> gradient(out<T> x, out<T> scale, out<T>, out<T> mean, out<T> variance, out<T>, out<T>, out<T>,
                              out<T> saved_mean, out<T> saved_variance, out<T> dy, out<T>, out<T>, out<T>, out<T>) const {
    const auto g = apply_as<T>({}, fused_batch_norm_grad_op{{epsilon, data_format, is_training}}, dy, x, scale,
                               is_training ? saved_mean : mean, is_training ? saved_variance : variance);
    return {{std::get<0>(g), std::get<1>(g), std::get<2>(g), none, none}};
  }
};

// FusedBatchNorm with scale and statistics as floats.
struct fused_batch_norm_v2_op : image_batch_norm {
  static constexpr std::string_view name = "FusedBatchNormV2";
  using types = batch_norm_types;
  template <class T, class U>
  void operator()(cpu ctx, view<const T> x, view<const U> scale, view<const U> offset, view<const U> mean, view<const U> variance,
                  view<T> y, view<U> new_mean, view<U> new_variance, view<U> saved_mean, view<U> saved_variance) const;
  template <class T, class U>
  gradients_of<T, 5> gradient(out<T> x, out<U> scale, out<U>, out<U> mean, out<U> variance, out<T>, out<U>, out<U>,
                              out<U> saved_mean, out<U> saved_variance, out<T> dy, out<U>, out<U>, out<U>, out<U>) const {
    const auto g = apply_as<T, U>({}, fused_batch_norm_grad_v2_op{{epsilon, data_format, is_training}}, dy, x, scale,
                                  is_training ? saved_mean : mean, is_training ? saved_variance : variance);
    return {{std::get<0>(g), std::get<1>(g), std::get<2>(g), none, none}};
  }
};

// FusedBatchNormV2 with an additional output that is saved for the gradient.
struct fused_batch_norm_v3_op : volume_batch_norm {
  static constexpr std::string_view name = "FusedBatchNormV3";
  using types = batch_norm_types;
  template <class T, class U>
  void operator()(cpu ctx, view<const T> x, view<const U> scale, view<const U> offset, view<const U> mean, view<const U> variance,
                  view<T> y, view<U> new_mean, view<U> new_variance, view<U> saved_mean, view<U> saved_variance,
                  view<U> unused) const;
  template <class T, class U>
  gradients_of<T, 5> gradient(out<T> x, out<U> scale, out<U>, out<U> mean, out<U> variance, out<T>, out<U>, out<U>,
                              out<U> saved_mean, out<U> saved_variance, out<U> unused, out<T> dy, out<U>, out<U>, out<U>, out<U>,
                              out<U>) const {
    const auto g = apply_as<T, U>({}, fused_batch_norm_grad_v3_op{{epsilon, data_format, is_training}}, dy, x, scale,
                                  is_training ? saved_mean : mean, is_training ? saved_variance : variance, unused);
    return {{std::get<0>(g), std::get<1>(g), std::get<2>(g), none, none}};
  }
};

// The results of `fused_batch_norm`.
template <class T> struct batch_normalized {
  out<T> y;                   // x, normalized
  out<float> mean, variance;  // the running mean and variance, including this batch
};
template <class T>
batch_normalized<T> fused_batch_norm(const volume_batch_norm& a, const out<T>& x, const out<float>& scale,
                                     const out<float>& offset, const out<float>& mean, const out<float>& variance, site s = {}) {
  const auto result = apply_as<T, float>(s, fused_batch_norm_v3_op{a}, x, scale, offset, mean, variance);
  return {std::get<0>(result), std::get<1>(result), std::get<2>(result)};
}

using batch_norm_ops = type_list<fused_batch_norm_op, fused_batch_norm_grad_op, fused_batch_norm_v2_op,
                                 fused_batch_norm_grad_v2_op, fused_batch_norm_v3_op, fused_batch_norm_grad_v3_op>;

}  // namespace flowgraph

#include <flowgraph/ops/nn/detail/batch_norm_gradient.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/batch_norm.hpp>
#endif
