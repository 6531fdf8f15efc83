#pragma once
// The gradients of TopK and NthElement.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Moves the gradient of each of the largest elements to its place in x. A row of x begins at the end of the previous row.
template <class T, class I> out<T> largest_gradient(const out<T>& x, const out<I>& indices, const out<T>& dvalues) {
  const auto number = [&](std::int64_t n) { return constant_beside(x, tensor<std::int64_t>(n)); };
  out<std::int64_t> places = cast<std::int64_t>(indices);
  if (x.shape().rank != 1) {
    const out<std::int64_t> extents = shape_of<std::int64_t>(x);
    const out<std::int32_t> last = rank_of(x) - 1;
    const out<std::int32_t> rest = reshape(last, {1});
    const out<std::int64_t> leading = slice(extents, shape_constant(x, {0}, {}), rest);
    const out<std::int64_t> rows = range(number(0), prod(leading, 0), number(1)) * gather(extents, last, 0);
    places = places + reshape(rows, concat({leading, reshape(number(1), {1})}, 0));
  }
  return reshape_like(unsorted_segment_sum(dvalues, places, size_of<std::int64_t>(x)), x);
}

// Divides the gradient among all elements that are equal to the found element.
template <class T> out<T> nth_gradient(const out<T>& x, const out<T>& y, const out<T>& dy) {
  const out<T> found = cast<T>(equal(x, expand_dims(y, -1)));
  return found / sum(found, -1, true) * expand_dims(dy, -1);
}

}  // namespace flowgraph::detail
