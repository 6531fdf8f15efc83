#pragma once

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace detail {

// The number by which the sum of a segment's rows is divided.
enum class segment_scale : std::uint8_t { none, count, root_of_count };

}
}
}  // namespace flowgraph::detail
