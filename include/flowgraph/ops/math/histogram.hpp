#pragma once
// Counts of integers, and counts of numbers in ranges.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Counts how often each integer from 0 to size - 1 occurs in arr. If there are weights, the weights of the elements are added up
// instead. Larger integers are ignored, and negative integers are an error.
struct bincount_op {
  static constexpr std::string_view name = "Bincount";
  using types = type_list<std::int32_t, std::int64_t, float, double>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& arr, const flowgraph::shape& size,
                         const flowgraph::shape& weights) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int32_t> arr, view<const std::int32_t> size, view<const T> weights,
                  view<T> bins) const;
};

// Counts integers like Bincount, but in a vector or in each row of a matrix. If `binary_output` is set, returns only whether each
// integer occurs.
struct dense_bincount_op {
  static constexpr std::string_view name = "DenseBincount";
  using types = type_attrs<type_attr<"Tidx", index_types>, type_attr<"T", type_list<std::int32_t, std::int64_t, float, double>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};
  bool binary_output = false;
  static constexpr auto attrs = flowgraph::attrs(attr("binary_output", &dense_bincount_op::binary_output));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& size,
                         const flowgraph::shape& weights) const;
  template <class I, class T>
  void operator()(cpu ctx, view<const I> x, view<const I> size, view<const T> weights, view<T> y) const;
};

// Divides a range into `nbins` bins of equal width and counts the values in each bin. Values outside the range are counted in the
// first or the last bin.
struct histogram_fixed_width_op {
  static constexpr std::string_view name = "HistogramFixedWidth";
  using types = type_attrs<type_attr<"T", type_list<std::int32_t, std::int64_t, float, double>>, type_attr<"dtype", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& values, const flowgraph::shape& range,
                         const flowgraph::shape& bins) const;
  template <class T, class N>
  void operator()(cpu ctx, view<const T> values, view<const T> range, view<const std::int32_t> bins, view<N> y) const;
};

template <class T>
out<T> bincount(const out<std::int32_t>& arr, const out<std::int32_t>& size, const out<T>& weights, site s = {}) {
  return apply(bincount_op{}, arr, size, weights, s);
}
template <class N = std::int32_t, class T>
out<N> histogram_fixed_width(const out<T>& values, const out<T>& range, const out<std::int32_t>& bins, site s = {}) {
  return apply_as<T, N>(s, histogram_fixed_width_op{}, values, range, bins);
}

using histogram_ops = type_list<bincount_op, dense_bincount_op, histogram_fixed_width_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/histogram.hpp>
#endif
