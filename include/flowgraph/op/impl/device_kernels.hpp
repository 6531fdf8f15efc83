#pragma once
// What sessions ask devices, in every program; who makes devices has the rest besides (op/impl/device.hpp).

#include <flowgraph/op/device.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM op_table::kernel_function device::find(const op_table& table) const {
  const auto added = find(table.name, std::span(table.bound_types).first(table.types().size()));
  return added || !is_cpu_ ? added : table.kernel;
}

FLOWGRAPH_SELDOM bool device::runs(const op_table& table) const {
  return table.control != control_flow::none || table.alias || table.placeholder || table.constant ||
         (is_cpu_ && table.async_kernel) || find(table) || (table.shape_only && is_far());
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

FLOWGRAPH_SELDOM op_table::kernel_function device::find(std::string_view name, std::span<const dtype> types) const {
  if (const auto found = kernels_.find(name); found != kernels_.end())
    for (const entry& e : found->second)
      if (std::ranges::equal(e.types, types)) return e.kernel;
  return nullptr;
}

}
}  // namespace flowgraph
