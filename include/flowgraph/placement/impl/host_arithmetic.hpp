#pragma once
// The nodes of a graph that compute what only the host reads: the shape that a Reshape takes, sizes, axes, orders of axes. On an accelerator each
// would have its inputs brought there, and its output brought back.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/placement.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Whose inputs lie on the host, or are asked for their shapes alone; and whose outputs are read by arguments that stay on the host, or by
// others of these nodes. Fetches do not count, as they go to the host. Nodes with state, branches and loops are left out.
class host_arithmetic {
public:
  // `sorted`: the nodes by their ids, each with its group in the question.
  host_arithmetic(const placement_question& q, std::span<const std::pair<const node*, std::uint32_t>> sorted) {
    for (std::uint32_t d = 0; d < q.devices.size(); ++d) is_far_.push_back(q.devices[d] && q.devices[d]->is_far());
    if (!has_far_devices()) return;
    for (const auto& [n, group] : sorted) {
      for (std::uint32_t k = 0; k < n->inputs.size(); ++k)
        if (const node* from = n->inputs[k].from) readers_[from].push_back({n, k});
      if (may_move(*n, q.groups[group]) && has_inputs_on_host(*n)) found_.insert(n);
    }
    // Readers come later in the order, but for the back edges of loops, which end in nodes that are left out.
    for (std::size_t i = sorted.size(); i-- > 0;)
      if (!is_read_on_host(*sorted[i].first)) found_.erase(sorted[i].first);
  }

  bool has_far_devices() const { return std::ranges::find(is_far_, true) != is_far_.end(); }
  bool contains(const node& n) const { return found_.contains(&n); }
  // Of the places that such a node may have, those whose memory the host reads.
  sequence<std::uint32_t> near(std::span<const std::uint32_t> places) const {
    sequence<std::uint32_t> made;
    std::ranges::copy_if(places, std::back_inserter(made), [&](std::uint32_t d) { return !is_far_[d]; });
    return made;
  }

private:
  struct reader {
    const node* at;
    std::uint32_t input;
  };

  bool may_move(const node& n, const placement_question::group& g) const {
    const auto is_far = [&](std::uint32_t d) { return is_far_[d]; };
    return g.nodes.size() == 1 && n.op->control == control_flow::none && !n.op->stateful && !n.op->description->placeholder &&
           std::ranges::any_of(g.allowed, is_far) && !std::ranges::all_of(g.allowed, is_far);
  }
  bool has_inputs_on_host(const node& n) const {
    return n.op->shape_only || std::ranges::all_of(n.inputs, [&](const edge& e) {
             return e.from && (e.from->op->description->constant || e.from->op->description->placeholder ||
                               found_.contains(e.from) || e.from->output_argument(e.port).is_on_host);
           });
  }
  bool is_read_on_host(const node& n) const {
    const auto all = readers_.find(&n);
    return all != readers_.end() && std::ranges::all_of(all->second, [&](const reader& r) {
             return r.at->input_argument(r.input).is_on_host || found_.contains(r.at);
           });
  }

  sequence<bool> is_far_;  // by place
  std::unordered_map<const node*, sequence<reader>> readers_;
  std::unordered_set<const node*> found_;
};

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
