#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/op/device.hpp>

#include <charconv>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM device::device(std::string_view name, std::pmr::memory_resource* memory) : memory_(memory) { read_name(name); }

FLOWGRAPH_SELDOM device::device(std::string_view name, limited_memory memory) {
  read_name(name);
  const std::size_t limit = memory.bytes ? memory.bytes : memory_budget::unlimited;
  memory_ = budget_ = memory_budget::make(limit, std::pmr::new_delete_resource(), message{"the limit of ", to_string(name_)});
}

FLOWGRAPH_SELDOM device::device(std::string_view name, std::shared_ptr<const kernel_set> kernels,
                                std::pmr::memory_resource* memory)
    : memory_(memory), of_kind_(std::move(kernels)) {
  read_name(name);
}

FLOWGRAPH_SELDOM device::~device() {
  if (budget_) budget_->close();
}

FLOWGRAPH_SELDOM void device::read_name(std::string_view name) {
  if (const auto full = parse_device_name(text_ = name); name.starts_with('/') && full) {
    name_ = *full;
  } else {
    const std::size_t colon = name.find(':');
    text_ = name.substr(0, colon);
    name_.kind = text_;
    std::uint32_t index = 0;
    if (colon != name.npos) std::from_chars(name.data() + colon + 1, name.data() + name.size(), index);
    name_.index = index;
  }
  if (name_.job.empty()) name_.job = "localhost";
  if (!name_.task) name_.task = 0;
  if (!name_.index) name_.index = 0;
  is_cpu_ = detail::is_same_kind(name_.kind, "cpu");
}

FLOWGRAPH_SELDOM device_list cpu_devices(std::size_t count, std::size_t memory_limit) {
  device_list result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(std::make_unique<device>(message{"cpu:", i}.string(), limited_memory{memory_limit}));
  return result;
}

}  // namespace flowgraph
