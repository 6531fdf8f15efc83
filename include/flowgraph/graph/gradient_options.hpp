#pragma once

#include <flowgraph/graph/handle.hpp>

#include <span>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Where gradients begin and end.
struct gradient_options {
  std::span<const any_grad> starts = {};      // gradients of the losses themselves; ones when empty (the erased form wants them)
  std::span<const any_out> stop = {};         // treated as constants
  bool allow_none = false;                    // a handle that the loss does not depend on gets `none` instead of an error
  // What errors name, for functions that build on gradients: the function that the user called, and the handle that was given to it
  // as the loss; empty: the loss itself.
  std::string_view caller = "gradients";
  any_out named_loss = {};
};

}  // namespace flowgraph
