#pragma once
// Kernels that move elements without reading their values: compiled once per element size, not once per type.

#include <flowgraph/op/kernel.hpp>

#include <algorithm>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The layout of the elements of a type in memory.
struct element_layout {
  std::uint32_t size;
  bool is_string;
};
template <class T>
inline constexpr element_layout layout_of{static_cast<std::uint32_t>(sizeof(T)), std::is_same_v<T, std::string>};

inline element_layout element_layout_of(dtype type) { return {static_cast<std::uint32_t>(size_of(type)), type == dtype::string}; }

// A group of bytes: an element of any type of that size.
template <class Storage> struct [[gnu::may_alias]] unit {
  Storage bytes;
};
struct sixteen_bytes {
  std::uint64_t low, high;
};

// Calls f.template operator()<Unit>() with a type that represents all types of that layout.
template <class F> decltype(auto) visit_layout(element_layout e, F&& f) {
  if (e.is_string) return f.template operator()<std::string>();
  switch (e.size) {
    case 1: return f.template operator()<unit<std::uint8_t>>();
    case 2: return f.template operator()<unit<std::uint16_t>>();
    case 4: return f.template operator()<unit<std::uint32_t>>();
    case 8: return f.template operator()<unit<std::uint64_t>>();
    default: return f.template operator()<unit<sixteen_bytes>>();
  }
}

inline const std::byte* element_at(element_layout e, const void* data, std::int64_t i) {
  return static_cast<const std::byte*>(data) + i * static_cast<std::int64_t>(e.size);
}
inline std::byte* element_at(element_layout e, void* data, std::int64_t i) {
  return static_cast<std::byte*>(data) + i * static_cast<std::int64_t>(e.size);
}

inline void copy_elements(element_layout e, const void* from, void* to, std::int64_t n) {
  if (n <= 0) return;
  if (e.is_string) std::copy_n(static_cast<const std::string*>(from), n, static_cast<std::string*>(to));
  else std::memcpy(to, from, static_cast<std::size_t>(n) * e.size);
}

// Returns the tensor for use after the run: shares the elements if they are owned, and otherwise copies them into that memory. If
// there is no memory, fails and returns no value.
any_tensor kept_value(cpu ctx, const any_tensor& value, std::pmr::memory_resource* memory);
// Returns the tensor for use after the run, in cpu::lasting_memory(). If nodes have devices, elements in other memory, such as
// those of a feed, are copied there.
any_tensor lasting_value(cpu ctx, const any_tensor& value);

// Elements that one block of a parallel loop moves.
inline constexpr std::int64_t moved_per_block = 1 << 15;

// Copies `rows` rows of `n` elements. The rows are `from_step` and `to_step` elements apart.
void copy_rows(cpu ctx, element_layout e, const void* from, std::int64_t from_step, void* to, std::int64_t to_step,
               std::int64_t rows, std::int64_t n);

// Writes the same element `n` times.
void fill_elements(cpu ctx, element_layout e, const void* value, void* to, std::int64_t n);

// The order in which to read a tensor: each axis has an extent and a number of elements to advance by. Axes that advance together
// become one.
struct strided_axes {
  static constexpr int most = 2 * shape::max_rank;
  std::int64_t extents[most] = {1}, steps[most] = {1};
  int rank = 1;

  constexpr void push(std::int64_t extent, std::int64_t step) {
    if (extent == 1) return;
    if (extents[rank - 1] == 1) {
      --rank;
    } else if (steps[rank - 1] == step * extent) {
      extents[rank - 1] *= extent;
      steps[rank - 1] = step;
      return;
    }
    extents[rank] = extent;
    steps[rank++] = step;
  }
  constexpr std::int64_t size() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= extents[i];
    return n;
  }
};

// Reads `from` in that order and writes row by row.
void copy_strided(cpu ctx, element_layout e, const void* from, const strided_axes& axes, void* to);

// In an empty tensor, steps and places may be too large for the type: they wrap around.
constexpr std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrapped_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// Returns the numbers of elements from one step of an axis to the next, in row-major order.
constexpr shape row_major_steps(const shape& extents) {
  shape steps = extents;
  std::int64_t step = 1;
  for (int i = extents.rank - 1; i >= 0; --i) {
    steps[i] = step;
    step = wrapped_product(step, extents[i]);
  }
  return steps;
}

// Returns the product of the extents of axes [first, last).
constexpr std::int64_t product_of(const shape& s, int first, int last) {
  std::int64_t product = 1;
  for (int i = first; i < last; ++i) product *= s[i];
  return product;
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/shared/impl/move.hpp>
#endif
