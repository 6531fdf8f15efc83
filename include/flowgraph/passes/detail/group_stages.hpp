#pragma once
// The stages of a group: successive members whose functions are computed in registers by one program, or a member whose kernel is
// called.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/element_program.hpp>
#include <flowgraph/passes/draft.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct group_stage {
  std::uint32_t first, end;             // the members
  sequence<program_call> calls = {};    // empty: the kernel of the member is called
  sequence<std::uint32_t> values = {};  // the values of the program; the members are numbered behind the inputs of the group
  sequence<char> is_needed = {};        // by value: whether a later stage reads it, or it is the result of the group
  bool is_by_rows = false;              // the program reduces rows or computes columns

  void (*run)(const element_program&) = nullptr;
};

// Divides the members of a group into stages.
class stage_maker {
public:
  // `types`: the types of the inputs of the group.
  stage_maker(const sequence<group_member>& members, const sequence<dtype>& types) : members_(members), types_(types) {
    const shape& whole = members_[members_.size() - 1].site.outputs[0].shape;
    may_reduce_ =
        std::ranges::any_of(members_, reduces) && whole.has_rank() && whole.rank > 0 && element_program::is_row_length(whole[-1]);
  }

  sequence<group_stage> make() {
    sequence<group_stage> result;
    for (std::uint32_t i = 0; i < members_.size();) {
      group_stage& s = result.emplace_back(group_stage{i, i + 1});
      while (s.end < members_.size() && in_program(s.first) && in_program(s.end)) ++s.end;
      while (s.end - s.first > 1 && !write(s)) --s.end;
      i = s.end;
    }
    return result;
  }

private:
  dtype type_of(std::uint32_t value) const {
    return value < types_.size() ? types_[value] : members_[value - types_.size()].type;
  }
  static bool reduces(const group_member& m) { return m.site.op->description->keeps_reduced_axes != nullptr; }
  // Whether the member is computed for floats. Members that have fewer elements than the result of the group stay outside, except
  // columns in a group that reduces rows.
  bool in_program(std::uint32_t i) const {
    const group_member& m = members_[i];
    if (!m.site.op->description->in_group || m.type != dtype::float32 || m.operands.empty() || m.operands.size() > 2)
      return false;
    if (reduces(m)) return may_reduce_ && type_of(m.operands[0]) == dtype::float32;
    if (!std::ranges::all_of(m.operands, [&](std::uint32_t v) { return type_of(v) == dtype::float32; })) return false;
    if (is_column(i)) return may_reduce_;
    const shape &own = m.site.outputs[0].shape, &whole = members_[members_.size() - 1].site.outputs[0].shape;
    return !own.is_known() || !whole.is_known() || own.size() == whole.size();
  }
  bool is_column(std::uint32_t i) const {
    const shape &own = members_[i].site.outputs[0].shape, &whole = members_[members_.size() - 1].site.outputs[0].shape;
    return own.has_rank() && own.rank == whole.rank && own.rank > 0 && own[-1] == 1 && whole[-1] > 1;
  }
  // Returns false if the program has too many values.
  bool write(group_stage& s) const {
    s.calls.clear();
    s.values.clear();
    s.is_needed.clear();
    s.is_by_rows = false;
    std::size_t rows = 0;
    for (std::uint32_t i = s.first; i < s.end; ++i) {
      const group_member& m = members_[i];
      program_call& c = s.calls.emplace_back();
      c.function = m.site.op->description->in_group->number;
      c.is_unary = m.operands.size() == 1 || c.reduces();
      c.left = number(s, m.operands[0]);
      c.right = c.is_unary ? c.left : number(s, m.operands[1]);
      c.result = number(s, value_of(i));
      c.is_kept = is_kept(s, i);
      const bool is_number = c.reduces() || is_column(i);
      if (is_number) s.is_by_rows = true;
      else if (c.is_kept) ++rows;
      s.run = m.site.op->description->in_group->run;
    }
    for (const std::uint32_t v : s.values) s.is_needed.push_back(v == value_of(members_.size() - 1) || is_read_from(s.end, v));
    return s.values.size() <= element_program::most_values && (!s.is_by_rows || rows <= element_program::most_rows);
  }
  std::uint32_t value_of(std::size_t member) const { return static_cast<std::uint32_t>(types_.size() + member); }
  static std::uint16_t number(group_stage& s, std::uint32_t value) {
    const auto at = static_cast<std::size_t>(std::ranges::find(s.values, value) - s.values.begin());
    if (at == s.values.size()) s.values.push_back(value);
    return static_cast<std::uint16_t>(at);
  }
  bool is_kept(const group_stage& s, std::uint32_t i) const {
    const std::uint32_t value = value_of(i);
    for (std::uint32_t k = i + 1; k < s.end; ++k) {
      const auto reads = std::ranges::count(members_[k].operands, value);
      if (reads > 1 || (reads == 1 && k > i + 1)) return true;
    }
    return false;
  }
  bool is_read_from(std::uint32_t member, std::uint32_t value) const {
    for (std::uint32_t k = member; k < members_.size(); ++k)
      if (std::ranges::find(members_[k].operands, value) != members_[k].operands.end()) return true;
    return false;
  }

  const sequence<group_member>& members_;
  const sequence<dtype>& types_;
  bool may_reduce_ = false;
};

}  // namespace flowgraph::detail
