#pragma once
// The shape rules that the ops of whole steps of recurrent networks share.

#include <flowgraph/op/shape_rule.hpp>

#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The largest size of inputs and units: sums and products of sizes stay in 64 bits.
inline constexpr std::int64_t largest_block_size = std::int64_t{1} << 58;

// The sizes that shapes determine; -1 is unknown.
struct known_block_sizes {
  std::int64_t steps = -1, batch = -1, inputs = -1, units = -1;

  std::int64_t times_units(std::int64_t factor) const { return units < 0 ? -1 : units * factor; }
  std::int64_t rows() const { return units < 0 || inputs < 0 ? -1 : inputs + units; }
};

inline void expect_block_shape(shape_context& c, std::string_view name, const shape& found, const shape& wanted) {
  if (!c.failed() && !fits(found, wanted)) c.fail(message{name, " must have the shape ", wanted, ", found ", found});
}
// The first of the extents that is known.
inline std::int64_t known_extent(std::initializer_list<std::pair<const shape*, int>> extents) {
  for (const auto& [s, axis] : extents)
    if (s->rank > axis && (*s)[axis] >= 0) return (*s)[axis];
  return -1;
}

}  // namespace flowgraph::detail
