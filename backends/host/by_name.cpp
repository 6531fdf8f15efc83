// Registers every standard op by name. The sources tables_<n>.cpp, which CMake writes, contain the tables.

#include <flowgraph/ops/impl/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

result<void> detail::needs_the_target_flowgraph_by_name(registry& r) { return add_parts(r, standard_parts{}); }

}  // namespace flowgraph
