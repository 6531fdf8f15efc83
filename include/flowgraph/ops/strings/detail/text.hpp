#pragma once

#include <flowgraph/ops/strings/text.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Takes parts of strings. The indices are tensors of either type.
void take_parts(cpu ctx, view<const std::string> input, const std::string& unit, view<std::string> output);

}  // namespace detail

template <class I>
void substr_op::operator()(cpu ctx, view<const std::string> input, view<const I>, view<const I>, view<std::string> output) const {
  detail::take_parts(ctx, input, unit, output);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/text.hpp>
#endif
