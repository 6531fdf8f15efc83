#pragma once

#include <flowgraph/ops/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE result<void> add_standard_ops(registry& r) { return add_ops<standard_ops>(r); }

}  // namespace flowgraph
