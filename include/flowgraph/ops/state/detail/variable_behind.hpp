#pragma once

#include <flowgraph/ops/state/detail/variable_access.hpp>
#include <flowgraph/ops/state/variable_behind.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void variable_of_handle_op::operator()(cpu ctx, view<const resource> handle, reference_out<T> y) const {
  const call_site* const n = ctx.at();
  variable_state* const v = detail::variable_of_handle(ctx, handle, n ? n->outputs[0].type : dtype_of<T>);
  if (v) y.set(v);
}

}  // namespace flowgraph
