#pragma once

#include <flowgraph/runtime/planning/transfers.hpp>

#include <flowgraph/runtime/impl/grouping.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE const device_rules& rules_of_devices() {
  static constexpr device_rules rules{
      &placement::arrange,
      &naming_of_devices,
      [](placement& all, const graph_state& g) { grouping(all, g).place(); },
      [](transfers& crossing, bool shares_reads) { return device_crossings(crossing, shares_reads).add(); },
#ifdef FLOWGRAPH_ALL_INLINE
      nullptr,
#else
      &lay_out_on_devices,
#endif
      answering_runner,
  };
  return rules;
}

}  // namespace flowgraph::detail
