#pragma once

#include <flowgraph/graph/handle.hpp>

#include <span>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of `gradients`.
struct gradient_options {
  std::span<const any_grad> starts = {};  // gradients of the losses; empty: ones (gradient_contributions requires them)
  std::span<const any_out> stop = {};     // handles treated as constants; if one is wanted, its own gradient is still computed
  bool allow_none = false;                // true: a handle that the loss does not depend on gets `none`, not an error
  std::string_view caller = "gradients";  // the function that error messages name, for functions that call `gradients`
  any_out named_loss = {};  // the loss that error messages name, if `caller` derives the loss from it; empty: the loss itself
};

}  // namespace flowgraph
