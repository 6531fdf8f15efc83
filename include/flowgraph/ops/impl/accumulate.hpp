#pragma once

#include <flowgraph/ops/accumulate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE std::int64_t detail::known_rows(const any_slices& slices) {
  const any_out& extents = slices.dense_shape;
  if (const any_tensor* value = constant_value(extents); value && value->type() == dtype::int64 && value->size() > 0)
    return value->as<std::int64_t>()[0];
  if (extents.source->is_poison() || extents.source->op->name != shape_op::name) return -1;
  const edge& of = extents.source->inputs[0];
  const shape& s = of.from->outputs[of.port].shape;
  return s.rank > 0 ? s[0] : -1;
}

// A constant where the shape is known and small; otherwise made when the loss is.
FLOWGRAPH_INLINE any_grad detail::ones_like_loss(any_out loss) {
  constexpr std::int64_t few = 1024;
  return visit_type(
      loss.type(),
      [&]<class T>() -> any_grad {
        if constexpr (is_differentiable(dtype_of<T>)) {
          const out<T> y{loss.source, loss.port};
          const shape s = y.shape();
          if (!s.is_known() || s.size() > few) return ones_like(y);
          tensor<T> ones(s);
          for (T& e : ones.writable()) e = T(1);
          return constant_beside(y, ones);
        } else {
          return none;
        }
      },
      []() -> any_grad { return none; });
}

}  // namespace flowgraph
