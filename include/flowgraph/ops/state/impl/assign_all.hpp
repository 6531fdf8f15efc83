#pragma once

#include <flowgraph/ops/state/assign_all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM target assign_all(const graph& g, std::span<const assignment> list, site s) {
  const detail::inherited_location here(&g.state(), s.location);
  graph nodes = g;
  std::vector<any_out> values;
  std::vector<target> computed, assigned;
  for (const assignment& a : list) {
    // A variable's edge is read when a consumer needs its value, which may be after it has changed.
    const bool is_variable = a.value.is_usable() && a.value.source->outputs[a.value.port].is_reference;
    values.push_back(is_variable ? a.read(a.value, {{}, s.location}) : a.value);
    if (values.back().source) computed.push_back(values.back());
  }
  const auto after = nodes.after_all(computed);
  for (std::size_t i = 0; i < list.size(); ++i) assigned.push_back(list[i].assign(list[i].variable, values[i], {{}, s.location}));
  return group(g, assigned, s);
}

}  // namespace flowgraph
