#pragma once

#include <flowgraph/ops/array/constant.hpp>

#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void const_op::operator()(cpu ctx, unsized<T> y) const {
  if (value.type() != dtype_of<T>) {
    return ctx.fail(message{"expected a value of type ", name_of(dtype_of<T>), ", found ", name_of(value.type())});
  }
  y.share(value);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool detail::are_extents(const any_out& beside, const flowgraph::shape& extents,
                                                                const site& s) {
  graph_state* const g = graph_of_inputs({&beside, 1}, const_op::name, s);
  if (!g) return false;
  const auto refuse = [&](const message& why) {
    refuse_construction(*g, invalid_argument(why).at(s.name, const_op::name, s.location));
    return false;
  };
  if (!extents.has_rank()) return refuse({"expected a list of at most ", shape::max_rank, " extents"});
  for (const std::int64_t n : extents)
    if (!std::in_range<std::int32_t>(n)) return refuse({"the extent ", n, " is not in the range of int32"});
  return true;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE out<std::int32_t> detail::shape_constant(const any_out& beside,
                                                                                const flowgraph::shape& extents, const site& s) {
  if (!are_extents(beside, extents, s)) return {};
  tensor<std::int32_t> values(flowgraph::shape{extents.rank});
  for (int i = 0; i < extents.rank; ++i) values.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(extents[i]);
  return constant_beside(beside, values, s);
}

FLOWGRAPH_KERNEL_INLINE const any_tensor* detail::constant_value(const any_out& handle) {
  if (!handle.source || handle.source->is_poison() || !handle.source->op->description->constant) return nullptr;
  return handle.source->op->description->constant(handle.source->attributes);
}

}  // namespace flowgraph
