#pragma once

#include <flowgraph/ops/control_flow/ref_select.hpp>
#include <flowgraph/ops/state/detail/variable_access.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::selected_shape(shape_context& c, const shape& index,
                                                                    std::span<const shape> references) {
  if (!fits(index, {})) return c.fail("the index must be a scalar");
  if (references.empty()) return c.fail("expected at least one reference");
  shape common = references[0];
  for (const shape& s : references.subspan(1)) {
    if (s.rank != common.rank) common = shape::unknown();
    for (int i = 0; i < common.rank; ++i)
      if (s[i] != common[i]) common[i] = -1;
  }
  return common;
}

template <class T>
void ref_select_op::operator()(cpu ctx, view<const std::int32_t> index, reference_list<T> references,
                               reference_out<T> chosen) const {
  const std::int32_t i = index.scalar();
  if (i < 0 || static_cast<std::size_t>(i) >= references.size())
    return ctx.fail(message{"the index must be in [0, ", references.size(), "), found ", i});
  for (std::size_t k = 0; k < references.size(); ++k)
    if (!ctx.read(references[k]).has_value()) return detail::fail_uninitialized(ctx, k + 1, error_code::failed_precondition);
  chosen.set(&references[static_cast<std::size_t>(i)]);
}

}  // namespace flowgraph
