#pragma once

#include <flowgraph/ops/data_flow/optional.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/variant_value.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_KERNEL_INLINE const optional_value* find_optional(cpu ctx, view<const variant> v) {
  const auto* const found = v.scalar().as<optional_value>();
  if (!found) ctx.fail("expected an optional, found a variant of another kind");
  return found;
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void optional_from_value_op::operator()(cpu ctx, any_list components, view<variant> optional) const {
  auto* const result = new detail::optional_value(true, components.size());
  variant counted(result);
  for (std::size_t i = 0; i < components.size(); ++i) result->values[i] = detail::kept_value(ctx, components[i], ctx.memory());
  if (!ctx.failed()) optional.scalar() = std::move(counted);
}

FLOWGRAPH_KERNEL_INLINE void optional_none_op::operator()(cpu, view<variant> optional) const {
  optional.scalar() = variant(new detail::optional_value(false, 0));
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape optional_has_value_op::shape(shape_context& c,
                                                                          const flowgraph::shape& optional) const {
  return fits(optional, {}) ? flowgraph::shape{} : c.fail("the optional must be a scalar");
}
FLOWGRAPH_KERNEL_INLINE void optional_has_value_op::operator()(cpu ctx, view<const variant> optional,
                                                               view<bool> has_value) const {
  const detail::optional_value* const found = detail::find_optional(ctx, optional);
  has_value.scalar() = found && found->has_value;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list optional_get_value_op::shape(shape_context& c,
                                                                               const flowgraph::shape& optional) const {
  if (!fits(optional, {})) c.fail("the optional must be a scalar");
  if (kinds.size() != shapes.size())
    c.fail(message{"expected as many shapes as types, found ", shapes.size(), " and ", kinds.size()});
  if (kinds.size() != shapes.size()) return shape_list(kinds.size(), flowgraph::shape::unknown());
  return shapes;
}
FLOWGRAPH_KERNEL_INLINE void optional_get_value_op::operator()(cpu ctx, view<const variant> optional,
                                                               any_output_list components) const {
  const auto refuse = [&](const auto& why) { ctx.fail(error_code::invalid_argument, why); };
  const detail::optional_value* const found = detail::find_optional(ctx, optional);
  if (!found) return;
  if (!found->has_value) return refuse("the optional has no value");
  if (found->values.size() != kinds.size())
    return refuse(message{"the optional has ", found->values.size(), " tensors, expected ", kinds.size()});
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const any_tensor& value = found->values[i];
    if (value.type() != kinds[i] || !fits(value.shape(), shapes[i]))
      return refuse(message{"tensor ", i, " of the optional is ", name_of(value.type()), value.shape(), ", expected ",
                            name_of(kinds[i]), shapes[i]});
    // A variant may come from any device, and its tensors stay in the memory of this device.
    // Objects, such as strings, are always in the memory of the host.
    std::pmr::memory_resource* const holder = value.owner() ? value.owner()->memory() : nullptr;
    if (!is_plain(value.type()) || far_memory::from(holder) == far_memory::from(ctx.memory())) {
      components.share(i, value);
      continue;
    }
    auto copy = value.copy(ctx.memory());
    if (!copy) return ctx.fail(copy.error());
    components.share(i, *copy);
  }
}

}  // namespace flowgraph
