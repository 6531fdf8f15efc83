#pragma once

#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void const_op::operator()(cpu ctx, unsized<T> y) const {
  if (value.type() != dtype_of<T>) {
    return ctx.fail(message{"expected a value of type ", name_of(dtype_of<T>), ", found ", name_of(value.type())});
  }
  y.share(value);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE out<std::int32_t> detail::shape_constant(const any_out& beside,
                                                                                const flowgraph::shape& extents, const site& s) {
  tensor<std::int32_t> values(flowgraph::shape{extents.rank < 0 ? 0 : extents.rank});
  for (int i = 0; i < extents.rank; ++i) values.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(extents[i]);
  return constant_beside(beside, values, s);
}

FLOWGRAPH_KERNEL_INLINE const any_tensor* detail::constant_value(const any_out& handle) {
  if (!handle.source || handle.source->is_poison() || !handle.source->op->description->constant) return nullptr;
  return handle.source->op->description->constant(handle.source->attributes);
}

}  // namespace flowgraph
