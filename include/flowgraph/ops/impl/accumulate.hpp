#pragma once

#include <flowgraph/ops/accumulate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE std::int64_t detail::known_rows(const any_slices& slices) {
  const any_out& extents = slices.dense_shape;
  if (const any_tensor* value = constant_value(extents); value && value->type() == dtype::int64 && value->size() > 0)
    return value->as<std::int64_t>()[0];
  if (extents.source->is_poison() || extents.source->op->name() != shape_op::name) return -1;
  const edge& of = extents.source->inputs[0];
  const shape& s = of.from->outputs[of.port].shape;
  return s.rank > 0 ? s[0] : -1;
}

}  // namespace flowgraph
