#pragma once
// Cumulative sums and products along an axis.
//
//     [a, b, c]   inclusive           [a, a+b, a+b+c]      exclusive           [0, a, a+b]
//                 reverse             [a+b+c, b+c, c]      exclusive, reverse  [b+c, c, 0]

#include <flowgraph/ops/math/power.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

enum class scan_function : std::uint8_t { sum, product, log_sum_exp };

shape scan_shape(shape_context& c, const shape& x, const shape& axis);

template <class Numbers> using scan_types = type_attrs<type_attr<"T", Numbers>, type_attr<"Tidx", index_types>>;

template <class Op> struct scan {
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts base_facts{.in_place = true};
  bool exclusive = false;
  bool reverse = false;
  static constexpr auto attrs = flowgraph::attrs(attr("exclusive", &scan::exclusive), attr("reverse", &scan::reverse));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& axis) const {
    return scan_shape(c, x, axis);
  }
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> axis, view<T> y) const;
};

}  // namespace detail

// Cumulative sum along an axis: each element becomes the sum of the elements before it, including the element itself unless
// `exclusive` is set.
struct cumsum_op : detail::scan<cumsum_op> {
  static constexpr std::string_view name = "Cumsum";
  static constexpr auto function = detail::scan_function::sum;
  using types = detail::scan_types<numbers>;
  template <class T, class I> gradients_of<T, 2> gradient(out<T>, out<I> axis, out<T>, out<T> dy) const {
    return {{apply(cumsum_op{{exclusive, !reverse}}, dy, axis), none}};
  }
};

// Cumulative product along an axis. The gradient of an element that is 0 is 0, as in TensorFlow.
struct cumprod_op : detail::scan<cumprod_op> {
  static constexpr std::string_view name = "Cumprod";
  static constexpr auto function = detail::scan_function::product;
  using types = detail::scan_types<numbers>;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> axis, out<T> y, out<T> dy) const {
    if constexpr (is_differentiable(dtype_of<T>))
      return {{div_no_nan(apply(cumsum_op{{exclusive, !reverse}}, y * dy, axis), x), none}};
    else return {{none, none}};
  }
};

// Cumulative log(exp(a) + exp(b) + ...) along an axis, computed without large exponentials.
struct cumulative_logsumexp_op : detail::scan<cumulative_logsumexp_op> {
  static constexpr std::string_view name = "CumulativeLogsumexp";
  static constexpr auto function = detail::scan_function::log_sum_exp;
  using types = detail::scan_types<floating>;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> axis, out<T> y, out<T> dy) const {
    // The positive and the negative part of the gradient are computed separately, since each has a logarithm.
    const out<T> lowest = detail::scalar_beside(dy, detail::least_finite<T>());
    const auto part = [&](const out<T>& part_of_dy) {
      const out<T> log_part = select(greater(part_of_dy, T(0)), log(part_of_dy), lowest);
      return exp(apply(cumulative_logsumexp_op{{exclusive, !reverse}}, log_part - y, axis) + x);
    };
    return {{part(dy) - part(-dy), none}};
  }
};

template <class T> out<T> cumsum(const out<T>& x, int axis = 0, bool exclusive = false, bool reverse = false, site s = {}) {
  const out<std::int32_t> at = detail::constant_beside(x, tensor<std::int32_t>(axis), detail::part_of(s, "Cumsum/axis"));
  return apply(cumsum_op{{exclusive, reverse}}, x, at, s);
}
template <class T> out<T> cumprod(const out<T>& x, int axis = 0, bool exclusive = false, bool reverse = false, site s = {}) {
  const out<std::int32_t> at = detail::constant_beside(x, tensor<std::int32_t>(axis), detail::part_of(s, "Cumprod/axis"));
  return apply(cumprod_op{{exclusive, reverse}}, x, at, s);
}
template <class T>
out<T> cumulative_logsumexp(const out<T>& x, int axis = 0, bool exclusive = false, bool reverse = false, site s = {}) {
  const site part = detail::part_of(s, "CumulativeLogsumexp/axis");
  const out<std::int32_t> at = detail::constant_beside(x, tensor<std::int32_t>(axis), part);
  return apply(cumulative_logsumexp_op{{exclusive, reverse}}, x, at, s);
}

using scan_ops = type_list<cumsum_op, cumprod_op, cumulative_logsumexp_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/reduction/detail/scan.hpp>
#endif
