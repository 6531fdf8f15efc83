#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/placement/delay_transfers.hpp>
#include <flowgraph/placement/impl/draft_lives.hpp>
#include <flowgraph/runtime/planning/placed_pass.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class transfer_holder {
public:
  transfer_holder(draft& d, placed_call& call, const cost_model& costs, std::size_t smallest)
      : draft_(d), call_(call), smallest_(smallest), costs_(costs, call.devices), lives_(d, costs_) {
    for (std::uint32_t p = 0; p < call.devices.size(); ++p)
      usage_.push_back(has_limit(p) ? lives_.usage(p) : sequence<std::uint64_t>());
  }

  std::size_t run() {
    find_times();
    sequence<std::pair<std::uint32_t, std::uint32_t>> found;  // a transfer, and the node that needs it
    for (std::uint32_t i = 0; i < lives_.size(); ++i)
      if (const std::uint32_t reader = first_reader_of(i); reader > i + 1) found.emplace_back(i, reader);
    std::size_t changed = 0;
    for (const auto& [i, reader] : found) changed += hold(i, reader);
    return changed;
  }

private:
  static constexpr std::uint32_t none = draft_lives::none;
  static constexpr std::uint32_t nobody = 0;  // as a reader: there is no reader to wait for

  bool has_limit(std::uint32_t place) const {
    const device* there = call_.devices.at(place);
    return there && there->budget() && there->budget()->limit() != memory_budget::unlimited;
  }

  // Computes the times at which each node begins and ends. Devices without threads of their own share one line, and so do
  // transfers without a channel.
  void find_times() {
    std::map<std::uint32_t, double> free;
    begins_.resize(lives_.size());
    ends_.resize(lives_.size());
    for (std::uint32_t i = 0; i < lives_.size(); ++i) {
      const draft_node& n = lives_.at(i);
      double now = 0;
      const auto wait_for = [&](const draft_node& before) {
        if (before.place < i) now = std::max(now, ends_[before.place]);
      };
      for (const draft_edge& e : draft_lives::inputs_of(n)) wait_for(*e.from);
      for (const draft_node* c : n.controls) wait_for(*c);
      if (n.kind == draft_node::form::op && !is_carried(n)) {
        double& line = free[costs_.threads_of(n.device_place) > 0 ? n.device_place : none];
        now = std::max(now, line);
        line = now + costs_.seconds_of(n);
      }
      begins_[i] = now;
      ends_[i] = now + costs_.seconds_of(n);
    }
  }
  bool is_carried(const draft_node& n) const {
    return crosses(n) && costs_.has_channel(n.inputs[0].from->device_place, n.device_place);
  }

  std::uint32_t first_reader_of(std::uint32_t i) {
    draft_node& n = lives_.at(i);
    if (!lives_.is_alive(n) || !crosses(n) || is_reference(n.inputs[0]) || !n.controls.empty()) return nobody;
    const draft_lives::held& h = lives_.of({&n, 0});
    if (h.bytes < smallest_ || h.uses.empty() || n.is_requested) return nobody;
    const draft_lives::use& first = h.uses.front();
    return first.input != none && lives_.is_alive(lives_.at(first.at)) ? first.at : nobody;
  }

  bool hold(std::uint32_t i, std::uint32_t reader) {
    draft_node& n = lives_.at(i);
    const double latest = begins_[reader] - (is_carried(n) ? costs_.seconds_of(n) : 0);
    for (std::uint32_t k = reader; --k > i;) {
      draft_node& before = lives_.at(k);
      const bool may_wait = before.device_place == n.device_place && lives_.is_alive(before) && !crosses(before);
      if (!may_wait || ends_[k] > latest) continue;
      if (!keep_at_sender(n, i, k)) return false;
      draft_.move_behind(before, n);
      draft_node* const waits[] = {&before};
      draft_.wait_for(n, waits);
      before.is_waited_for = true;
      call_.report.notes.push_back(message{n.name, " waits for ", before.name}.string());
      return true;
    }
    return false;
  }
  // Returns whether the memory where the value was made has room for it until then.
  bool keep_at_sender(const draft_node& n, std::uint32_t from, std::uint32_t until) {
    const draft_lives::held& sent = lives_.of(n.inputs[0]);
    sequence<std::uint64_t>& usage = usage_[sent.device];
    if (sent.is_free() || usage.empty() || sent.last >= until) return true;
    const std::uint32_t begin = std::max(from, sent.last) + 1;
    const std::uint64_t limit = call_.devices.at(sent.device)->budget()->limit(), kept = lives_.kept_bytes(sent.device);
    const auto top = std::max_element(usage.begin() + begin, usage.begin() + until + 1);
    if (*top + sent.bytes + kept > limit) return false;
    for (std::uint32_t k = begin; k <= until; ++k) usage[k] += sent.bytes;
    return true;
  }

  draft& draft_;
  placed_call& call_;
  std::size_t smallest_;
  draft_costs costs_;
  draft_lives lives_;
  sequence<sequence<std::uint64_t>> usage_;  // for devices with a limit
  sequence<double> begins_, ends_;
};

}  // namespace detail

FLOWGRAPH_INLINE std::size_t delay_transfers::run_on(const further_pass& self, detail::draft& d, detail::pass_call& call) {
  if (call.placed->devices.size() == 1) return 0;
  const auto& asked = static_cast<const delay_transfers&>(self);
  return detail::transfer_holder(d, *call.placed, asked.costs_, asked.smallest_).run();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
