#pragma once

#include <flowgraph/ops/input/files.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace detail {

// Whether a name is what a pattern without '/' stands for.
bool matches(std::string_view pattern, std::string_view name);
// The files that match, in no order; folders are files too. A pattern that nothing can match finds none.
std::vector<std::string> files_matching(const std::string& pattern);

}
}
}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/files.hpp>
#endif
