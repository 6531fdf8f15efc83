#pragma once

#include <flowgraph/ops/random/detail/draw.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/random/shuffle.hpp>

#include <limits>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Draws an order: each place takes one of the rows that are left, by a number of 32 bits.
FLOWGRAPH_KERNEL_INLINE void draw_order(philox source, std::int64_t* order, std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; ++i) order[i] = i;
  philox::block x{};
  for (std::int64_t i = 0; i + 1 < rows; ++i) {
    if (i % 4 == 0) x = source();
    std::swap(order[i], order[i + x[static_cast<std::size_t>(i % 4)] % static_cast<std::uint32_t>(rows - i)]);
  }
}

FLOWGRAPH_KERNEL_INLINE void shuffle_rows(cpu ctx, const random_seeds& seeds, element_layout e, const void* x, void* y,
                                          const shape& s) {
  const std::int64_t size = s.size(), rows = s.rank > 0 ? s[0] : 1;
  if (size <= 1 || rows <= 1) return copy_elements(e, x, y, size);
  if (rows > std::numeric_limits<std::uint32_t>::max()) return ctx.fail(message{"expected fewer than 2^32 rows, found ", rows});
  auto* order = ctx.scratch<std::int64_t>();
  draw_order(source_with(ctx, seeds, static_cast<std::uint64_t>(rows - 1 + 3) / 4), order, rows);
  const std::int64_t n = size / rows;
  ctx.parallel_ranges(rows, std::max<std::int64_t>(1, moved_per_block / n), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) copy_elements(e, element_at(e, x, order[i] * n), element_at(e, y, i * n), n);
  });
}

}  // namespace detail

template <class T> void random_shuffle_op::operator()(cpu ctx, view<const T> value, view<T> y) const {
  detail::shuffle_rows(ctx, *this, detail::layout_of<T>, value.data(), y.data(), value.shape());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
