#pragma once
// The functions of devices that sessions call, in every program. A program that makes devices also links op/impl/device.hpp.

#include <flowgraph/op/device.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM const kernel_entry* device::find(const op_table& table) const {
  const kernel_entry* found = own_.find(table);
  if (!found && of_kind_) found = of_kind_->find(table);
  if (!found && is_cpu_ && table.kernel.exists()) found = &table.kernel;
  return found;
}

FLOWGRAPH_SELDOM bool device::runs(const op_table& table) const {
  return table.control != control_flow::none || table.alias || table.description->placeholder || table.description->constant ||
         find(table) || (table.shape_only && is_far());
}

FLOWGRAPH_SELDOM std::string device::list(std::string_view name) const {
  std::string text = own_.list(name);
  if (!of_kind_) return text;
  const std::string of_kind = of_kind_->list(name);
  if (!text.empty() && !of_kind.empty()) text += ", ";
  return text + of_kind;
}

}  // namespace flowgraph
