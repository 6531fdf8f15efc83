#pragma once
// Indices of either type behind one interface, so that loops over them are compiled once per element type.

#include <flowgraph/core/index_view.hpp>

#include <algorithm>
#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct index_list {
  const void* data = nullptr;  // null: each index is its own position
  std::int64_t size = 0;
  std::int64_t step = 1;  // from one index to the next
  bool is_wide = true;

  index_list() = default;
  index_list(const std::int64_t* first, std::int64_t n, std::int64_t distance) : data(first), size(n), step(distance) {}
  explicit index_list(const any_indices& v)
      : data(v.data()), size(static_cast<std::int64_t>(v.size())), is_wide(v.type() == dtype::int64) {}

  std::int64_t operator[](std::int64_t i) const {
    if (!data) return i;
    return is_wide ? static_cast<const std::int64_t*>(data)[i * step]
                   : std::int64_t{static_cast<const std::int32_t*>(data)[i * step]};
  }

  // Calls f(position, index) for each index, in order. Checks the width once per block, not once per index. Precondition: `step`
  // is 1, and `data` is not null.
  template <class F> void for_each(F&& f) const {
    std::int64_t block[64];
    for (std::int64_t first = 0; first < size; first += 64) {
      const std::int64_t n = std::min<std::int64_t>(64, size - first);
      if (is_wide) std::copy_n(static_cast<const std::int64_t*>(data) + first, n, block);
      else std::copy_n(static_cast<const std::int32_t*>(data) + first, n, block);
      for (std::int64_t i = 0; i < n; ++i) f(first + i, block[i]);
    }
  }
};

}  // namespace flowgraph::detail
