#pragma once

#include <flowgraph/ops/quantize/quantize_and_dequantize.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::int64_t dequantized_per_block = 1 << 13;

// ---- shapes

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool is_bit_count(std::int64_t bits, bool is_signed) {
  return bits > 0 && bits < (is_signed ? 62 : 63);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::string bit_count_message(std::int64_t bits, bool is_signed) {
  return message{"num_bits must be in [1, ", is_signed ? 62 : 63, "), found ", bits};
}

// Whether x has this axis. -1 is none.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool has_quantized_axis(shape_context& c, std::int64_t axis, const shape& x) {
  if (axis >= -1 && (axis == -1 || !x.has_rank() || axis < x.rank)) return true;
  return fail_check(c, message{"axis must be -1 or in [0, ", x.has_rank() ? x.rank : shape::max_rank, "), found ", axis});
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool is_quantized_range(shape_context& c, std::int64_t axis, const shape& x,
                                                               const shape& min, const shape& max) {
  const shape expected = axis == -1 ? shape{} : shape{x.has_rank() ? x[static_cast<int>(axis)] : -1};
  if (fits(min, expected) && fits(max, expected)) return true;
  c.fail(axis == -1 ? "min and max must be scalars" : "min and max must be vectors with one element per slice of the axis");
  return false;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape quantized_shape(shape_context& c, const quantize_attributes& a, const shape& x,
                                                             const shape& min, const shape& max) {
  if (!is_bit_count(a.num_bits, a.signed_input)) return c.fail(bit_count_message(a.num_bits, a.signed_input));
  if (!has_quantized_axis(c, a.axis, x) || (a.range_given && !is_quantized_range(c, a.axis, x, min, max))) return {};
  return x;
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape quantized_v1_shape(shape_context& c, const quantize_v1_attributes& a,
                                                                const shape& x) {
  if (!is_bit_count(a.num_bits, a.signed_input)) return c.fail(bit_count_message(a.num_bits, a.signed_input));
  if (a.range_given && !(a.input_min <= a.input_max)) return c.fail("input_min must not be greater than input_max");
  return x;
}
// As in TensorFlow, a scalar is refused, and the range may be a vector of one element.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape quantized_v3_shape(shape_context& c, const quantize_v3_attributes& a, const shape& x,
                                                                const shape& min, const shape& max, const shape& bits) {
  if (x.rank == 0) return c.fail("expected at least one axis");
  if (!fits(bits, {})) return c.fail("num_bits must be a scalar");
  if (!has_quantized_axis(c, a.axis, x)) return {};
  const auto is_one = [](const shape& s) { return fits(s, {}) || fits(s, {1}); };
  if (!a.range_given || (a.axis == -1 && is_one(min) && is_one(max))) return x;
  return is_quantized_range(c, a.axis, x, min, max) ? x : shape();
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::array<shape, 3> quantized_gradient_shape(shape_context& c, std::int64_t axis,
                                                                                     const shape& dy, const shape& x,
                                                                                     const shape& min, const shape& max) {
  if (!fits(dy, x)) c.fail("expected gradients and inputs of the same shape");
  if (c.failed()) return {};
  const shape dx = merged(dy, x);
  if (!has_quantized_axis(c, axis, dx) || !is_quantized_range(c, axis, dx, min, max)) return {};
  const shape range = axis == -1 ? shape{} : shape{dx.has_rank() ? dx[static_cast<int>(axis)] : -1};
  return {dx, merged(range, min), merged(range, max)};
}

// ---- numbers

// x as slices of an axis: [outer, count, inner].
struct quantized_slices {
  std::int64_t outer = 1, count = 1, inner = 1;

  quantized_slices(const shape& x, std::int64_t axis) {
    for (int i = 0; i < x.rank; ++i) (axis < 0 || i > axis ? inner : i < axis ? outer : count) *= x[i];
  }
  // Calls f(index of the slice, first, last) for each run of elements in [first, last) that belong to one slice.
  template <class F> void for_each_run(std::int64_t first, std::int64_t last, const F& f) const {
    while (first < last) {
      const std::int64_t end = std::min(last, (first / inner + 1) * inner);
      f(first / inner % count, first, end);
      first = end;
    }
  }
};

// The smallest and the largest element of each block; for few elements per slice, a slice's are in several blocks.
template <class T> struct extremes {
  T low = std::numeric_limits<T>::infinity(), high = -std::numeric_limits<T>::infinity();

  void add(T low_element, T high_element) {  // NaN is ignored
    if (low_element < low) low = low_element;
    if (high_element > high) high = high_element;
  }
};

// The integers, and the scale at which a range of numbers fits them.
template <class T> struct quantized_scale {
  T low, high, scale, inverse;

  quantized_scale(T min, T max, std::int64_t bits, bool is_signed, bool is_narrow) : low(min), high(max) {
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    const T first = static_cast<T>(is_signed ? (is_narrow ? 1 - half : -half) : 0);
    const T last = static_cast<T>(is_signed ? half - 1 : half + (half - 1));
    const T of_low = first * low > 0 ? first / low : std::numeric_limits<T>::max();
    const T of_high = last * high > 0 ? last / high : std::numeric_limits<T>::max();
    if (of_low < of_high) {
      scale = of_low;
      inverse = low / first;
      high = last * inverse;
    } else {
      scale = of_high;
      inverse = high / last;
      low = first * inverse;
    }
  }
  T operator()(T x, bool is_clamped, quantize_rounding mode) const {
    const T inside = is_clamped ? std::max(std::min(x, high), low) : x;  // NaN remains
    const T scaled = inside * scale;
    return (mode == quantize_rounding::half_up ? std::floor(scaled + T(0.5)) : std::nearbyint(scaled)) * inverse;
  }
};

// The scratch memory contains the extremes of each slice, or, of a single slice, of each block.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t quantized_scratch(const shape& x) {
  std::int64_t most = (x.size() + dequantized_per_block - 1) / dequantized_per_block;
  for (int i = 0; i < x.rank; ++i) most = std::max(most, x[i]);
  return static_cast<std::size_t>(most) * sizeof(extremes<double>);
}

// Replaces ranges[k] by the extremes of slice k.
template <class T> void find_extremes(cpu ctx, const quantized_slices& s, view<const T> x, extremes<T>* ranges) {
  if (s.count == 1 && s.outer == 1) {
    const auto size = static_cast<std::int64_t>(x.size());
    ctx.parallel_ranges(size, dequantized_per_block, [&](std::int64_t first, std::int64_t last) {
      extremes<T> found;
      for (std::int64_t i = first; i < last; ++i) found.add(x.data()[i], x.data()[i]);
      ranges[first / dequantized_per_block] = found;
    });
    for (std::int64_t i = 1; i * dequantized_per_block < size; ++i) ranges[0].add(ranges[i].low, ranges[i].high);
    return;
  }
  ctx.parallel_ranges(s.count, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      extremes<T> found;
      for (std::int64_t row = 0; row < s.outer; ++row) {
        const T* const from = x.data() + (row * s.count + k) * s.inner;
        for (std::int64_t i = 0; i < s.inner; ++i) found.add(from[i], from[i]);
      }
      ranges[k] = found;
    }
  });
}

