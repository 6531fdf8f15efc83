#pragma once
// Simulated quantization, for training a model that will run with integers. Each element becomes the nearest of 2^num_bits
// numbers in a range; the values remain floating-point numbers.
//
//   const auto w = fg::fake_quantize_per_channel(weights, low, high, {.narrow_range = true});   // a range per column
//   const auto y = fg::fake_quantize(fg::relu(fg::matmul(fg::fake_quantize(x, -1, 1), w)), 0, 6);

#include <flowgraph/graph/apply.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The grid of FakeQuantWithMinMaxVars.
struct fake_quantize_attributes {
  std::int64_t num_bits = 8;  // from 2 to 16
  bool narrow_range = false;  // whether to use one number less, so that the grid of a symmetric range is symmetric
  static constexpr auto attrs = flowgraph::attrs(attr("num_bits", &fake_quantize_attributes::num_bits),
                                                 attr("narrow_range", &fake_quantize_attributes::narrow_range));
};

namespace detail {

struct fixed_range_attributes {
  float min = -6, max = 6;
  std::int64_t num_bits = 8;
  bool narrow_range = false;
  static constexpr auto attrs = flowgraph::attrs(
      attr("min", &fixed_range_attributes::min), attr("max", &fixed_range_attributes::max),
      attr("num_bits", &fixed_range_attributes::num_bits), attr("narrow_range", &fixed_range_attributes::narrow_range));
};

shape fixed_range_shape(shape_context& c, const fixed_range_attributes& a, const shape& x);
shape fixed_range_gradient_shape(shape_context& c, const fixed_range_attributes& a, const shape& dy, const shape& x);
shape ranged_shape(shape_context& c, std::int64_t bits, const shape& x, const shape& min, const shape& max);
std::array<shape, 3> ranged_gradient_shape(shape_context& c, std::int64_t bits, const shape& dy, const shape& x, const shape& min,
                                           const shape& max);
std::size_t ranged_gradient_scratch(const shape& x);
shape channels_shape(shape_context& c, std::int64_t bits, const shape& x, const shape& min, const shape& max);
std::size_t channels_scratch(const shape& x);
std::array<shape, 3> channels_gradient_shape(shape_context& c, std::int64_t bits, const shape& dy, const shape& x,
                                             const shape& min, const shape& max);

}  // namespace detail

// The gradient of FakeQuantWithMinMaxArgs: that of the result for elements inside of the range, and 0 for the others.
struct fake_quant_with_min_max_args_gradient_op : detail::fixed_range_attributes {
  static constexpr std::string_view name = "FakeQuantWithMinMaxArgsGradient";
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& x) const {
    return detail::fixed_range_gradient_shape(c, *this, dy, x);
  }
  void operator()(cpu ctx, view<const float> dy, view<const float> x, view<float> dx) const;
};

// Rounds each element to the grid of a range that the attributes contain. The range is moved so that 0 is on the grid.
struct fake_quant_with_min_max_args_op : detail::fixed_range_attributes {
  static constexpr std::string_view name = "FakeQuantWithMinMaxArgs";
  static constexpr op_facts facts{.in_place = true, .work = work_figure(7).elements_of_output(0)};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::fixed_range_shape(c, *this, x); }
  void operator()(cpu ctx, view<const float> x, view<float> y) const;
  out<float> gradient(out<float> x, out<float>, out<float> dy) const {
    return apply(fake_quant_with_min_max_args_gradient_op{*this}, dy, x);
  }
};

// The gradient of FakeQuantWithMinMaxVars. The gradients of min and max are the sums over the elements below and above the range.
struct fake_quant_with_min_max_vars_gradient_op : fake_quantize_attributes {
  static constexpr std::string_view name = "FakeQuantWithMinMaxVarsGradient";
  static constexpr op_facts facts{.not_differentiable = true};

  std::array<flowgraph::shape, 3> shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& x,
                                        const flowgraph::shape& min, const flowgraph::shape& max) const {
    return detail::ranged_gradient_shape(c, num_bits, dy, x, min, max);
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& x, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::ranged_gradient_scratch(x);
  }
  void operator()(cpu ctx, view<const float> dy, view<const float> x, view<const float> min, view<const float> max,
                  view<float> dx, view<float> dmin, view<float> dmax) const;
};

