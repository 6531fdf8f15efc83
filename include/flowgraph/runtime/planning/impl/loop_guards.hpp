#pragma once
// The conditions under which a node of a loop runs, as sides of decisions.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/planning/body_plan.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Adds further conditions. Returns false if both sides of a decision would be required, so that the node never runs.
inline bool unite(guard_list& all, const guard_list& more) {
  for (const guard& g : more) {
    const auto at = std::lower_bound(all.begin(), all.end(), guard{g.decision, false});
    if (at == all.end() || at->decision != g.decision) all.insert(at, g);
    else if (at->side != g.side) return false;
  }
  return true;
}

// Returns whether exactly one of these lists is true for any results of the decisions.
inline bool is_every_side(sequence<guard_list> sides) {
  if (sides.size() == 1) return sides[0].empty();
  if (sides.empty()) return false;
  for (const guard& asked : sides[0]) {
    sequence<guard_list> parts[2];
    for (const guard_list& side : sides)
      for (const guard& g : side)
        if (g.decision == asked.decision) {
          guard_list rest = side;
          erase_if(rest, [&](const guard& other) { return other == g; });
          parts[g.side].push_back(std::move(rest));
        }
    if (parts[0].size() + parts[1].size() == sides.size()) return is_every_side(parts[0]) && is_every_side(parts[1]);
  }
  return false;
}

}  // namespace flowgraph::detail
