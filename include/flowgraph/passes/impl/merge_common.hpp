#pragma once

#include <flowgraph/passes/impl/same_bits.hpp>
#include <flowgraph/passes/merge_common.hpp>

#include <algorithm>
#include <bit>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// One sweep in the draft's order: what a node reads has been merged when its turn comes. Attributes are read only of nodes that agree
// in all else, since they are slow to read.
class merging {
public:
  explicit merging(draft& d) : draft_(d), table_(std::bit_ceil(2 * d.size() + 2)) {}

  std::size_t run() {
    std::size_t merged = 0;
    for (auto at = draft_.begin(); at != draft_.end();) {
      draft_node& n = *at++;
      if (merged > 0) draft::read_instead(n);
      if (!may_merge(n)) continue;
      draft_node* const kept = find_or_add(n);
      if (!kept) continue;
      replace(n, *kept);
      ++merged;
    }
    if (merged > 0) {
      for (draft_edge& e : draft_.fetches) draft::read_instead(e);
      for (draft_node*& t : draft_.targets)
        if (t && t->instead.from) t = t->instead.from;
    }
    return merged;
  }

private:
  using form = draft_node::form;

  struct entry {
    std::uint64_t hash = 0;
    draft_node* node = nullptr;   // null: free
    bool has_attributes = false;  // they are part of the hash
    bool is_filed = false;        // of a hash without attributes: the same node has another entry with them
  };

  static bool may_merge(const draft_node& n) {
    if (n.is == form::feed || !n.origin->colocated_with.empty()) return false;
    if (n.is == form::constant)
      return n.outputs.size() == 1 && !is_counted(value_of(n).type()) && value_of(n).bytes() <= most_hashed;
    const op_table& op = *n.table;
    if (op.control != control_flow::none || op.stateful || op.counts_runs || op.per_run || op.async_kernel || op.placeholder)
      return false;
    if (op.in_history != history_role::none || op.of_variable != variable_role::none || n.outputs.empty()) return false;
    if (!op.description->is_described) return false;
    const auto is_value = [](const output_info& o) { return !o.is_reference && !is_counted(o.type); };
    return std::all_of(n.outputs.begin(), n.outputs.end(), is_value) &&
           std::all_of(n.inputs.begin(), n.inputs.end(), [&](const draft_edge& e) { return is_value(e.from->outputs[e.port]); });
  }
  static const any_tensor& value_of(const draft_node& n) { return n.values ? *n.values : *n.table->constant(n.attributes); }

  // The node that computes the same; null: none does so far, and the node is kept in mind.
  draft_node* find_or_add(draft_node& n) {
    const std::uint64_t hash = hash_of(n);
    const auto agrees = [&](const entry& e) { return !e.has_attributes && is_same_but_for_attributes(*e.node, n); };
    entry& first = find(hash, agrees);
    if (!first.node) {
      first = {hash, &n, false, false};
      return nullptr;
    }
    if (n.is == form::constant || n.table->attributes().empty()) return first.node;
    if (!first.is_filed) {
      first.is_filed = true;
      file(hash, *first.node);
    }
    return file(hash, n);
  }
  draft_node* file(std::uint64_t hash, draft_node& n) {
    bit_hash with_attributes;
    with_attributes.add(hash);
    for (const attribute_info& a : n.table->attributes()) add_bits(with_attributes, a.get(n.attributes));
    const auto agrees = [&](const entry& e) {
      return e.has_attributes && is_same_but_for_attributes(*e.node, n) && has_same_attributes(*e.node, n);
    };
    entry& found = find(with_attributes.value(), agrees);
    if (found.node) return found.node;
    found = {with_attributes.value(), &n, true, false};
    return nullptr;
  }
  // The entry of that hash with which the node agrees, or the free one that is for it. There is room for two entries per node.
  template <class Agrees> entry& find(std::uint64_t hash, Agrees&& agrees) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash & mask;
    while (table_[at].node && (table_[at].hash != hash || !agrees(table_[at]))) at = (at + 1) & mask;
    return table_[at];
  }

  static std::uint64_t hash_of(const draft_node& n) {
    bit_hash h;
    if (n.is == form::constant) {
      add_bits(h, value_of(n));
      return h.value();
    }
    h.add(n.table);
    for (const draft_edge& e : n.inputs) {
      h.add(e.from);
      h.add(std::uint64_t{e.port});
    }
    for (const draft_node* c : n.controls) h.add(c);
    return h.value();
  }
  static bool is_same_but_for_attributes(const draft_node& a, const draft_node& b) {
    if (a.is != b.is || a.device != b.device) return false;
    if (a.is == form::constant) return has_same_bits(value_of(a), value_of(b));
    return a.table == b.table && a.outputs.size() == b.outputs.size() && std::ranges::equal(a.inputs, b.inputs) &&
           std::ranges::equal(a.controls, b.controls) && has_same_lists(a, b);
  }
  static bool has_same_lists(const draft_node& a, const draft_node& b) {
    if (!a.list_sizes || !b.list_sizes) return a.list_sizes == b.list_sizes;
    std::size_t lists = 0;
    for (const argument& one : a.table->inputs) lists += one.kind != argument::form::single ? 1 : 0;
    for (const argument& one : a.table->outputs) lists += one.kind != argument::form::single ? 1 : 0;
    return std::equal(a.list_sizes, a.list_sizes + lists, b.list_sizes);
  }
  static bool has_same_attributes(const draft_node& a, const draft_node& b) {
    return std::ranges::all_of(a.table->attributes(), [&](const attribute_info& info) {
      return has_same_bits(info.get(a.attributes), info.get(b.attributes));
    });
  }

  void replace(draft_node& gone, draft_node& kept) {
    kept.is_requested = kept.is_requested || gone.is_requested;
    kept.is_waited_for = kept.is_waited_for || gone.is_waited_for;
    kept.is_weighed = kept.is_weighed || gone.is_weighed;
    gone.instead = {&kept, 0};
    draft_.remove(gone);
  }

  draft& draft_;
  std::vector<entry> table_;
};

FLOWGRAPH_INLINE pass_report merge_common(draft& d, const pass_options& options) {
  return {"merge_common", options.merge_common, options.merge_common ? merging(d).run() : 0, 0};
}

}  // namespace detail

}
}  // namespace flowgraph
