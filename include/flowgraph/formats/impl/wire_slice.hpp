#pragma once
// What both kinds of checkpoints say of a tensor: its element type, and a part of it.

#include <flowgraph/formats/detail/wire.hpp>
#include <flowgraph/formats/tensor_slice.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

inline dtype stored_type(std::int64_t number) {
  const auto type = number > 0 && number < 64 ? static_cast<dtype>(number) : dtype::invalid;
  return size_of(type) > 0 && !is_counted(type) ? type : dtype::invalid;
}

// TensorSliceProto.
inline bool read_wire_slice(std::string_view message, tensor_slice& to) {
  to = {};
  wire_reader r(message);
  while (r.next()) {
    if (r.field() != 1) continue;
    std::int64_t begin = 0, extent = -1;
    wire_reader axis(r.bytes());
    while (axis.next()) {
      if (axis.field() == 1) begin = axis.number();
      else if (axis.field() == 2) extent = axis.number();
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
    append_number(one, 1, part.begin[axis]);
    if (part.extents[axis] >= 0) {
      append_tag(one, 2, wire_type::varint);  // written even where it is zero: one of several
      append_varint(one, static_cast<std::uint64_t>(part.extents[axis]));
    }
    append_bytes(all, 1, one);
  }
  return all;
}
}  // namespace detail

}
}  // namespace flowgraph
