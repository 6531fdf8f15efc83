#pragma once

#include <flowgraph/train/detail/optimizer.hpp>
#include <flowgraph/train/scopes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM frozen_scopes::frozen_scopes(const graph& g, std::initializer_list<std::string_view> scopes, site s)
    : graph_(g) {
  for (const std::string_view scope : scopes)
    if (graph_.variables(scope).empty())
      detail::refuse(graph_, error(error_code::not_found, message{"no variable is in the scope '", scope, "'"}).at(s.location));
  for (const std::string_view scope : scopes)
    for (const any_out& v : graph_.trainable_variables(scope)) {
      graph_.set_trainable(v, false);
      frozen_.push_back(v);
    }
}
FLOWGRAPH_SELDOM frozen_scopes::~frozen_scopes() {
  for (const any_out& v : frozen_) graph_.set_trainable(v, true);
}

}  // namespace flowgraph
