#pragma once
// Quantization to integers and back: the result contains the floating-point numbers that the integers represent. The scale is
// symmetric, so 0 remains 0.
//
//   const auto w = fg::quantize_and_dequantize(weights, {.num_bits = 4, .axis = 1});          // the range of each column
//   const auto x = fg::quantize_and_dequantize(images, low, high, {.signed_input = false});   // a given range

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// How a number halfway between two integers is rounded: to the even integer, or upward.
enum class quantize_rounding : std::uint8_t { half_to_even, half_up };
constexpr std::array<std::string_view, 2> attribute_names(quantize_rounding) { return {"HALF_TO_EVEN", "HALF_UP"}; }

// Options of quantize_and_dequantize.
struct quantize_options {
  std::int64_t num_bits = 8;                                       // bits of the integers
  bool signed_input = true;                                        // whether the integers are signed
  bool narrow_range = false;                                       // whether the lowest signed integer is unused
  quantize_rounding round_mode = quantize_rounding::half_to_even;  // the rounding of halves
  std::int64_t axis = -1;                                          // each slice of this axis has its own range; -1: one range
};

namespace detail {

struct quantize_attributes : quantize_options {
  bool range_given = false;
  static constexpr auto attrs = flowgraph::attrs(
      attr("signed_input", &quantize_attributes::signed_input), attr("num_bits", &quantize_attributes::num_bits),
      attr("range_given", &quantize_attributes::range_given), attr("round_mode", &quantize_attributes::round_mode),
      attr("narrow_range", &quantize_attributes::narrow_range), attr("axis", &quantize_attributes::axis));
};
struct quantize_v1_attributes {
  bool signed_input = true;
  std::int64_t num_bits = 8;
  bool range_given = false;
  float input_min = 0, input_max = 0;
  static constexpr auto attrs = flowgraph::attrs(
      attr("signed_input", &quantize_v1_attributes::signed_input), attr("num_bits", &quantize_v1_attributes::num_bits),
      attr("range_given", &quantize_v1_attributes::range_given), attr("input_min", &quantize_v1_attributes::input_min),
      attr("input_max", &quantize_v1_attributes::input_max));
};
struct quantize_v3_attributes {
  bool signed_input = true, range_given = true, narrow_range = false;
  std::int64_t axis = -1;
  static constexpr auto attrs = flowgraph::attrs(
      attr("signed_input", &quantize_v3_attributes::signed_input), attr("range_given", &quantize_v3_attributes::range_given),
      attr("narrow_range", &quantize_v3_attributes::narrow_range), attr("axis", &quantize_v3_attributes::axis));
};

shape quantized_shape(shape_context& c, const quantize_attributes& a, const shape& x, const shape& min, const shape& max);
shape quantized_v1_shape(shape_context& c, const quantize_v1_attributes& a, const shape& x);
shape quantized_v3_shape(shape_context& c, const quantize_v3_attributes& a, const shape& x, const shape& min, const shape& max,
                         const shape& bits);
std::array<shape, 3> quantized_gradient_shape(shape_context& c, std::int64_t axis, const shape& dy, const shape& x,
                                              const shape& min, const shape& max);
std::size_t quantized_scratch(const shape& x);

struct quantize_form : quantize_attributes {
  using types = type_list<float, double>;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& min,
                         const flowgraph::shape& max) const {
    return quantized_shape(c, *this, x, min, max);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&, const flowgraph::shape&) const {
    return quantized_scratch(x);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> min, view<const T> max, view<T> y) const;
};

}  // namespace detail

// The first form of QuantizeAndDequantizeV2: the range consists of attributes. Graphs of version 22 and later do not contain it.
struct quantize_and_dequantize_op : detail::quantize_v1_attributes {
  static constexpr std::string_view name = "QuantizeAndDequantize";
  using types = type_list<float, double>;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::quantized_v1_shape(c, *this, x); }
  std::size_t scratch(const flowgraph::shape& x) const { return detail::quantized_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return dy; }
};

