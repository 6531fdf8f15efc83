#pragma once

#include <flowgraph/ops/math/detail/comparison.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class Unit>
void select_row(const bool* condition, const Unit* a, const Unit* b, Unit* y, std::int64_t n, const std::int64_t (&steps)[3]) {
  if (steps[0] == 0) {
    const Unit* chosen = *condition ? a : b;
    const std::int64_t step = *condition ? steps[1] : steps[2];
    for (std::int64_t i = 0; i < n; ++i) y[i] = chosen[i * step];
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = condition[i] ? a[i * steps[1]] : b[i * steps[2]];
  }
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::run_select(cpu ctx, element_layout e, view<const bool> condition, const void* a,
                                         const shape& a_shape, const void* b, const shape& b_shape, void* y,
                                         const shape& y_shape) {
  if (y_shape.size() == 0) return;
  const shape* const shapes[] = {&condition.shape(), &a_shape, &b_shape};
  const broadcast_plan plan = plan_broadcast(y_shape, shapes);
  const std::int64_t steps[3] = {plan.row_step(0), plan.row_step(1), plan.row_step(2)};
  visit_layout(e, [&]<class Unit>() {
    for_each_row(ctx, plan, [&](const broadcast_row& at) {
      select_row(condition.data() + at.operands[0], static_cast<const Unit*>(a) + at.operands[1],
                 static_cast<const Unit*>(b) + at.operands[2], static_cast<Unit*>(y) + at.result, at.size, steps);
    });
  });
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape select_v2_op::shape(shape_context& c, const flowgraph::shape& condition,
                                                          const flowgraph::shape& a, const flowgraph::shape& b) const {
  flowgraph::shape choices = a, result;
  if (!(a == b) && !flowgraph::broadcast(a, b, choices)) return c.fail("incompatible shapes: expected ones that broadcast");
  return detail::broadcast_shape(c, condition, choices);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape select_op::shape(shape_context& c, const flowgraph::shape& condition,
                                                       const flowgraph::shape& a, const flowgraph::shape& b) const {
  if (!fits(a, b)) return c.fail("expected two tensors of one shape to choose from");
  const flowgraph::shape result = merged(a, b);
  if (!result.has_rank() || !condition.has_rank() || condition.rank == 0) return result;
  if (condition.rank == 1 && result.rank > 1) {
    const bool fit = condition[0] < 0 || result[0] < 0 || condition[0] == result[0];
    return fit ? result : c.fail(message{"expected a condition for each of the ", result[0], " rows"});
  }
  return fits(condition, result) ? merged(result, condition)
                                 : c.fail("expected a condition of the tensors' shape, a scalar or a vector");
}

FLOWGRAPH_INLINE void logical_and_op::operator()(cpu ctx, view<const bool> a, view<const bool> b, view<bool> y) const {
  detail::run_comparison<functor::logical_and>(ctx, a, b, y);
}
FLOWGRAPH_INLINE void logical_or_op::operator()(cpu ctx, view<const bool> a, view<const bool> b, view<bool> y) const {
  detail::run_comparison<functor::logical_or>(ctx, a, b, y);
}
FLOWGRAPH_INLINE void logical_not_op::operator()(cpu, view<const bool> x, view<bool> y) const {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = !x[i];
}

}  // namespace flowgraph
