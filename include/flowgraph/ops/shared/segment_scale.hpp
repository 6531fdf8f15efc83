#pragma once

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The number by which the sum of a segment's rows is divided.
enum class segment_scale : std::uint8_t { none, count, root_of_count };

}  // namespace flowgraph::detail
