#pragma once

#include <flowgraph/ops/array/one_hot.hpp>
#include <flowgraph/ops/shared/detail/integers.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_KERNEL_INLINE void set_one_hot(cpu ctx, element_layout e, int axis, void* y, const shape& result) {
  const integer_list indices(ctx.input(0));
  fill_elements(ctx, e, ctx.input(3).data(), y, result.size());
  const std::int64_t depth = result[axis], inner = product_of(result, axis + 1, result.rank);
  visit_layout(e, [&]<class Unit>() {
    const Unit& on = *static_cast<const Unit*>(ctx.input(2).data());
    ctx.parallel_ranges(static_cast<std::int64_t>(indices.size()), moved_per_block, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t k = indices[static_cast<std::size_t>(i)];
        if (k >= 0 && k < depth) static_cast<Unit*>(y)[(i / inner * depth + k) * inner + i % inner] = on;
      }
    });
  });
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape one_hot_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                               const flowgraph::shape& depth, const flowgraph::shape& on,
                                                               const flowgraph::shape& off) const {
  using flowgraph::shape;
  if (depth.rank > 0 || on.rank > 0 || off.rank > 0) return c.fail("depth, on_value and off_value must be scalars");
  const shape extent = c.integers(1);
  if (extent.rank == 1 && extent[0] < 0) return c.fail(message{"depth must not be negative, found ", extent[0]});
  if (axis < -1) return c.fail(message{"axis must be -1 or more, found ", axis});
  if (!indices.has_rank()) return shape::unknown();
  if (axis > indices.rank) return c.fail(message{"axis must be in [-1, ", indices.rank, "], found ", axis});
  if (indices.rank == shape::max_rank) return c.fail(message{"expected at most ", shape::max_rank - 1, " axes"});
  const auto at = static_cast<int>(axis < 0 ? indices.rank : axis);
  shape result;
  for (int i = 0; i <= indices.rank; ++i) {
    if (i == at) result.push_back(extent.rank == 1 ? extent[0] : -1);
    if (i < indices.rank) result.push_back(indices[i]);
  }
  return result;
}

template <class T, class I>
void one_hot_op::operator()(cpu ctx, view<const I>, view<const std::int32_t>, view<const T>, view<const T>, view<T> y) const {
  detail::set_one_hot(ctx, detail::layout_of<T>, static_cast<int>(axis < 0 ? y.rank() - 1 : axis), y.data(), y.shape());
}

}  // namespace flowgraph
