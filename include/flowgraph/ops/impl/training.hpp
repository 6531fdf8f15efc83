#pragma once

#include <flowgraph/ops/detail/training.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A variable that is declared a scalar may be one whose shape nobody knew: the kernel looks at what it holds.
inline bool merge_variables(shape_context& c, std::initializer_list<const shape*> variables, shape& common) {
  for (const shape* v : variables) {
    if (v->rank == 0) continue;
    if (!fits(*v, common)) {
      c.fail("expected variables of one shape");
      return false;
    }
    common = merged(*v, common);
  }
  return true;
}

inline bool require_scalars(shape_context& c, std::initializer_list<const shape*> scalars) {
  for (const shape* s : scalars) {
    if (s->rank <= 0) continue;
    c.fail("expected scalars for rates and the like");
    return false;
  }
  return true;
}

}  // namespace detail

FLOWGRAPH_INLINE flowgraph::shape detail::updated_shape(shape_context& c,
                                                        std::initializer_list<const flowgraph::shape*> variables,
                                                        const flowgraph::shape& gradient,
                                                        std::initializer_list<const flowgraph::shape*> scalars) {
  if (!require_scalars(c, scalars)) return shape::unknown();
  flowgraph::shape common = shape::unknown();
  if (!merge_variables(c, variables, common)) return common;
  return fits(common, gradient) ? merged(common, gradient)
                                : c.fail(words{"expected a gradient of the variable's shape ", common});
}

FLOWGRAPH_INLINE flowgraph::shape detail::sparsely_updated_shape(shape_context& c,
                                                                 std::initializer_list<const flowgraph::shape*> variables,
                                                                 const flowgraph::shape& gradient,
                                                                 const flowgraph::shape& indices,
                                                                 std::initializer_list<const flowgraph::shape*> scalars) {
  if (!require_scalars(c, scalars)) return shape::unknown();
  if (indices.has_rank() && indices.rank != 1) return c.fail("expected a vector of indices");
  flowgraph::shape common = shape::unknown();
  if (!merge_variables(c, variables, common) || common.rank < 1 || gradient.rank < 1) return common;
  flowgraph::shape rows = common;
  rows[0] = indices.has_rank() ? indices[0] : -1;
  return fits(gradient, rows) ? common : c.fail(words{"expected a gradient with a row of the variable for each index: ", rows});
}

FLOWGRAPH_INLINE bool detail::check_training_shapes(cpu ctx, std::initializer_list<const shape*> variables,
                                                    std::initializer_list<named_scalar> scalars) {
  const shape& first = **variables.begin();
  for (const shape* v : variables) {
    if (*v == first) continue;
    ctx.fail(error_code::invalid_argument, words{"the variable has shape ", first, ", another one of the update ", *v});
    return false;
  }
  for (const named_scalar& s : scalars) {
    if (s.found->rank == 0) continue;
    ctx.fail(error_code::invalid_argument, words{s.name, " must be a scalar, found shape ", *s.found});
    return false;
  }
  return true;
}

FLOWGRAPH_INLINE bool detail::check_gradient_shape(cpu ctx, const shape& variable, const shape& gradient) {
  if (variable == gradient) return true;
  ctx.fail(error_code::invalid_argument, words{"the gradient must have the variable's shape ", variable, ", found ", gradient});
  return false;
}

FLOWGRAPH_INLINE bool detail::check_sparse_gradient(cpu ctx, const shape& variable, const shape& gradient, const shape& indices) {
  bool right = indices.rank == 1 && variable.rank >= 1 && gradient.rank == variable.rank && gradient[0] == indices[0];
  for (int i = 1; right && i < variable.rank; ++i) right = gradient[i] == variable[i];
  if (right) return true;
  ctx.fail(error_code::invalid_argument, words{"the gradient must have a row of the variable for each index; found gradient ",
                                                gradient, ", indices ", indices, ", variable ", variable});
  return false;
}

}  // namespace flowgraph
