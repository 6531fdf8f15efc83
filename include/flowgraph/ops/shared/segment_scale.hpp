#pragma once

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// What the sum of a segment's rows is divided by.
enum class segment_scale : std::uint8_t { none, count, root_of_count };

}  // namespace flowgraph::inline FLOWGRAPH_ABI::detail
