#pragma once

#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/graph_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE detail::open_body::open_body(graph_state& state, body_scope* body, std::uint32_t number)
    : state_(state), before_(state.body), number_before_(state.body_number), control_before_(std::move(state.control)) {
  state.body = body;
  state.body_number = number;
  state.control.clear();
}
FLOWGRAPH_INLINE detail::open_body::~open_body() {
  state_.body = before_;
  state_.body_number = number_before_;
  state_.control = std::move(control_before_);
}

FLOWGRAPH_INLINE std::uint32_t detail::next_body_number(graph_state& state) { return ++state.bodies; }

}  // namespace flowgraph
