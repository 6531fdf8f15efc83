#pragma once
// The largest elements of each row, tests for them, and the n-th element in order.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Shape rule: the rows of x are along its last axis, and `k` elements of each row are returned.
std::array<shape, 2> largest_shape(shape_context& c, const shape& x, std::int64_t k, std::size_t index_bytes);
std::array<shape, 2> largest_shape(shape_context& c, const shape& x, const shape& k, std::size_t index_bytes);
std::size_t ranking_scratch(const shape& x);
shape matched_rows(shape_context& c, const shape& predictions, const shape& targets);

// Gradients. Defined in detail/top_k_gradient.hpp.
template <class T, class I> out<T> largest_gradient(const out<T>& x, const out<I>& indices, const out<T>& dvalues);
template <class T> out<T> nth_gradient(const out<T>& x, const out<T>& y, const out<T>& dy);

}  // namespace detail

// Returns the k largest elements of each row and their indices. The elements are in descending order unless `sorted` is false.
// Equal elements are in the order of their indices; NaN is last.
struct top_k_v2_op {
  static constexpr std::string_view name = "TopKV2";
  using counts = type_list<std::int16_t, std::int32_t, std::int64_t>;
  using types = type_attrs<type_attr<"T", real_numbers>, type_attr<"Tk", counts>, type_attr<"index_type", counts>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  bool sorted = true;
  static constexpr auto attrs = flowgraph::attrs(attr("sorted", &top_k_v2_op::sorted));

  std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& k) const {
    return detail::largest_shape(c, x, k, 0);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&) const { return detail::ranking_scratch(x); }
  template <class T, class K, class I>
  void operator()(cpu ctx, view<const T> x, index_view<K> k, view<T> values, view<I> indices) const;
  template <class T, class K, class I>
  gradients_of<T, 2> gradient(out<T> x, out<K>, out<T>, out<I> indices, out<T> dvalues, out<I>) const {
    return {{detail::largest_gradient(x, indices, dvalues), none}};
  }
};

// Returns the k largest elements of each row and their indices, like TopKV2, but with k as an attribute.
struct top_k_op {
  static constexpr std::string_view name = "TopK";
  using types = real_numbers;
  std::int64_t k = 0;
  bool sorted = true;
  static constexpr auto attrs = flowgraph::attrs(required("k", &top_k_op::k), attr("sorted", &top_k_op::sorted));

  std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::largest_shape(c, x, k, sizeof(std::int32_t));
  }
  std::size_t scratch(const flowgraph::shape& x) const { return detail::ranking_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> values, view<std::int32_t> indices) const;
  template <class T> out<T> gradient(out<T> x, out<T>, out<std::int32_t> indices, out<T> dvalues, out<std::int32_t>) const {
    return detail::largest_gradient(x, indices, dvalues);
  }
};

// Returns whether the target of each row is among the k largest predictions of the row. This is so if fewer than k predictions
// are larger than that of the target, so that ties count as included. The result is false if the target is not a valid column or
// a prediction is not finite.
struct in_top_k_op {
  static constexpr std::string_view name = "InTopK";
  using types = index_types;
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t k = 0;
  static constexpr auto attrs = flowgraph::attrs(required("k", &in_top_k_op::k));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& predictions, const flowgraph::shape& targets) const {
    return detail::matched_rows(c, predictions, targets);
  }
  template <class T> void operator()(cpu ctx, view<const float> predictions, view<const T> targets, view<bool> y) const;
};

// Returns whether the target of each row is among the k largest predictions of the row, like InTopK, but with k as an input.
struct in_top_k_v2_op {
  static constexpr std::string_view name = "InTopKV2";
  using types = index_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& predictions, const flowgraph::shape& targets,
                         const flowgraph::shape& k) const {
    return fits(k, {}) ? detail::matched_rows(c, predictions, targets) : c.fail("k must be a scalar");
  }
  template <class T>
  void operator()(cpu ctx, view<const float> predictions, view<const T> targets, view<const T> k, view<bool> y) const;
};

// Returns the n-th element of each row in ascending order, or in descending order if `reverse` is set. n counts from 0.
struct nth_element_op {
  static constexpr std::string_view name = "NthElement";
  using types = real_numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  bool reverse = false;
  static constexpr auto attrs = flowgraph::attrs(attr("reverse", &nth_element_op::reverse));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& n) const;
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&) const { return detail::ranking_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const std::int32_t> n, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<std::int32_t>, out<T> y, out<T> dy) const {
    return {{detail::nth_gradient(x, y, dy), none}};
  }
};

// The results of `top_k`.
template <class T, class I = std::int32_t> struct largest {
  out<T> values;   // the largest elements of each row
  out<I> indices;  // their indices in the row
};
template <class I = std::int32_t, class T>
largest<T, I> top_k(const out<T>& x, const out<std::int32_t>& k, bool sorted = true, site s = {}) {
  const auto [values, indices] = apply_as<T, std::int32_t, I>(s, top_k_v2_op{sorted}, x, k);
  return {values, indices};
}
template <class T, class I>
out<bool> in_top_k(const out<float>& predictions, const out<I>& targets, const out<T>& k, site s = {}) {
  return apply(in_top_k_v2_op{}, predictions, targets, k, s);
}

using top_k_ops = type_list<top_k_op, top_k_v2_op, in_top_k_op, in_top_k_v2_op, nth_element_op>;

}  // namespace flowgraph

#include <flowgraph/ops/nn/detail/top_k_gradient.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/top_k.hpp>
#endif
