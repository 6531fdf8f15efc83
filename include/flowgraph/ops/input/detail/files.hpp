#pragma once

#include <flowgraph/ops/input/files.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns whether a name matches a pattern without '/'.
bool matches(std::string_view pattern, std::string_view name);
// Returns the files that match, in no particular order. Folders count as files. A pattern without matches gives an empty list.
std::vector<std::string> files_matching(const std::string& pattern);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/files.hpp>
#endif
