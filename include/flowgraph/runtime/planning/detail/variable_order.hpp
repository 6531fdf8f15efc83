#pragma once
// Gives unordered accesses to one variable the order of their creation, so that a run is deterministic.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/passes/detail/variable_behind.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Calls order(before, after) for pairs of records of which at least one writes. The loops' own edges order accesses in different
// frames. `drafted` contains the draft node of each record.
template <class Order> void order_variable_accesses(const plan& p, std::span<const draft_node* const> drafted, Order&& order) {
  struct history {  // the accesses to a variable in a frame
    std::uint32_t frame;
    std::uint32_t other;  // another history of this variable; no_index: the last
    std::uint32_t last_write = no_index;
    sequence<std::uint32_t> reads = {};  // since the last write
  };
  sequence<history> all;
  sequence<std::uint32_t> first_of(p.records.size(), no_index);  // by the record that names the variable
  const auto history_of = [&](std::uint32_t variable, std::uint32_t frame) -> history& {
    std::uint32_t at = first_of[variable];
    while (at != no_index && all[at].frame != frame) at = all[at].other;
    if (at != no_index) return all[at];
    return all.emplace_back(history{frame, std::exchange(first_of[variable], static_cast<std::uint32_t>(all.size()))});
  };
  for (std::uint32_t i = 0; i < p.records.size(); ++i) {
    const plan_record& r = p.records[i];
    if (r.kind == record_kind::feed || (r.control != control_flow::none && r.control != control_flow::send)) continue;
    for (std::uint32_t k = 0; k < r.input_count; ++k) {
      const argument& a = input_argument(r, k);
      const input_ref& in = p.inputs[r.first_input + k];
      const draft_edge& e = drafted[i]->inputs[k];
      const bool handle = e.from->outputs[e.port].type == dtype::resource;
      if (!a.writes && !in.dereference && !a.is_reference && !handle) continue;
      if (in.is_constant) continue;
      const draft_node* v = variable_behind(e);
      if (!v) continue;
      history& h = history_of(v->place, r.frame);
      if (a.writes) {
        if (h.last_write != no_index && h.last_write != i && h.reads.empty()) order(h.last_write, i);
        for (const std::uint32_t reader : h.reads)
          if (reader != i) order(reader, i);
        h.reads.clear();
        h.last_write = i;
      } else {
        if (h.last_write != no_index && h.last_write != i) order(h.last_write, i);
        h.reads.push_back(i);
      }
    }
  }
}

}  // namespace flowgraph::detail
