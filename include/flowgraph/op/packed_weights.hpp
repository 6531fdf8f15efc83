#pragma once
// Constant weights of a kernel, which a plan copies once into the order in which the kernel reads them. The pass that does so is in
// passes/finish_results.hpp.

#include <flowgraph/core/tensor.hpp>

#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct packed_weights {
  static constexpr std::int64_t most_growth = 2;  // a copy with more elements than this for each weight is not made

  any_tensor weights;       // as the program has them; they stay in memory, so their address identifies them
  any_tensor panels;        // the copy: a vector of floats
  bool are_finite = false;  // all weights are finite
};

// For an op whose second input is a constant of floats: returns the copy that its kernel finds in run_services::packed, or null if the
// kernel would not read it. `x` is the shape of the first input as far as it is known.
using packing_function = std::shared_ptr<const packed_weights> (*)(const void* op, const shape& x, const any_tensor& weights);

}  // namespace flowgraph::detail
