#pragma once
// In whose memory each value of a plan lies: the session's or that of a device. No call may write over an input in other memory than
// its own, and places trade their memory only with places of the same kind.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/plan.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Fills plan::slot_memory and input_ref::is_foreign. A plan whose records all use the session's memory stays as it is.
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
      for (std::uint32_t k = 0; k < r.input_count && r.is == record_kind::op; ++k) {
        input_ref& in = plan_.inputs[r.first_input + k];
        in.is_foreign = !in.is_constant && plan_.slot_memory[r.frame][in.index] != own;
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
  // One step towards what every edge says. False: nothing is new.
  bool spread() {
    bool is_new = false;
    for (const plan_record& r : plan_.records) {
      if (r.is == record_kind::loop) continue;
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
    if (r.is == record_kind::feed) return session;
    if (r.control == control_flow::merge) {
      std::uint32_t all = unknown;
      for (std::uint32_t i = 0; i < r.input_count; ++i) all = joined(all, memory_of_input(r, i));
      return k == 0 ? all : session;
    }
    if (r.input_count > 0 && (r.control != control_flow::none || r.table->alias)) return memory_of_input(r, 0);
    if (passes_inputs(r)) return memory_of_input(r, k);
    return r.has_host_outputs && r.origin->output_argument(k).is_on_host ? session : kind_of(r.on);
  }
  std::uint32_t memory_of_input(const plan_record& r, std::uint32_t k) const {
    const input_ref& in = plan_.inputs[r.first_input + k];
    return in.is_constant ? session : plan_.slot_memory[r.frame][in.index];
  }

  plan& plan_;
  sequence<const device*> kinds_;  // the session's own CPU has no entry
};

}  // namespace detail

}
}  // namespace flowgraph
