#pragma once

#include <flowgraph/core/far_memory.hpp>

#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE error detail::copy_between(std::pmr::memory_resource* source, const void* from,
                                            std::pmr::memory_resource* target, void* to, std::size_t bytes) {
  if (bytes == 0) return {};
  if (const far_memory::rules* const far = far_memory::known_rules()) return far->copy(source, from, target, to, bytes);
  std::memcpy(to, from, bytes);
  return {};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
