#pragma once
// The parts of a plan that only a session with devices has: constants in their memory, and the memory of each value.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/runtime/planning/plan.hpp>
#include <flowgraph/runtime/planning/transfers.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Gives each device whose memory the host does not access its own copy of the constants that it reads. All readers on the host
// share constants.
inline error bring_constants(plan& p, const sequence<const draft_node*>& drafted) {
  std::map<std::pair<std::uint32_t, std::pmr::memory_resource*>, std::uint32_t> brought;
  for (std::size_t i = 0; i < p.records.size(); ++i) {
    const plan_record& r = p.records[i];
    if (!r.on || !far_memory::from(r.on->memory())) continue;
    for (std::uint32_t k = 0; k < r.input_count; ++k) {
      input_ref& in = p.inputs[r.first_input + k];
      if (!in.is_constant || is_host_input(*drafted[i], k)) continue;
      const auto [known, is_new] =
          brought.emplace(std::pair{in.index, r.on->memory()}, static_cast<std::uint32_t>(p.constants.size()));
      if (is_new) {
        auto copy = p.constants[in.index].tensor.copy(r.on->memory());
        if (!copy) return failed_at(copy.error(), *r.site);
        p.constants.push_back({*std::move(copy), nullptr});
        p.constant_origins.push_back(constant_origin(p.constant_origins[in.index]));
      }
      in.index = known->second;
    }
  }
  return {};
}

// The memory that contains each value of a plan: that of the session, or that of a device. No call may write over an input in
// other memory than its own, and places exchange memory only with places of the same kind. The class sets plan::slot_memory and
// input_ref::is_foreign. It does not change a plan whose records all use the session's memory.
class value_memory {
public:
  explicit value_memory(plan& p) : plan_(p) {}

  void mark() {
    for (const plan_record& r : plan_.records)
      if (r.on) kind_of(r.on);
    if (kinds_.empty()) return;
    for (const plan_frame& f : plan_.frames) plan_.slot_memory.emplace_back(f.slots, unknown);
    while (spread()) {}
    for (plan_record& r : plan_.records) {
      const std::uint32_t own = kind_of(r.on);
      for (std::uint32_t k = 0; k < r.input_count && r.kind == record_kind::op; ++k) {
        input_ref& in = plan_.inputs[r.first_input + k];
        in.is_foreign = !in.is_constant && plan_.slot_memory[r.frame][in.index] != own;
        if (in.is_foreign) r.is_simple = r.is_simple_on_device = false;
      }
    }
  }

private:
  static constexpr std::uint32_t unknown = no_index, mixed = no_index - 1, session = 0;

  std::uint32_t kind_of(const device* d) {
    if (!d) return session;
    auto at = std::find(kinds_.begin(), kinds_.end(), d);
    if (at == kinds_.end()) at = kinds_.insert(at, d);
    return static_cast<std::uint32_t>(at - kinds_.begin()) + 1;
  }
  // Propagates the memory along all edges once. Returns false if nothing has changed.
  bool spread() {
    bool is_new = false;
    for (const plan_record& r : plan_.records) {
      if (r.kind == record_kind::loop) continue;
      for (std::uint32_t k = 0; k < r.output_count; ++k) {
        std::uint32_t& held = plan_.slot_memory[r.output_frame][r.first_slot + k];
        const std::uint32_t found = joined(held, memory_of_output(r, k));
        is_new = is_new || found != held;
        held = found;
      }
    }
    return is_new;
  }
  static std::uint32_t joined(std::uint32_t a, std::uint32_t b) { return a == unknown || a == b ? b : b == unknown ? a : mixed; }

  std::uint32_t memory_of_output(const plan_record& r, std::uint32_t k) {
    if (r.kind == record_kind::feed) return session;
    if (r.control == control_flow::merge) {
      std::uint32_t all = unknown;
      for (std::uint32_t i = 0; i < r.input_count; ++i) all = joined(all, memory_of_input(r, i));
      return k == 0 ? all : session;
    }
    if (r.input_count > 0 && (r.control != control_flow::none || r.table->alias)) return memory_of_input(r, 0);
    if (passes_inputs(r)) return memory_of_input(r, k);
    return r.has_host_outputs && output_argument(r, k).is_on_host ? session : kind_of(r.on);
  }
  std::uint32_t memory_of_input(const plan_record& r, std::uint32_t k) const {
    const input_ref& in = plan_.inputs[r.first_input + k];
    return in.is_constant ? session : plan_.slot_memory[r.frame][in.index];
  }

  plan& plan_;
  sequence<const device*> kinds_;  // the session's own CPU has no entry
};

FLOWGRAPH_INLINE error lay_out_on_devices(plan& p, const sequence<const draft_node*>& drafted, bool is_never_run) {
  value_memory(p).mark();
  if (is_never_run) return {};
  return bring_constants(p, drafted);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
