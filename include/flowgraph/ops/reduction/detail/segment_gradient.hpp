#pragma once
// The gradients of reductions by segment. Segments without rows never divide by zero, for the sake of second derivatives.

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/segment.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns a count as a divisor.
template <class T> out<T> at_least_one(const out<std::int32_t>& count) { return cast<T>(maximum(count, 1)); }

template <class T, class I>
out<T> segment_extreme_gradient(const out<T>& data, const out<I>& ids, const out<T>& y, const out<T>& dy) {
  const out<bool> chosen = equal(data, gather(y, ids));
  const out<T> share = dy / at_least_one<T>(segment_sum(cast<std::int32_t>(chosen), ids));
  return select(chosen, gather(share, ids), zeros_like(data));
}
template <class T, class I>
out<T> unsorted_segment_extreme_gradient(const out<T>& data, const out<I>& ids, const out<std::int64_t>& count, const out<T>& y,
                                         const out<T>& dy) {
  const out<bool> chosen = equal(data, gather_segments(y, data, ids));
  const out<T> share = dy / at_least_one<T>(unsorted_segment_sum(cast<std::int32_t>(chosen), ids, count));
  return select(chosen, gather_segments(share, data, ids), zeros_like(data));
}

// The product of the other rows of a segment. If one row is zero, only its gradient is not zero. If two are zero, all gradients
// are zero.
template <class T> struct product_parts {
  out<bool> is_zero;
  out<T> nonzero;

  explicit product_parts(const out<T>& data)
      : is_zero(equal(data, T(0))), nonzero(select(is_zero, scalar_beside(data, T(1)), data)) {}
  static out<T> kept(const out<std::int32_t>& zeros, const out<T>& dy) {
    return select(greater(zeros, 1), scalar_beside(dy, T(0)), dy);
  }
  out<T> times_others(const out<T>& dy, const out<T>& product, const out<T>& nonzero_product) const {
    return dy * conjugated(select(is_zero, nonzero_product, product / nonzero));
  }
};

template <class T, class I>
out<T> segment_product_gradient(const out<T>& data, const out<I>& ids, const out<T>& y, const out<T>& dy) {
  const product_parts<T> parts(data);
  const out<T> kept = parts.kept(segment_sum(cast<std::int32_t>(parts.is_zero), ids), dy);
  return parts.times_others(gather(kept, ids), gather(y, ids), gather(segment_prod(parts.nonzero, ids), ids));
}
template <class T, class I>
out<T> unsorted_segment_product_gradient(const out<T>& data, const out<I>& ids, const out<std::int64_t>& count, const out<T>& y,
                                         const out<T>& dy) {
  const product_parts<T> parts(data);
  const out<T> kept = parts.kept(unsorted_segment_sum(cast<std::int32_t>(parts.is_zero), ids, count), dy);
  const out<T> others = apply(unsorted_segment_prod_op{}, parts.nonzero, ids, count);
  return parts.times_others(gather_segments(kept, data, ids), gather_segments(y, data, ids), gather_segments(others, data, ids));
}

}  // namespace detail

template <class T, class I> gradients_of<T, 2> segment_mean_op::gradient(out<T> data, out<I> ids, out<T>, out<T> dy) const {
  const out<std::int32_t> ones = ones_like(slice(shape_of(data), {1}, {-1})), rows = shape_of(ids);
  const out<std::int32_t> counted = fill(concat({rows, ones}, 0), detail::scalar_beside(data, std::int32_t{1}));
  return {{gather(dy / detail::at_least_one<T>(segment_sum(counted, ids)), ids), none}};
}

}  // namespace flowgraph
