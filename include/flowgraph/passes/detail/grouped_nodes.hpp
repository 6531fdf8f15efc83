#pragma once
// The nodes of a group: the attributes of its op, and the places of their values while a tile is computed.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/passes/detail/group_stages.hpp>
#include <flowgraph/passes/draft.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Where the results of the members are while a tile is computed: in a slot on the stack, which later members use again, or in the
// memory of the result of the group.
struct tile_memory {
  static constexpr std::uint32_t in_result = ~std::uint32_t{0};
  static constexpr std::size_t bytes = 32 << 10;  // of all slots

  sequence<std::uint32_t> slot_of;  // by member
  std::uint32_t slots = 0;

  // `element_bytes`: of the largest element.
  std::int64_t elements(std::size_t element_bytes) const {
    return static_cast<std::int64_t>(bytes / (std::max(slots, std::uint32_t{1}) * element_bytes) / 64 * 64);
  }
};

// A member that reduces the last axis (op_description::keeps_reduced_axes). A tile has two axes, however many its values have
// elsewhere, so `last`, the last one, replaces the operand that names it.
struct row_reducer {
  std::uint32_t member;
  any_tensor axis;  // the constant that names the axis
  edge_value last;

  row_reducer(std::uint32_t i, const any_tensor& constant) : member(i), axis(constant) {
    static constexpr std::int32_t number = -1;
    static constexpr std::int64_t wide_number = -1;
    const void* const at = axis.type() == dtype::int32 ? static_cast<const void*>(&number) : &wide_number;
    last.tensor = any_tensor::over(axis.type(), shape{1}, {}, const_cast<void*>(at));
  }
  // Returns whether the constant, which has one element, names the last axis of a value of this rank.
  static bool names_last(const any_tensor& axis, int rank) {
    const std::int64_t named = axis.type() == dtype::int32 ? *static_cast<const std::int32_t*>(axis.data())
                                                           : *static_cast<const std::int64_t*>(axis.data());
    return named == -1 || named == rank - 1;
  }
};

struct grouped_nodes {
  static constexpr std::size_t most_members = 16, most_operands = 8, most_inputs = 32;

  std::vector<std::string> ops;  // the op of each member
  std::vector<dtype> types;      // the type of its result
  std::vector<std::int64_t>
      operands;  // for each member: their number, then below input_count an input, else a member behind that
  static constexpr auto attrs = flowgraph::attrs(required("ops", &grouped_nodes::ops), required("types", &grouped_nodes::types),
                                                 required("operands", &grouped_nodes::operands));

  sequence<group_member> members;  // the same, as the kernel uses it
  sequence<group_stage> stages;
  std::uint32_t input_count = 0;
  sequence<std::uint32_t> row_users;  // the members that read vectors beside rows (op_description::computes_rows)
  sequence<row_reducer> row_reducers;

  // In `apart`, only the last member has the memory of the result. In `within`, so have all members that may write over the value
  // that is there.
  tile_memory apart, within;
  std::size_t slot_bytes = 0;  // of an element

  void assign_slots() {
    for (const group_member& m : members) slot_bytes = std::max(slot_bytes, size_of(m.type));
    assign(apart, false);
    assign(within, true);
  }
  const row_reducer* reducer(std::uint32_t member) const {
    const auto at = std::ranges::find(row_reducers, member, &row_reducer::member);
    return at == row_reducers.end() ? nullptr : &*at;
  }
  static error infer_all(const grouped_nodes& g, const shape_inputs& in, shape& out);
  bool reads(std::uint32_t member, std::uint32_t value) const {
    return std::ranges::find(members[member].operands, value) != members[member].operands.end();
  }

private:
  void assign(tile_memory& result, bool uses_result) {
    const auto last = static_cast<std::uint32_t>(members.size()) - 1;
    sequence<std::uint32_t> free, read;
    std::uint32_t kept = last;  // the member whose value is in the memory of the result; last: none yet
    for (std::uint32_t i = 0; i <= last; ++i) {
      if (i == last || (uses_result && (kept == last || is_last_reader(i, input_count + kept)) && may_be_in_result(i))) {
        result.slot_of.push_back(tile_memory::in_result);
        kept = i;
      } else {
        if (free.empty()) free.push_back(result.slots++);
        result.slot_of.push_back(free.back());
        free.pop_back();
      }
      // No later member reads what this one has read. A program reads its values until its last member is computed.
      for (const std::uint32_t k : members[i].operands)
        if (k >= input_count && result.slot_of[k - input_count] != tile_memory::in_result &&
            std::ranges::find(read, k) == read.end() && is_last_reader(i, k))
          read.push_back(k);
      if (std::ranges::none_of(stages, [&](const group_stage& s) { return s.end == i + 1; })) continue;
      for (const std::uint32_t k : read) free.push_back(result.slot_of[k - input_count]);
      read.clear();
    }
  }
  bool is_last_reader(std::uint32_t member, std::uint32_t value) const {
    for (std::uint32_t i = member + 1; i < members.size(); ++i)
      if (reads(i, value)) return false;
    return true;
  }
  // Member i may write over an operand, and the last member over the value of member i.
  bool may_be_in_result(std::uint32_t i) const {
    const auto last = static_cast<std::uint32_t>(members.size()) - 1;
    return members[i].type == members[last].type && members[i].site.op->kernel.facts.in_place &&
           (members[last].site.op->kernel.facts.in_place || !reads(last, input_count + i));
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
