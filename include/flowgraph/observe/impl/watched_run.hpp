#pragma once

#include <flowgraph/observe/watched_run.hpp>
#include <flowgraph/op/variable_state.hpp>
#include <flowgraph/runtime/queue/executor.hpp>

#include <unordered_map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The values that one run makes. They are kept, so that no kernel writes over them: inputs still exist after a node has run.
class held_values {
public:
  explicit held_values(const plan& p) : plan_(p) {}

  void hold(const plan_record& r, const iteration& at) {
    auto& slots = held_[&at];
    slots.resize(at.slots.size());
    for (std::uint32_t k = 0; k < r.output_count; ++k) slots[r.first_slot + k] = at.slots[r.first_slot + k].value.tensor;
  }
  std::vector<any_tensor> inputs(const plan_record& r, const iteration& at) const {
    std::vector<any_tensor> values;
    for (std::uint32_t i = 0; i < r.input_count; ++i) {
      const input_ref& ref = plan_.inputs[r.first_input + i];
      values.push_back(seen(ref.is_constant ? plan_.constants[ref.index] : at.slots[ref.index].value));
    }
    return values;
  }
  static std::vector<any_tensor> outputs(const plan_record& r, const iteration& at) {
    std::vector<any_tensor> values;
    for (std::uint32_t k = 0; k < r.output_count; ++k) values.push_back(seen(at.slots[r.first_slot + k].value));
    return values;
  }
  // Returns the value as the host sees it; empty if the host cannot see it.
  static any_tensor seen(const edge_value& value) {
    any_tensor now = value.variable ? value.variable->read() : value.tensor;
    if (!now.has_value() || is_counted(now.type())) return {};
    if (!now.is_far()) return now;
    auto copied = now.copy();
    return copied ? *std::move(copied) : any_tensor();
  }

private:
  const plan& plan_;
  std::unordered_map<const iteration*, std::vector<any_tensor>> held_;  // by slot
};

inline std::string text_of_iteration(const plan& p, const iteration& at) {
  std::string text;
  for (const iteration* i = &at; i->frame; i = i->frame->parent)
    text += message{text.empty() ? "" : " in ", i->index, " of ", p.frames[i->frame->frame].name}.string();
  return text;
}

}  // namespace detail

FLOWGRAPH_INLINE error watched_run::drive(detail::executor& e) {
  const detail::plan& p = e.planned();
  detail::held_values held(p);
  const auto tell = [&](const watched_call& call) {
    const threading::lock_guard lock(mutex_);
    heard_(call);
  };
  for (std::size_t i = 0; i < p.constants.size() && i < p.constant_origins.size(); ++i) {
    const any_tensor value = detail::held_values::seen(p.constants[i]);
    const detail::constant_origin& from = p.constant_origins[i];
    if (from.at) tell({watched_call::form::constant, from.at, {}, {}, {&value, 1}, from.port});
  }
  error why = e.drive_measured([&](const detail::plan_record& r, const detail::iteration& at, std::uint64_t) {
    held.hold(r, at);
    if (r.table && r.table->crosses) return;
    const bool is_feed = r.kind == detail::record_kind::feed;
    if (is_feed && r.site->is_one_of_several) return;  // one output of a node with several is fed
    const auto inputs = is_feed ? std::vector<any_tensor>() : held.inputs(r, at);
    const auto outputs = detail::held_values::outputs(r, at);
    tell({is_feed ? watched_call::form::feed : watched_call::form::op, r.site, detail::text_of_iteration(p, at), inputs, outputs,
          0});
  });
  const threading::lock_guard lock(mutex_);
  ended();
  return why;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
