#pragma once

#include <flowgraph/config.hpp>

#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace detail {

// What the sum of a segment's rows is divided by.
enum class segment_scale : std::uint8_t { none, count, root_of_count };

}
}
}  // namespace flowgraph::detail
