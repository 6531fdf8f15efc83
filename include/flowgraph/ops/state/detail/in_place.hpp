#pragma once

#include <flowgraph/ops/array/detail/index_vectors.hpp>
#include <flowgraph/ops/state/in_place.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::changed_rows_shape(shape_context& c, const shape& x, const shape& i,
                                                                        const shape& v) {
  if (i.has_rank() && i.rank != 1) return c.fail("i must be a vector");
  if (x.rank == 0 || v.rank == 0) return c.fail("x and v must have at least one axis");
  if (!x.has_rank()) return x;
  shape expected = x;
  expected[0] = i.has_rank() ? i[0] : -1;
  return fits(v, expected) ? x : c.fail(message{"expected v of shape ", expected});
}

template <class F, class Types>
template <class T>
void detail::in_place_rows<F, Types>::operator()(cpu ctx, view<const T> x, view<const std::int32_t> i, view<const T> v,
                                                 view<T> y) const {
  const auto size = static_cast<std::int64_t>(y.size());
  if (size == 0) return;
  copy_rows(ctx, layout_of<T>, x.data(), size, y.data(), size, 1, size);
  const std::int64_t rows = x.dim(0), width = size / rows;
  for (std::size_t k = 0; k < i.size(); ++k) {
    const std::int64_t row = (i[k] % rows + rows) % rows;
    const T* from = v.data() + static_cast<std::int64_t>(k) * width;
    if constexpr (std::is_same_v<F, replaced>) copy_elements(layout_of<T>, from, y.data() + row * width, width);
    else change_row<F>(y.data() + row * width, from, width);
  }
}

}  // namespace flowgraph
