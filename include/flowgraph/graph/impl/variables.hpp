#pragma once
// The list of a graph's variables.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/graph_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Calls use(record) for each variable of the scope, or for all.
template <class Use> void for_each_variable(graph_state& state, std::string_view scope, const Use& use) {
  if (scope.ends_with('/')) scope.remove_suffix(1);
  threading::lock_guard lock(state.mutex);
  for (auto& v : state.variables) {
    const std::string_view name = v.handle.source->name;
    const bool is_inside =
        scope.empty() || (name.starts_with(scope) && (name.size() == scope.size() || name[scope.size()] == '/'));
    if (is_inside) use(v);
  }
}

}  // namespace detail

FLOWGRAPH_SELDOM any_out_list graph::variables(std::string_view within) const {
  any_out_list all;
  detail::for_each_variable(*state_, within, [&](const auto& v) { all.push_back(v.handle); });
  return all;
}
FLOWGRAPH_SELDOM any_out_list graph::trainable_variables(std::string_view within) const {
  any_out_list all;
  detail::for_each_variable(*state_, within, [&](const auto& v) {
    if (v.is_trainable) all.push_back(v.handle);
  });
  return all;
}
FLOWGRAPH_SELDOM bool graph::is_trainable(const any_out& variable) const {
  bool found = false;
  detail::for_each_variable(*state_, {}, [&](const auto& v) { found = found || (v.handle == variable && v.is_trainable); });
  return found;
}
FLOWGRAPH_SELDOM std::size_t graph::set_trainable(const any_out& variable, bool trainable) {
  std::size_t found = 0;
  detail::for_each_variable(*state_, {}, [&](auto& v) {
    if (v.handle == variable) v.is_trainable = trainable, ++found;
  });
  return found;
}
FLOWGRAPH_SELDOM std::size_t graph::set_trainable(std::string_view within, bool trainable) {
  std::size_t found = 0;
  detail::for_each_variable(*state_, within, [&](auto& v) { v.is_trainable = trainable, ++found; });
  return found;
}
FLOWGRAPH_SELDOM void graph::add_variable(const any_out& variable, bool trainable) {
  threading::lock_guard lock(state_->mutex);
  if (!variable.is_usable()) return;
  for (auto& v : state_->variables)
    if (v.handle == variable) {
      v.is_trainable = trainable;
      return;
    }
  state_->variables.push_back({variable, trainable});
}

}  // namespace flowgraph
