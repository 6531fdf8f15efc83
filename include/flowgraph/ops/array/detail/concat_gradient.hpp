#pragma once
// The gradient of a concatenation: a slice for each value, at constant places if all extents are known.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/shared/detail/gradients.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the parts of dy that are the gradients of the concatenated values.
template <class T, class I>
FLOWGRAPH_COLD out_list<T> concat_parts(const out<T>& dy, const out_list<T>& values, const out<I>& axis) {
  out_list<T> parts;
  int at = 0;
  const std::vector<any_out> erased(values.begin(), values.end());
  const auto offsets = detail::known_offsets(erased, detail::constant_value(axis), at);
  if (!offsets.empty()) {
    shape begin = values[0].shape(), size = values[0].shape();
    for (int i = 0; i < begin.rank; ++i) begin[i] = 0, size[i] = -1;
    for (std::size_t k = 0; k < values.size(); ++k) {
      begin[at] = offsets[k];
      size[at] = offsets[k + 1] - offsets[k];
      parts.push_back(slice(dy, begin, size));
    }
    return parts;
  }
  const out_list<std::int32_t> sizes = shapes_of(values);
  const out_list<std::int32_t> begins = concat_offset(cast<std::int32_t>(axis), sizes);
  for (std::size_t k = 0; k < values.size(); ++k) parts.push_back(slice(dy, begins[k], sizes[k]));
  return parts;
}

}  // namespace flowgraph
