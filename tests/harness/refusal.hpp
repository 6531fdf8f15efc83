#pragma once

#include <flowgraph/graph/graph.hpp>

// Returns the error of a construction: raised, or kept by the graph.
template <class F> flowgraph::error refusal([[maybe_unused]] const flowgraph::graph& g, F&& build) {
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    build();
  } catch (const flowgraph::error& why) { return why; }
  return {};
#else
  build();
  return g.first_error();
#endif
}
