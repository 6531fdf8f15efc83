#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/impl/same_bits.hpp>
#include <flowgraph/passes/merge_common.hpp>

#include <algorithm>
#include <bit>
#include <functional>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// One pass in the order of the draft: the inputs of a node have been merged before it. Attributes are compared last, and only if all
// else is equal, because reading them is slow.
class merging {
public:
  merging(draft& d, bool is_fast) : draft_(d), is_fast_(is_fast), table_(std::bit_ceil(d.size() + d.size() / 2 + 4)) {}

  std::size_t run() {
    std::size_t merged = 0;
    for (auto at = draft_.begin(); at != draft_.end();) {
      draft_node& n = *at++;
      if (merged > 0) draft::read_instead(n);
      if (!may_merge(n)) continue;
      draft_node* const kept = find_or_add(n);
      if (!kept || !is_free_to_go(n) || !is_free_to_go(*kept)) continue;
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

  // A node has up to two entries: by a hash without its attributes and, after another node had the same hash, by a hash with them.
  struct entry {
    std::uint64_t hash_and_flags = 0;
    draft_node* node = nullptr;  // null: free

    // Flags. filed: the hash of the entry is without attributes, and the node has a second entry.
    static constexpr std::uint64_t attributes = 1, filed = 2;
    std::uint64_t hash() const noexcept { return hash_and_flags >> 2; }
    bool has_attributes() const noexcept { return (hash_and_flags & attributes) != 0; }
    bool is_filed() const noexcept { return (hash_and_flags & filed) != 0; }
  };

  static constexpr std::uint64_t hash_mask = ~std::uint64_t{0} >> 2;

  // A hash of facts that are in the node itself. Other facts are in distant memory, and compared only with a possible partner.
  static bool may_merge(const draft_node& n) {
    if (n.kind == form::feed) return false;
    if (n.kind == form::constant)
      return n.outputs.size() == 1 && !is_counted(value_of(n).type()) && value_of(n).bytes() <= most_hashed;
    const op_table& op = *n.table;
    if (op.stateful || op.counts_runs || op.per_run || op.kernel.start || op.description->placeholder) return false;
    if (op.control != control_flow::none && op.control != control_flow::switch_) return false;
    if (op.in_history != history_role::none || op.of_variable != variable_role::none) return false;
    return op.description->is_described && (!n.outputs.empty() || n.inputs.empty());
  }
  bool is_free_to_go(const draft_node& n) const {
    const auto is_value = [](const output_info& o) { return !o.is_reference && !is_counted(o.type); };
    if (draft_.is_spread && n.is_colocated) return false;
    return std::all_of(n.outputs.begin(), n.outputs.end(), is_value) &&
           std::all_of(n.inputs.begin(), n.inputs.end(), [&](const draft_edge& e) { return is_value(e.from->outputs[e.port]); });
  }
  static const any_tensor& value_of(const draft_node& n) {
    return n.values ? *n.values : *n.table->description->constant(n.attributes);
  }

  // Returns the node that computes the same. If there is none, returns null and remembers this node.
  draft_node* find_or_add(draft_node& n) {
    const std::uint64_t hash = hash_of(n);
    const std::size_t at =
        find(hash, [&](const entry& e) { return !e.has_attributes() && is_same_but_for_attributes(*e.node, n); });
    draft_node* const first = table_[at].node;
    if (!first) {
      add(at, {hash << 2, &n});
      return nullptr;
    }
    if (n.kind == form::constant || n.table->attributes().empty()) return first;
    if (!table_[at].is_filed()) {
      table_[at].hash_and_flags |= entry::filed;
      file(hash, *first);
    }
    return file(hash, n);
  }
  draft_node* file(std::uint64_t hash, draft_node& n) {
    bit_hash with_attributes;
    with_attributes.add(hash);
    for (const attribute_info& a : n.table->attributes()) add_bits(with_attributes, a.get(n.attributes));
    const std::uint64_t whole = with_attributes.value() & hash_mask;
    const std::size_t at = find(whole, [&](const entry& e) {
      return e.has_attributes() && is_same_but_for_attributes(*e.node, n) && has_same_attributes(*e.node, n);
    });
    if (table_[at].node) return table_[at].node;
    add(at, {whole << 2 | entry::attributes, &n});
    return nullptr;
  }
  // Returns the entry that agrees, or the free entry for this hash.
  template <class Agrees> std::size_t find(std::uint64_t hash, Agrees&& agrees) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (table_[at].node && (table_[at].hash() != hash || !agrees(table_[at]))) at = (at + 1) & mask;
    return at;
  }
  void add(std::size_t at, const entry& e) {
    table_[at] = e;
    if (++used_ <= table_.size() / 4 * 3) return;
    sequence<entry> larger(2 * table_.size());
    std::swap(larger, table_);
    for (const entry& known : larger)
      if (known.node) table_[find(known.hash(), [](const entry&) { return false; })] = known;
  }

  // The operands may be exchanged. A floating result of two NaNs has the bits of the first, so floating operands keep their order.
  bool commutes(const draft_node& n) const {
    const op_meaning meaning = n.table->description->meaning;
    if ((meaning != op_meaning::sum && meaning != op_meaning::product) || n.inputs.size() != 2) return false;
    const dtype type = n.outputs[0].type;
    return is_fast_ || type == dtype::int32 || type == dtype::int64;
  }
  bool has_same_inputs(const draft_node& a, const draft_node& b) const {
    if (std::ranges::equal(a.inputs, b.inputs)) return true;
    return commutes(a) && a.inputs[0] == b.inputs[1] && a.inputs[1] == b.inputs[0];
  }

  std::uint64_t hash_of(const draft_node& n) const {
    bit_hash h;
    if (n.kind == form::constant) {
      add_bits(h, value_of(n));
      return h.value() & hash_mask;
    }
    h.add(n.table->description);
    const auto key = [](const draft_edge& e) { return reinterpret_cast<const std::byte*>(e.from) + e.port; };
    if (commutes(n)) {
      const std::byte* const both[] = {key(n.inputs[0]), key(n.inputs[1])};
      const bool is_ordered = std::less<>()(both[0], both[1]);
      h.add(both[is_ordered ? 0 : 1]);
      h.add(both[is_ordered ? 1 : 0]);
    } else {
      for (const draft_edge& e : n.inputs) h.add(key(e));
    }
    for (const draft_node* c : n.controls) h.add(c);
    return h.value() & hash_mask;
  }
  bool is_same_but_for_attributes(const draft_node& a, const draft_node& b) const {
    if (a.kind != b.kind || a.device != b.device) return false;
    if (a.kind == form::constant) return has_same_bits(value_of(a), value_of(b));
    return is_same_op(*a.table, *b.table) && a.outputs.size() == b.outputs.size() && has_same_inputs(a, b) &&
           std::ranges::equal(a.controls, b.controls) && has_same_lists(a, b);
  }
  static bool has_same_lists(const draft_node& a, const draft_node& b) {
    if (!a.list_sizes || !b.list_sizes) return a.list_sizes == b.list_sizes;
    std::size_t lists = 0;
    for (const argument& one : a.table->inputs()) lists += one.kind != argument::form::single ? 1 : 0;
    for (const argument& one : a.table->outputs()) lists += one.kind != argument::form::single ? 1 : 0;
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
  bool is_fast_;
  sequence<entry> table_;
  std::size_t used_ = 0;
};

FLOWGRAPH_INLINE pass_report merge_common(draft& d, const pass_options& options) {
  return {"merge_common", options.merge_common, options.merge_common ? merging(d, options.fast_math).run() : 0, 0};
}

}  // namespace flowgraph::detail
