#pragma once
// The fields that both kinds of checkpoints have for a tensor: its element type, and a part of it.

#include <flowgraph/formats/detail/wire.hpp>
#include <flowgraph/formats/tensor_slice.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline dtype stored_type(std::int64_t number) {
  const auto type = number > 0 && number < 64 ? static_cast<dtype>(number) : dtype::invalid;
  return size_of(type) > 0 && !is_counted(type) ? type : dtype::invalid;
}

// Reads a TensorSliceProto.
inline bool read_wire_slice(std::string_view message, tensor_slice& to) {
  to = {};
  checked_fields r(message);
  while (r.next()) {
    if (r.number() != 1) continue;
    std::int64_t begin = 0, extent = -1;
    checked_fields axis(r.bytes());
    while (axis.next()) {
      if (axis.number() == 1) begin = axis.integer();
      else if (axis.number() == 2) extent = axis.integer();
    }
    if (axis.is_broken() || begin < 0 || extent < -1 || to.begin.rank == shape::max_rank) return false;
    to.begin.push_back(begin);
    to.extents.push_back(extent);
  }
  return !r.is_broken();
}
inline std::string wire_slice(const tensor_slice& part) {
  std::string all;
  for (int axis = 0; axis < part.begin.rank; ++axis) {
    std::string one;
    put_number_field(one, 1, part.begin[axis]);
    if (part.extents[axis] >= 0) {
      put_tag(one, 2, field_form::varint);  // written even if it is zero, because it is part of a oneof
      put_varint(one, static_cast<std::uint64_t>(part.extents[axis]));
    }
    put_bytes_field(all, 1, one);
  }
  return all;
}
}  // namespace flowgraph::detail
