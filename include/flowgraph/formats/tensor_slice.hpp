#pragma once
// A part of a tensor, as checkpoints name it: "10 4 2,3:-" is rows 2 to 4 and all columns of a tensor of 10 x 4.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/tensor.hpp>

#include <span>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Where a part begins, and how far it goes on each axis; an extent of -1: from 0 to the end.
struct tensor_slice {
  shape begin, extents;

  // All of a tensor of `rank` axes.
  static tensor_slice all(int rank);
  // "2,3:-". Refused where it does not lie in `whole`.
  static result<tensor_slice> parse(std::string_view text, const shape& whole);
  std::string text() const;

  // The same part with extents instead of -1.
  tensor_slice within(const shape& whole) const;
  bool is_all_of(const shape& whole) const;
  bool operator==(const tensor_slice&) const = default;
};

// "10 4 2,3:-", or "" for all of a tensor.
struct shape_and_slice {
  bool is_whole = true;  // the text was empty: nothing is said of the shape
  shape whole;
  tensor_slice part;

  static result<shape_and_slice> parse(std::string_view text);
};

namespace detail {

// Of a tensor: each is compared with each.
inline constexpr std::size_t most_parts = std::size_t{1} << 14;

// How many elements two parts of one tensor have in common; both have extents.
std::int64_t common_part_size(const tensor_slice& a, const tensor_slice& b);

// Why parts of a tensor of shape `whole` are not all of `wanted`, or overlap; empty where they are and do not.
std::string cover_fault(std::span<const tensor_slice> parts, const shape& whole, const tensor_slice& wanted);
// Does the part lie in a tensor of this shape?
bool lies_in(const tensor_slice& part, const shape& whole);

// Copies what the parts `from_part` and `to_part` of one tensor have in common from a tensor of the first to one of the second. Both parts have
// extents.
void copy_common_part(const any_tensor& from, const tensor_slice& from_part, any_tensor& to, const tensor_slice& to_part);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/tensor_slice.hpp>
#endif
