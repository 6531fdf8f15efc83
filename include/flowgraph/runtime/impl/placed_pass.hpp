#pragma once

#include <flowgraph/runtime/placed_pass.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE draft_node& transfers::copy(draft_node& behind, const draft_edge& from, std::uint32_t place,
                                             std::span<draft_node* const> after) {
  draft_node& made = add_transfer(behind, from, place, after.size());
  std::ranges::copy(after, made.controls.begin());
  return made;
}

FLOWGRAPH_INLINE draft_node& transfers::repeat(draft_node& behind, const draft_node& n, std::span<draft_node* const> after) {
  if (!made_) made_ = std::make_shared<transfer_nodes>();
  transfer_node& t = made_->emplace_back();
  t.at = *n.origin;
  t.name = message{n.origin->name, " again"};
  t.at.name = t.name;
  draft_node& made = draft_.add_behind(behind, n.inputs.size(), after.size());
  made.origin = &t.at;
  made.table = n.table;
  made.attributes = n.attributes;
  made.list_sizes = n.list_sizes;
  made.outputs = n.outputs;
  made.device = n.device;
  made.device_place = n.device_place;
  std::ranges::copy(n.inputs, made.inputs.begin());
  std::ranges::copy(after, made.controls.begin());
  return made;
}

}  // namespace detail

}
}  // namespace flowgraph
