#pragma once
// Shapes: known, partly known, or of unknown rank. `shape` is a structural type, and its functions are constexpr, so a shape can be
// a template argument.

#include <flowgraph/fwd.hpp>

#include <initializer_list>
#include <string>
#include <type_traits>

namespace flowgraph::inline FLOWGRAPH_ABI {

// One extent. `fg::any` is an extent that is known only at run time.
struct dim {
  std::int64_t extent;  // number of elements along the axis; -1: unknown
  template <class Integer>
    requires std::is_integral_v<Integer> constexpr dim(Integer n) : extent(static_cast<std::int64_t>(n)) {}
};
inline constexpr dim any{-1};

// The extents of a tensor: fg::shape{2, fg::any}. Extents may be unknown (-1), and the rank may also be unknown (-1).
struct shape {
  static constexpr int max_rank = 12;  // recorded graphs reach rank 11

  int rank = 0;                 // -1: unknown; the first member, so that a small shape is in one cache line
  std::int64_t dims[max_rank];  // the extents of the first `rank` axes

  // The constructors initialize and copy only the extents that are used. In constant evaluation they initialize all extents, which
  // the language requires.
  constexpr shape() { fill_unused(); }
  constexpr shape(std::initializer_list<dim> list) {
    for (const dim d : list) push_back(d.extent);
    fill_unused();
  }
  constexpr shape(const shape& other) : rank(other.rank) {
    for (int i = 0; i < rank; ++i) dims[i] = other.dims[i];
    fill_unused();
  }
  constexpr shape& operator=(const shape& other) {
    rank = other.rank;
    for (int i = 0; i < rank; ++i) dims[i] = other.dims[i];
    return *this;
  }

  // Returns a shape of unknown rank.
  static constexpr shape unknown() {
    shape s;
    s.rank = -1;
    return s;
  }
  // Returns a shape with this number of axes and unknown extents.
  static constexpr shape unknown_of_rank(int rank) {
    shape s;
    for (int i = 0; i < rank; ++i) s.push_back(-1);
    return s;
  }
  static constexpr shape of(const std::int64_t* extents, int rank) {
    shape s;
    for (int i = 0; i < rank; ++i) s.push_back(extents[i]);
    return s;
  }

  // Returns the extent of an axis; a negative axis counts from the end. Returns -1 if the shape does not have the axis.
  constexpr std::int64_t operator[](int axis) const {
    const int at = axis < 0 ? axis + rank : axis;
    return at >= 0 && at < rank ? dims[at] : -1;
  }
  // Precondition: there is the axis.
  constexpr std::int64_t& operator[](int axis) { return dims[axis < 0 ? axis + rank : axis]; }
  constexpr const std::int64_t* begin() const { return dims; }
  constexpr const std::int64_t* end() const { return dims + (rank > 0 ? rank : 0); }

  // Appends an extent. If the rank would exceed max_rank, the shape becomes unknown; callers that get a rank from outside the
  // library check it first.
  constexpr void push_back(std::int64_t extent) {
    if (rank < 0) return;
    if (rank == max_rank) {
      *this = unknown();
      return;
    }
    dims[rank++] = extent;
  }

  // Returns whether the number of axes is known.
  constexpr bool has_rank() const { return rank >= 0; }
  // Returns whether all extents are known.
  constexpr bool is_known() const {
    if (rank < 0) return false;
    for (int i = 0; i < rank; ++i)
      if (dims[i] < 0) return false;
    return true;
  }

  // Returns the number of elements. Precondition: the shape is known.
  constexpr std::int64_t size() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i];
    return n;
  }

  constexpr bool operator==(const shape& other) const {
    if (rank != other.rank) return false;
    for (int i = 0; i < rank; ++i)
      if (dims[i] != other.dims[i]) return false;
    return true;
  }

  // Sets the unused extents in constant evaluation, which does not allow uninitialised elements.
  constexpr void fill_unused() {
    if (std::is_constant_evaluated())
      for (int i = rank > 0 ? rank : 0; i < max_rank; ++i) dims[i] = 0;
  }
};

// Returns whether a tensor of shape `found` is valid for the declared shape `expected`.
constexpr bool fits(const shape& found, const shape& expected) {
  if (found.rank < 0 || expected.rank < 0) return true;
  if (found.rank != expected.rank) return false;
  for (int i = 0; i < found.rank; ++i)
    if (found.dims[i] >= 0 && expected.dims[i] >= 0 && found.dims[i] != expected.dims[i]) return false;
  return true;
}

// Combines two shapes of the same tensor: an extent of the result is known if it is known in at least one of the two shapes.
// Precondition: the shapes fit.
constexpr shape merged(const shape& a, const shape& b) {
  if (a.rank < 0) return b;
  if (b.rank < 0) return a;
  shape s = a;
  for (int i = 0; i < a.rank && i < b.rank; ++i)  // both ranks are equal, but compilers do not know it
    if (s.dims[i] < 0) s.dims[i] = b.dims[i];
  return s;
}

// Returns whether `a` and `b` can be broadcast, as far as their extents are known, and sets `result` to the shape of the result.
constexpr bool broadcast(const shape& a, const shape& b, shape& result) {
  result = shape::unknown();
  if (a.rank < 0 || b.rank < 0) return true;
  const int rank = a.rank > b.rank ? a.rank : b.rank;
  shape s = shape::unknown_of_rank(rank);
  for (int i = 0; i < rank; ++i) {
    const std::int64_t x = i < a.rank ? a.dims[a.rank - 1 - i] : 1;
    const std::int64_t y = i < b.rank ? b.dims[b.rank - 1 - i] : 1;
    std::int64_t& z = s.dims[rank - 1 - i];
    if (x == y) z = x;
    else if (x == 1) z = y;
    else if (y == 1) z = x;
    else if (x < 0) z = y;  // the unknown extent must be 1 or equal
    else if (y < 0) z = x;
    else return false;
  }
  result = s;
  return true;
}

// Returns "[2,?,3]", or "?" if the rank is unknown.
inline std::string to_string(const shape& s) {
  if (s.rank < 0) return "?";
  std::string text = "[";
  for (int i = 0; i < s.rank; ++i) {
    if (i) text += ',';
    text += s.dims[i] < 0 ? std::string("?") : std::to_string(s.dims[i]);
  }
  return text + "]";
}

}  // namespace flowgraph
