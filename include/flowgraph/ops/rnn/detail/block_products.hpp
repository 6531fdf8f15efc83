#pragma once
// The sizes and products of the ops that compute steps of recurrent networks.

#include <flowgraph/ops/shared/detail/product.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The sizes of a recurrent op for x {steps, batch, inputs}, or {batch, inputs} for one step, and a state {batch, units}.
struct block_sizes {
  static constexpr std::int64_t rows_per_chunk = 256, work_per_block = 1 << 12;
  std::int64_t steps, batch, inputs, units;

  block_sizes(const shape& x, const shape& state)
      : steps(x.rank == 3 ? x[0] : 1), batch(state[0]), inputs(x[-1]), units(state[1]) {}

  // The number of steps whose products of x are computed at once. Other products are computed for one step.
  std::int64_t chunk() const {
    return std::max<std::int64_t>(1, std::min(steps, rows_per_chunk / std::max<std::int64_t>(1, batch)));
  }
  std::int64_t rows_per_block() const { return std::max<std::int64_t>(1, work_per_block / std::max<std::int64_t>(1, units)); }
};

template <class T, class C>
void block_product(cpu ctx, const kernel::product_shape& p, const T* a, const T* b, C* c, std::byte* scratch) {
  if (p.m > 0 && p.n > 0) parallel_product(ctx, p, a, b, c, scratch);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
