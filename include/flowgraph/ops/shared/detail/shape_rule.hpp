#pragma once
// Common requests of shape rules to their inputs.

#include <flowgraph/op/shape_rule.hpp>

#include <limits>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the product of extents, which are not negative; -1 if it does not fit.
constexpr std::int64_t checked_product(const std::int64_t* first, const std::int64_t* last) {
  std::int64_t product = 1;
  for (; first != last; ++first) {
    if (*first != 0 && product > std::numeric_limits<std::int64_t>::max() / *first) return -1;
    product *= *first;
  }
  return product;
}

// Returns an axis counted from either end as a non-negative number; -1 if it is out of range.
constexpr int normalized_axis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return -1;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Returns a message such as "axis must be in [-2, 2), found 5".
inline std::string axis_message(std::string_view what, int rank, std::int64_t found) {
  return message{what, " must be in [", -rank, ", ", rank, "), found ", found};
}

// Returns whether a shape may be a scalar's: TensorFlow also accepts the vectors of one element of old graphs.
constexpr bool may_be_scalar(const shape& s) { return s.rank <= 0 || (s.rank == 1 && (s[0] < 0 || s[0] == 1)); }

// Returns input `i`, a scalar or a vector of one element, if it is known. Fails if it has another shape.
inline std::optional<std::int64_t> scalar_integer(shape_context& c, std::size_t i, const shape& found, std::string_view what) {
  if (!may_be_scalar(found)) {
    c.fail(message{what, " must be a scalar"});
    return {};
  }
  const shape value = c.integers(i);
  if (value.rank != 1) return {};
  return value[0];
}

// Returns input `i`, the extents of a shape: a vector, or in old graphs a scalar for one extent. If the input is not known,
// returns a shape of unknown rank, and sets `unknown_extents` to the known part of the shape.
inline shape extents_or_scalar(shape_context& c, std::size_t i, const shape& found, std::string_view what,
                               shape& unknown_extents) {
  if (found.rank > 1) return c.fail(message{what, " must be a vector or a scalar"});
  if (found.rank == 1 && found[0] > shape::max_rank)
    return c.fail(message{what, " must have at most ", shape::max_rank, " elements"});
  unknown_extents = found.rank == 0                    ? shape{any}
                    : found.rank == 1 && found[0] >= 0 ? shape::unknown_of_rank(static_cast<int>(found[0]))
                                                       : shape::unknown();
  return c.integers(i);
}

// Returns input `i`, a vector with a number for each of `rank` axes (-1: any number); a shape of unknown rank if it is not known.
inline shape vector_of_integers(shape_context& c, std::size_t i, const shape& found, std::string_view what, int rank = -1) {
  if (found.has_rank() && found.rank != 1) return c.fail(message{what, " must be a vector"});
  if (found.rank == 1 && found[0] > shape::max_rank)
    return c.fail(message{what, " must have at most ", shape::max_rank, " elements"});
  if (found.rank == 1 && found[0] >= 0 && rank >= 0 && found[0] != rank)
    return c.fail(message{what, " must have one element per axis (", rank, "), found ", found[0]});
  return c.integers(i);
}
// Returns the shape that input `i`, a vector of extents, contains, or an unknown shape after a failure.
inline shape shape_of_extents(shape_context& c, std::size_t i, const shape& found) {
  const shape result = vector_of_integers(c, i, found, "shape");
  if (c.failed()) return shape::unknown();
  for (const std::int64_t extent : result)
    if (extent < 0) return c.fail(message{"shape must not be negative, found ", result});
  if (result.has_rank() && checked_product(result.begin(), result.end()) < 0)
    return c.fail(message{"shape ", result, " is too large"});
  return result.has_rank() || found.rank != 1 || found[0] < 0 ? result : shape::unknown_of_rank(static_cast<int>(found[0]));
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
