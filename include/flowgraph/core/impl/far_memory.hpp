#pragma once

#include <flowgraph/core/far_memory.hpp>

#include <cstring>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

FLOWGRAPH_INLINE void detail::copy_between(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target,
                                           void* to, std::size_t bytes) {
  if (bytes == 0) return;
  far_memory* const far_source = far_memory::from(source);
  far_memory* const far_target = far_memory::from(target);
  if (!far_source && !far_target) std::memcpy(to, from, bytes);
  else if (!far_source) far_target->copy_in(from, to, bytes);
  else if (!far_target) far_source->copy_out(from, to, bytes);
  else if (far_source == far_target) far_target->copy_within(from, to, bytes);
  else far_target->copy_from(*far_source, from, to, bytes);
}

}
}  // namespace flowgraph
