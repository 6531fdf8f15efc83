#pragma once

#include <flowgraph/op/device.hpp>

#include <algorithm>

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct device::entry {
  std::string name;
  std::vector<dtype> types;
  op_table::kernel_function kernel;
};

FLOWGRAPH_SELDOM device::device(std::string kind, std::pmr::memory_resource* memory) : kind_(std::move(kind)), memory_(memory) {}
FLOWGRAPH_SELDOM device::~device() = default;

FLOWGRAPH_SELDOM result<void> device::add(std::string_view name, std::vector<dtype> types, op_table::kernel_function kernel) {
  if (find(name, types))
    return error(error_code::already_exists,
                 message{"device '", kind_, "' has a kernel of op ", name, " for these types already"});
  kernels_.push_back({std::string(name), std::move(types), kernel});
  return {};
}

FLOWGRAPH_SELDOM op_table::kernel_function device::find(const op_table& table) const {
  return find(table.name, std::span(table.bound_types).first(table.types().size()));
}

FLOWGRAPH_SELDOM std::string device::list(std::string_view name) const {
  std::string text;
  for (const entry& e : kernels_) {
    if (e.name != name) continue;
    if (!text.empty()) text += ", ";
    text += e.name;
    for (std::size_t i = 0; i < e.types.size(); ++i) text += message{(i ? ", " : "<"), name_of(e.types[i])};
    if (!e.types.empty()) text += '>';
  }
  return text;
}

FLOWGRAPH_SELDOM op_table::kernel_function device::find(std::string_view name, std::span<const dtype> types) const {
  for (const entry& e : kernels_)
    if (e.name == name && std::ranges::equal(e.types, types)) return e.kernel;
  return nullptr;
}

}
}  // namespace flowgraph
