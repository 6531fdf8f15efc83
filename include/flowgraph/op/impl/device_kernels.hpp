#pragma once
// What sessions ask devices, in every program; who makes devices has the rest besides (op/impl/device.hpp).

#include <flowgraph/op/device.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM op_table::kernel_function device::find(const op_table& table) const {
  const entry* added = find(table.name(), std::span(table.bound_types).first(table.types().size()));
  if (added) return added->kernel;
  return is_cpu_ ? table.kernel : nullptr;
}

FLOWGRAPH_SELDOM op_table::async_kernel_function device::find_async(const op_table& table) const {
  const entry* added = find(table.name(), std::span(table.bound_types).first(table.types().size()));
  if (added) return added->async_kernel;
  return is_cpu_ ? table.async_kernel : nullptr;
}

FLOWGRAPH_SELDOM bool device::runs(const op_table& table) const {
  return table.control != control_flow::none || table.alias || table.description->placeholder || table.description->constant ||
         find_async(table) || find(table) || (table.shape_only && is_far());
}

FLOWGRAPH_SELDOM std::string device::list(std::string_view name) const {
  std::string text;
  const auto found = kernels_.find(name);
  if (found == kernels_.end()) return text;
  for (const entry& e : found->second) {
    if (!text.empty()) text += ", ";
    text += name;
    for (std::size_t i = 0; i < e.types.size(); ++i) text += message{(i ? ", " : "<"), name_of(e.types[i])};
    if (!e.types.empty()) text += '>';
  }
  return text;
}

FLOWGRAPH_SELDOM const device::entry* device::find(std::string_view name, std::span<const dtype> types) const {
  if (const auto found = kernels_.find(name); found != kernels_.end())
    for (const entry& e : found->second)
      if (std::ranges::equal(e.types, types)) return &e;
  return nullptr;
}

}
}  // namespace flowgraph
