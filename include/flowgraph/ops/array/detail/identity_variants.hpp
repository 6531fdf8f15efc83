#pragma once

#include <flowgraph/ops/array/identity_variants.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list identity_n_op::shape(shape_context& c,
                                                                       std::span<const flowgraph::shape> x) const {
  if (kinds.empty() || x.size() != kinds.size())
    c.fail(message{"T must name the types of one or more inputs, found ", kinds.size(), " for ", x.size()});
  return shape_list(x.begin(), x.end());
}

// Copies inputs in memory that belongs to a plan and not to the tensor, because the plan will soon use it again.
FLOWGRAPH_KERNEL_INLINE void identity_n_op::operator()(cpu ctx, any_list x, any_output_list y) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].type() != kinds[i])
      return ctx.fail(message{"input ", i, " must be of type ", name_of(kinds[i]), ", found ", name_of(x[i].type())});
    if (x[i].owner() || x[i].size() == 0) {
      y.share(i, x[i]);
      continue;
    }
    auto copy = x[i].copy(ctx.memory());
    if (!copy) return ctx.fail(copy.error());
    y.share(i, *std::move(copy));
  }
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape ensure_shape_op::shape(shape_context& c, const flowgraph::shape& x) const {
  return fits(x, declared) ? merged(x, declared) : c.fail(message{"expected an input of shape ", declared});
}

}  // namespace flowgraph