// Quantizes x to integers and converts these back. The range is that of x, or [min, max] if `range_given` is set. The gradient
// passes unchanged to x.
struct quantize_and_dequantize_v2_op : detail::quantize_form {
  static constexpr std::string_view name = "QuantizeAndDequantizeV2";
  template <class T> gradients_of<T, 3> gradient(out<T>, out<T>, out<T>, out<T>, out<T> dy) const { return {{dy, none, none}}; }
};

// Quantizes like QuantizeAndDequantizeV2, but the number of bits is an input.
struct quantize_and_dequantize_v3_op : detail::quantize_v3_attributes {
  static constexpr std::string_view name = "QuantizeAndDequantizeV3";
  using types = type_list<float, double>;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& min, const flowgraph::shape& max,
                         const flowgraph::shape& bits) const {
    return detail::quantized_v3_shape(c, *this, x, min, max, bits);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::quantized_scratch(x);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> min, view<const T> max, view<const std::int32_t> num_bits,
                  view<T> y) const;
  template <class T> gradients_of<T, 4> gradient(out<T>, out<T>, out<T>, out<std::int32_t>, out<T>, out<T> dy) const {
    return {{dy, none, none, none}};
  }
};

// The gradient of QuantizeAndDequantizeV4: that of the result for elements inside of [min, max], and 0 for the others. As in
// TensorFlow, the gradients of min and max are 0.
struct quantize_and_dequantize_v4_grad_op {
  static constexpr std::string_view name = "QuantizeAndDequantizeV4Grad";
  using types = type_list<float, double>;
  std::int64_t axis = -1;
  static constexpr auto attrs = flowgraph::attrs(attr("axis", &quantize_and_dequantize_v4_grad_op::axis));

  std::array<flowgraph::shape, 3> shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& x,
                                        const flowgraph::shape& min, const flowgraph::shape& max) const {
    return detail::quantized_gradient_shape(c, axis, dy, x, min, max);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> dy, view<const T> x, view<const T> min, view<const T> max, view<T> dx, view<T> dmin,
                  view<T> dmax) const;
  // Only the first output depends on an input: on dy, as a product.
  template <class T>
  gradients_of<T, 4> gradient(out<T>, out<T> x, out<T> min, out<T> max, out<T>, out<T>, out<T>, out<T> ddx, out<T>,
                              out<T>) const {
    return {{std::get<0>(apply(*this, ddx, x, min, max)), none, none, none}};
  }
};

// Quantizes like QuantizeAndDequantizeV2. The gradient is 0 for elements outside of [min, max].
struct quantize_and_dequantize_v4_op : detail::quantize_form {
  static constexpr std::string_view name = "QuantizeAndDequantizeV4";
  template <class T> gradients_of<T, 3> gradient(out<T> x, out<T> min, out<T> max, out<T>, out<T> dy) const {
    const auto [dx, dmin, dmax] = apply(quantize_and_dequantize_v4_grad_op{axis}, dy, x, min, max);
    return {{dx, dmin, dmax}};
  }
};

// Quantizes x to integers and converts these back. Without min and max, the range is that of x, and the gradient passes
// unchanged. With them, elements outside of [min, max] become its ends, and have no gradient. min and max are scalars, or vectors
// with one element per slice of options.axis.
template <class T> out<T> quantize_and_dequantize(const out<T>& x, const quantize_options& options = {}, site s = {}) {
  const out<T> zero = detail::constant_beside(x, tensor<T>(T(0)));
  return apply(quantize_and_dequantize_v2_op{{{options, false}}}, x, zero, zero, s);
}
template <class T>
out<T> quantize_and_dequantize(const out<T>& x, const std::type_identity_t<out<T>>& min, const std::type_identity_t<out<T>>& max,
                               const quantize_options& options = {}, site s = {}) {
  return apply(quantize_and_dequantize_v4_op{{{options, true}}}, x, min, max, s);
}

using quantize_and_dequantize_ops =
    type_list<quantize_and_dequantize_op, quantize_and_dequantize_v2_op, quantize_and_dequantize_v3_op,
              quantize_and_dequantize_v4_op, quantize_and_dequantize_v4_grad_op>;

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/quantize/detail/quantize_and_dequantize.hpp>
#endif
