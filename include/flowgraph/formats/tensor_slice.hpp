#pragma once
// A part of a tensor, in the notation of checkpoints. For example, "10 4 2,3:-" means rows 2 to 4 and all columns of a tensor of
// 10 x 4.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/tensor.hpp>

#include <span>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The first index and the extent of a part on each axis. The extent -1 means the whole axis.
struct tensor_slice {
  shape begin, extents;  // first index and extent on each axis

  // Returns the part that is the whole tensor, for a tensor with `rank` axes.
  static tensor_slice all(int rank);
  // Parses a text such as "2,3:-". If the part is not within `whole`, returns an error.
  static result<tensor_slice> parse(std::string_view text, const shape& whole);
  // Returns the text of the part: "2,3:-".
  std::string text() const;

  // Returns the same part with the extents of `whole` instead of -1.
  tensor_slice within(const shape& whole) const;
  // Returns whether the part is the whole tensor.
  bool is_all_of(const shape& whole) const;
  bool operator==(const tensor_slice&) const = default;
};

// The shape and the part in a text such as "10 4 2,3:-". The text "" means a whole tensor.
struct shape_and_slice {
  bool is_whole = true;  // true: the text was empty, so there is no shape
  shape whole;           // shape of the tensor
  tensor_slice part;     // the part of the tensor

  // Parses a shape and a part.
  static result<shape_and_slice> parse(std::string_view text);
};

namespace detail {

// Largest number of parts of a tensor; the limit exists because each part is compared with all other parts.
inline constexpr std::size_t most_parts = std::size_t{1} << 14;

// Returns the number of elements that two parts of one tensor have in common. Precondition: both have extents.
std::int64_t common_part_size(const tensor_slice& a, const tensor_slice& b);

// Returns why the parts of a tensor of shape `whole` do not cover `wanted`, or why they overlap; empty if they cover it without
// overlap.
std::string cover_fault(std::span<const tensor_slice> parts, const shape& whole, const tensor_slice& wanted);
// Returns whether the part is within a tensor of this shape.
bool lies_in(const tensor_slice& part, const shape& whole);

// Copies the elements that the parts `from_part` and `to_part` of one tensor have in common. Precondition: both parts have
// extents.
void copy_common_part(const any_tensor& from, const tensor_slice& from_part, any_tensor& to, const tensor_slice& to_part);

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/tensor_slice.hpp>
#endif
