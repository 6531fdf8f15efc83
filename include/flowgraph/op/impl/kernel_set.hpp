#pragma once

#include <flowgraph/op/kernel_set.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM result<void> kernel_set::add(std::string_view name, std::vector<dtype> types, const kernel_entry& kernel) {
  if (find(name, types))
    return error(error_code::already_exists, message{"the device has a kernel of op ", name, " for these types already"});
  items_[std::string(name)].push_back(std::make_unique<item>(item{std::move(types), kernel}));
  return {};
}

FLOWGRAPH_SELDOM const kernel_entry* kernel_set::find(std::string_view name, std::span<const dtype> types) const {
  if (const auto found = items_.find(name); found != items_.end())
    for (const auto& i : found->second)
      if (std::ranges::equal(i->types, types)) return &i->kernel;
  return nullptr;
}

FLOWGRAPH_SELDOM std::string kernel_set::list(std::string_view name) const {
  std::string text;
  const auto found = items_.find(name);
  if (found == items_.end()) return text;
  for (const auto& e : found->second) {
    if (!text.empty()) text += ", ";
    text += name;
    for (std::size_t i = 0; i < e->types.size(); ++i) text += message{(i ? ", " : "<"), name_of(e->types[i])};
    if (!e->types.empty()) text += '>';
  }
  return text;
}

}  // namespace flowgraph
