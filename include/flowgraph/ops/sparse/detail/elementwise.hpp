#pragma once

#include <flowgraph/ops/shared/detail/number.hpp>
#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/elementwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The positions of the elements of a sparse tensor in a dense tensor that is broadcast to its shape. Along axis k, neighbours are
// steps[k] elements apart.
struct dense_places {
  places all;
  shape steps;

  std::int64_t operator[](std::int64_t i) const {
    std::int64_t at = 0;
    for (int k = 0; k < steps.rank; ++k) at += all[i][all.rank - steps.rank + k] * steps[k];
    return at;
  }
};
// Checks all places and extents.
dense_places find_in_dense(cpu ctx, view<const std::int64_t> indices, view<const std::int64_t> extents, const shape& dense);
FLOWGRAPH_COLD void refuse_zero(cpu ctx, std::int64_t row);

}  // namespace detail

template <class Op>
template <class T>
void sparse_dense_elementwise<Op>::operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values,
                                              view<const std::int64_t> extents, view<const T> dense, view<T> y) const {
  const detail::dense_places at = detail::find_in_dense(ctx, indices, extents, dense.shape());
  if (ctx.failed()) return;
  if constexpr (Op::refuses_zeros)
    for (std::int64_t i = 0; i < at.all.count; ++i)
      if (static_cast<detail::computed<T>>(dense[static_cast<std::size_t>(at[i])]) == 0) return detail::refuse_zero(ctx, i);
  ctx.parallel_ranges(at.all.count, detail::moved_per_block / 4, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const T a = values[static_cast<std::size_t>(i)], b = dense[static_cast<std::size_t>(at[i])];
      T& result = y[static_cast<std::size_t>(i)];
      if constexpr (detail::is_half<T>) {
        result = T(Op::compute(static_cast<float>(a), static_cast<float>(b)));
      } else {
        using number = typename detail::number<T>::type;
        result = detail::number<T>::value(Op::compute(number(a), number(b)));
      }
    }
  });
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/elementwise.hpp>
#endif