// Rounds each element to the grid of the range [min, max]. The range is moved so that 0 is on the grid. If min and max are 0, the
// result is 0.
struct fake_quant_with_min_max_vars_op : fake_quantize_attributes {
  static constexpr std::string_view name = "FakeQuantWithMinMaxVars";
  static constexpr op_facts facts{.in_place = true, .work = work_figure(7).elements_of_output(0)};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& min,
                         const flowgraph::shape& max) const {
    return detail::ranged_shape(c, num_bits, x, min, max);
  }
  void operator()(cpu ctx, view<const float> x, view<const float> min, view<const float> max, view<float> y) const;
  gradients_of<float, 3> gradient(out<float> x, out<float> min, out<float> max, out<float>, out<float> dy) const {
    const auto [dx, dmin, dmax] = apply(fake_quant_with_min_max_vars_gradient_op{*this}, dy, x, min, max);
    return {{dx, dmin, dmax}};
  }
};

// The gradient of FakeQuantWithMinMaxVarsPerChannel.
struct fake_quant_with_min_max_vars_per_channel_gradient_op : fake_quantize_attributes {
  static constexpr std::string_view name = "FakeQuantWithMinMaxVarsPerChannelGradient";
  static constexpr op_facts facts{.not_differentiable = true};

  std::array<flowgraph::shape, 3> shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& x,
                                        const flowgraph::shape& min, const flowgraph::shape& max) const {
    return detail::channels_gradient_shape(c, num_bits, dy, x, min, max);
  }
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& x, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::channels_scratch(x);
  }
  void operator()(cpu ctx, view<const float> dy, view<const float> x, view<const float> min, view<const float> max,
                  view<float> dx, view<float> dmin, view<float> dmax) const;
};

// Rounds each element to the grid of the range of its channel. The channels are the last axis; min and max have one element per
// channel.
struct fake_quant_with_min_max_vars_per_channel_op : fake_quantize_attributes {
  static constexpr std::string_view name = "FakeQuantWithMinMaxVarsPerChannel";
  static constexpr op_facts facts{.work = work_figure(7).elements_of_output(0)};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& min,
                         const flowgraph::shape& max) const {
    return detail::channels_shape(c, num_bits, x, min, max);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&, const flowgraph::shape&) const {
    return detail::channels_scratch(x);
  }
  void operator()(cpu ctx, view<const float> x, view<const float> min, view<const float> max, view<float> y) const;
  gradients_of<float, 3> gradient(out<float> x, out<float> min, out<float> max, out<float>, out<float> dy) const {
    const auto [dx, dmin, dmax] = apply(fake_quant_with_min_max_vars_per_channel_gradient_op{*this}, dy, x, min, max);
    return {{dx, dmin, dmax}};
  }
};

// Rounds x to the grid of the range [min, max]. The gradient passes unchanged for elements inside of the range. The range is
// constant, or two scalars: variables that a program trains or updates.
inline out<float> fake_quantize(const out<float>& x, float min, float max, const fake_quantize_attributes& options = {},
                                site s = {}) {
  return apply(fake_quant_with_min_max_args_op{{min, max, options.num_bits, options.narrow_range}}, x, s);
}
inline out<float> fake_quantize(const out<float>& x, const out<float>& min, const out<float>& max,
                                const fake_quantize_attributes& options = {}, site s = {}) {
  return apply(fake_quant_with_min_max_vars_op{options}, x, min, max, s);
}
// Rounds x to one grid per channel. The channels are the last axis of x; min and max are vectors with one element per channel.
inline out<float> fake_quantize_per_channel(const out<float>& x, const out<float>& min, const out<float>& max,
                                            const fake_quantize_attributes& options = {}, site s = {}) {
  return apply(fake_quant_with_min_max_vars_per_channel_op{options}, x, min, max, s);
}

using fake_quantize_ops =
    type_list<fake_quant_with_min_max_args_op, fake_quant_with_min_max_args_gradient_op, fake_quant_with_min_max_vars_op,
              fake_quant_with_min_max_vars_gradient_op, fake_quant_with_min_max_vars_per_channel_op,
              fake_quant_with_min_max_vars_per_channel_gradient_op>;

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/quantize/detail/fake_quantize.hpp>
#endif
