#pragma once

#include <flowgraph/graph/handle.hpp>

#include <span>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Where gradients begin and end.
struct gradient_options {
  std::span<const any_grad> starts = {};  // gradients of the losses themselves; ones when empty (the erased form wants them)
  std::span<const any_out> stop = {};     // treated as constants
  bool allow_none = false;                // a handle that the loss does not depend on gets `none` instead of an error
  std::string_view caller = "gradients";  // the function that errors name: one that builds on gradients says its own name
  any_out named_loss = {};  // the loss that errors name, where such a function makes the loss of it; empty: the loss
};

}
}  // namespace flowgraph