template <class T>
void quantize_slices(cpu ctx, const quantize_attributes& a, view<const T> x, const T* min, const T* max, view<T> y) {
  if (x.size() == 0) return;
  const quantized_slices slices(x.shape(), a.axis);
  auto* const ranges = ctx.scratch<extremes<T>>();
  if (!a.range_given) find_extremes(ctx, slices, x, ranges);
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), dequantized_per_block, [&](std::int64_t first, std::int64_t last) {
    slices.for_each_run(first, last, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      const quantized_scale<T> scale(a.range_given ? min[k] : ranges[k].low, a.range_given ? max[k] : ranges[k].high, a.num_bits,
                                     a.signed_input, a.narrow_range);
      for (std::int64_t i = from; i < to; ++i) y.data()[i] = scale(x.data()[i], a.range_given, a.round_mode);
    });
  });
}

// Reports a single range whose ends are in the wrong order.
template <class T> bool check_range(cpu ctx, const quantize_attributes& a, T min, T max) {
  if (!a.range_given || a.axis != -1 || min <= max) return true;
  return fail_check(ctx, message{"expected a range whose minimum is not greater than its maximum, found ",
                                 to_string(attribute_value(static_cast<float>(min))), " and ",
                                 to_string(attribute_value(static_cast<float>(max)))});
}

template <class T>
void quantize_form::operator()(cpu ctx, view<const T> x, view<const T> min, view<const T> max, view<T> y) const {
  if (range_given && axis == -1 && !check_range(ctx, *this, min[0], max[0])) return;
  quantize_slices(ctx, *this, x, min.data(), max.data(), y);
}

}  // namespace detail

template <class T> void quantize_and_dequantize_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  const T low = static_cast<T>(input_min), high = static_cast<T>(input_max);
  const quantize_options options{.num_bits = num_bits, .signed_input = signed_input};
  detail::quantize_slices(ctx, {options, range_given}, x, &low, &high, y);
}

template <class T>
void quantize_and_dequantize_v3_op::operator()(cpu ctx, view<const T> x, view<const T> min, view<const T> max,
                                               view<const std::int32_t> num_bits, view<T> y) const {
  const std::int64_t bits = num_bits.scalar();
  if (!detail::is_bit_count(bits, signed_input))
    return ctx.fail(error_code::invalid_argument, detail::bit_count_message(bits, signed_input));
  const quantize_options options{.num_bits = bits, .signed_input = signed_input, .narrow_range = narrow_range, .axis = axis};
  const detail::quantize_attributes a{options, range_given};
  if (range_given && axis == -1 && !detail::check_range(ctx, a, min[0], max[0])) return;
  detail::quantize_slices(ctx, a, x, min.data(), max.data(), y);
}

template <class T>
void quantize_and_dequantize_v4_grad_op::operator()(cpu ctx, view<const T> dy, view<const T> x, view<const T> min,
                                                    view<const T> max, view<T> dx, view<T> dmin, view<T> dmax) const {
  std::fill(dmin.begin(), dmin.end(), T(0));
  std::fill(dmax.begin(), dmax.end(), T(0));
  if (x.size() == 0) return;
  const detail::quantized_slices slices(x.shape(), axis);
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), detail::dequantized_per_block,
                      [&](std::int64_t first, std::int64_t last) {
                        slices.for_each_run(first, last, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
                          const T low = min.data()[k], high = max.data()[k];
                          for (std::int64_t i = from; i < to; ++i) {
                            const T element = x.data()[i];
                            dx.data()[i] = dy.data()[i] * (element >= low && element <= high ? T(1) : T(0));
                          }
                        });
                      });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
