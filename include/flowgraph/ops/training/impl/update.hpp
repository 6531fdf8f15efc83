#pragma once

#include <flowgraph/ops/training/detail/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A variable that is declared a scalar may be one whose shape nobody knew: the kernel looks at what it holds.
FLOWGRAPH_COLD FLOWGRAPH_INLINE flowgraph::shape detail::updated_shape(shape_context& c, update_layout layout,
                                                                       std::initializer_list<const flowgraph::shape*> inputs) {
  const flowgraph::shape* const* in = inputs.begin();
  const std::size_t at = layout.variables + layout.before, rest = at + 1 + (layout.is_sparse ? 1 : 0);
  for (std::size_t i = layout.variables; i < inputs.size(); ++i)
    if ((i < at || i >= rest) && in[i]->rank > 0)
      return c.fail("expected scalars for the learning rate and the other coefficients");
  flowgraph::shape common = shape::unknown();
  for (std::size_t i = 0; i < layout.variables; ++i) {
    if (in[i]->rank == 0) continue;
    if (!fits(*in[i], common)) return c.fail("expected variables of one shape");
    common = merged(*in[i], common);
  }
  const flowgraph::shape& gradient = *in[at];
  if (!layout.is_sparse)
    return fits(common, gradient) ? merged(common, gradient)
                                  : c.fail(message{"expected a gradient of the variable's shape ", common});
  const flowgraph::shape& indices = *in[at + 1];
  if (indices.has_rank() && indices.rank != 1) return c.fail("expected a vector of indices");
  if (common.rank < 1 || gradient.rank < 1) return common;
  flowgraph::shape rows = common;
  rows[0] = indices.has_rank() ? indices[0] : -1;
  return fits(gradient, rows) ? common : c.fail(message{"expected a gradient with a row of the variable for each index: ", rows});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE void detail::refuse_update(cpu ctx, const char* why) {
  ctx.fail(error_code::invalid_argument, why);
}

namespace detail {

// Says what is wrong with the gradient of a variable of that shape.
FLOWGRAPH_COLD inline void fail_gradient(cpu ctx, const update_call& call, const shape& variable) {
  if (call.is_sparse)
    return ctx.fail(message{"the gradient must have a row of the variable for each index; found gradient ", *call.gradient,
                            ", indices ", call.rows.shape(), ", variable ", variable});
  ctx.fail(message{"the gradient must have the variable's shape ", variable, ", found ", *call.gradient});
}

inline bool is_gradient_of(const update_call& call, const shape& variable) {
  const shape& g = *call.gradient;
  if (!call.is_sparse) return g == variable;
  bool right = call.rows.rank() == 1 && variable.rank >= 1 && g.rank == variable.rank &&
               g[0] == static_cast<std::int64_t>(call.rows.size());
  for (int i = 1; right && i < variable.rank; ++i) right = g[i] == variable[i];
  return right;
}

}  // namespace detail

// TensorFlow's codes: a reference without a value is not ready, a handle without one is broken.
FLOWGRAPH_INLINE bool detail::begin_update(cpu ctx, const update_call& call, dtype type, void** elements) {
  const error_code without_value = call.is_handle ? error_code::internal : error_code::failed_precondition;
  for (std::size_t i = 0; i < call.variables.size(); ++i)
    if (!check_variable(ctx, *call.variables[i], type, i, without_value)) return false;
  const shape& first = call.variables[0]->value().shape();
  for (variable_state* v : call.variables) {
    if (v->value().shape() == first) continue;
    return detail::fail_check(
        ctx, message{"the variables of an update must have one shape, found ", first, " and ", v->value().shape()});
  }
  for (std::size_t i = 0; i < call.scalars.size(); ++i) {
    if (call.scalars[i]->rank == 0) continue;
    return detail::fail_check(ctx, message{call.names[i], " must be a scalar, found shape ", *call.scalars[i]});
  }
  if (!is_gradient_of(call, first)) {
    fail_gradient(ctx, call, first);
    return false;
  }
  if (call.wants_columns && product_of(first, 1, first.rank) == 0)
    return detail::fail_check(ctx, message{"a variable of shape ", first, " has no columns to update"});

  for (std::int64_t i = 0; std::cmp_less(i, call.rows.size()); ++i) {
    const std::int64_t row = call.rows[i];
    if (row >= 0 && row < first[0]) continue;
    fail_row(ctx, call.rows.shape(), i, row, first[0]);
    return false;
  }
  for (std::size_t i = 0; i < call.variables.size(); ++i) {
    auto own = call.variables[i]->own(true);
    if (!own) {
      ctx.fail(own.error());
      return false;
    }
    elements[i] = (*own)->data();
  }
  return true;
}

}  // namespace flowgraph
