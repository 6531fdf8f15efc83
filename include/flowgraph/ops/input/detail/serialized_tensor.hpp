#pragma once

#include <flowgraph/ops/input/serialized_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Sets output 0 to the tensor in input 0.
FLOWGRAPH_KERNEL_INLINE void parse_serialized(cpu ctx, const std::string& serialized, dtype type) {
  auto result = parse_tensor(serialized, ctx.memory());
  if (!result) return ctx.fail(result.error());
  if (result->type() != type)
    return ctx.fail(message{"expected a tensor of ", name_of(type), ", found one of ", name_of(result->type()), result->shape()});
  ctx.set_output(0, *std::move(result));
}

}  // namespace detail

template <class T> void parse_tensor_op::operator()(cpu ctx, view<const std::string> serialized, unsized<T>) const {
  detail::parse_serialized(ctx, serialized.scalar(), dtype_of<T>);
}
template <class T> void serialize_tensor_op::operator()(cpu ctx, view<const T>, view<std::string> serialized) const {
  serialized.scalar() = serialize_tensor(ctx.input(0));
}

}  // namespace flowgraph
