#pragma once
// Definitions shared by 3-D convolution and 3-D pooling.

#include <flowgraph/ops/nn/window.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The order of the axes of a batch of volumes. CPU kernels support ndhwc.
enum class volume_format : std::uint8_t { ndhwc, ncdhw };
constexpr std::array<std::string_view, 2> attribute_names(volume_format) { return {"NDHWC", "NCDHW"}; }

}  // namespace flowgraph
