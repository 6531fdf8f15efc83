#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/nn/sigmoid_cross_entropy.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE bool detail::are_pairs(std::string_view function, const any_out& first, const any_out& second,
                                                       const site& s) {
  const any_out inputs[]{first, second};
  graph_state* const g = graph_of_inputs(inputs, function, s);
  if (!g) return false;
  if (fits(first.shape(), second.shape())) return true;
  refuse_construction(
      *g, detail::invalid_argument({function, ": expected two handles of the same shape, found '", first.name(), "' of shape ",
                                    first.shape(), ", '", second.name(), "' of shape ", second.shape()})
              .at(s.name, function, s.location));
  return false;
}

}  // namespace flowgraph
