#pragma once
// Finds the nodes of a graph that compute what only the host reads: the shape that a Reshape takes, sizes, axes, orders of axes. On an
// accelerator, the inputs of each such node would be copied there, and its output back.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/node.hpp>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A node belongs to the host arithmetic if its inputs are on the host, or it reads only their shapes, and if all its readers are
// arguments that stay on the host, or nodes of the host arithmetic. A fetch is not a reader, as its value is copied to the host
// anyway. Nodes with state, branches and loops do not belong to it.
class host_arithmetic {
public:
  host_arithmetic() = default;
  // `sorted`: the nodes by their ids. `may_move`: returns whether the host may run the node.
  template <class MayMove> host_arithmetic(std::span<const node* const> sorted, const MayMove& may_move) {
    readers_of readers;
    for (const node* n : sorted) {
      for (std::uint32_t k = 0; k < n->inputs.size(); ++k)
        if (const node* from = n->inputs[k].from) readers[from].push_back({n, k});
      const op_table& op = *n->op;
      const bool is_plain = op.control == control_flow::none && !op.stateful && !op.description->placeholder;
      if (is_plain && may_move(*n) && has_inputs_on_host(*n)) found_.insert(n);
    }
    // Readers come later in the order, except for back edges of loops, which end in nodes that do not belong here.
    for (std::size_t i = sorted.size(); i-- > 0;)
      if (!is_read_on_host(*sorted[i], readers)) found_.erase(sorted[i]);
  }

  bool contains(const node& n) const { return found_.contains(&n); }

private:
  using readers_of = std::unordered_map<const node*, sequence<std::pair<const node*, std::uint32_t>>>;

  bool has_inputs_on_host(const node& n) const {
    return n.op->shape_only || std::ranges::all_of(n.inputs, [&](const edge& e) {
             return e.from && (e.from->op->description->constant || e.from->op->description->placeholder ||
                               found_.contains(e.from) || e.from->output_argument(e.port).is_on_host);
           });
  }
  bool is_read_on_host(const node& n, const readers_of& readers) const {
    const auto all = readers.find(&n);
    return all != readers.end() && std::ranges::all_of(all->second, [&](const auto& reader) {
             return reader.first->input_argument(reader.second).is_on_host || found_.contains(reader.first);
           });
  }

  std::unordered_set<const node*> found_;
};

}  // namespace flowgraph::detail
