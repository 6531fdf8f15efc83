#pragma once
// Edges and nodes that are named, looked up in their graph.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/runtime/feed.hpp>

#include <span>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline result<any_out> look_up(const graph& g, const edge_or_name& e) {
  if (e.name.empty()) return e.edge;
  return g.output(e.name);
}
inline result<target> look_up(const graph& g, const target_or_name& t) {
  if (t.name.empty()) return t.node;
  if (node* n = g.find(t.name)) return target(n);
  return error(error_code::not_found, message{"the graph has no node named '", t.name, "'"});
}
template <class To, class Named> error look_up_all(const graph& g, std::span<const Named> all, std::vector<To>& result) {
  for (const Named& each : all) {
    auto found = look_up(g, each);
    if (!found) return found.error();
    result.push_back(*found);
  }
  return {};
}

}  // namespace flowgraph::detail
