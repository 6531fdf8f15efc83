#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Copies rows of a known small size, each without a call.
template <class Unit>
void copy_short_rows(const Unit* from, std::int64_t from_step, Unit* to, std::int64_t to_step, std::int64_t rows,
                     std::int64_t n) {
  for (; rows > 0; --rows, from += from_step, to += to_step)
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

#if defined(__GNUC__)
// Transposes 4 x 4 units of four bytes in registers. Rows of `from` and `to` are `from_step` and `to_step` units apart.
template <class Unit> void transpose_four(const Unit* from, std::int64_t from_step, Unit* to, std::int64_t to_step) {
  typedef std::uint32_t four [[gnu::vector_size(16)]];
  static_assert(sizeof(four) == 4 * sizeof(Unit));
  // Written out: a loop over the rows would keep them in memory below -O2.
  const auto load = [&](std::int64_t row) {
    four x;
    std::memcpy(&x, from + row * from_step, sizeof(four));
    return x;
  };
  const auto store = [&](std::int64_t row, four y) { std::memcpy(to + row * to_step, &y, sizeof(four)); };
  const four first = load(0), second = load(1), third = load(2), fourth = load(3);
  const four low = __builtin_shufflevector(first, second, 0, 4, 1, 5), high = __builtin_shufflevector(first, second, 2, 6, 3, 7);
  const four next_low = __builtin_shufflevector(third, fourth, 0, 4, 1, 5);
  const four next_high = __builtin_shufflevector(third, fourth, 2, 6, 3, 7);
  store(0, __builtin_shufflevector(low, next_low, 0, 1, 4, 5));
  store(1, __builtin_shufflevector(low, next_low, 2, 3, 6, 7));
  store(2, __builtin_shufflevector(high, next_high, 0, 1, 4, 5));
  store(3, __builtin_shufflevector(high, next_high, 2, 3, 6, 7));
}
template <class Unit> inline constexpr bool has_four = std::is_same_v<Unit, unit<std::uint32_t>>;
#else
template <class Unit> inline constexpr bool has_four = false;
#endif

// Transposes a part that fits the first-level cache: to[r][c] = from[c][r].
template <class Unit>
void transpose_part(const Unit* from, std::int64_t from_step, Unit* to, std::int64_t to_step, std::int64_t rows,
                    std::int64_t columns) {
  std::int64_t fours = 0, four_columns = 0;  // the rows and columns that are transposed in registers
  if constexpr (has_four<Unit>) {
    fours = rows / 4 * 4;
    four_columns = columns / 4 * 4;
    for (std::int64_t r = 0; r < fours; r += 4)
      for (std::int64_t c = 0; c < four_columns; c += 4)
        transpose_four(from + r + c * from_step, from_step, to + r * to_step + c, to_step);
  }
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = r < fours ? four_columns : 0; c < columns; ++c) to[r * to_step + c] = from[r + c * from_step];
}

// The rows and columns of a part that is transposed at once.
inline constexpr std::int64_t transposed_at_once = 16;

// Transposes in squares that fit the cache. Rows of the source advance by `row_step` and columns by `column_step`.
template <class Unit>
void copy_matrix(const Unit* from, std::int64_t row_step, std::int64_t column_step, Unit* to, std::int64_t rows,
                 std::int64_t columns) {
  if (column_step == 1) {
    for (std::int64_t r = 0; r < rows; ++r) std::copy_n(from + r * row_step, columns, to + r * columns);
    return;
  }
  if constexpr (!std::is_same_v<Unit, std::string>) {
    if (column_step == 0) {
      for (std::int64_t r = 0; r < rows; ++r) std::fill_n(to + r * columns, columns, from[r * row_step]);
      return;
    }
  }
  if (row_step != 1) {
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) to[r * columns + c] = from[r * row_step + c * column_step];
    return;
  }
  for (std::int64_t r = 0; r < rows; r += transposed_at_once)
    for (std::int64_t c = 0; c < columns; c += transposed_at_once)
      transpose_part(from + r + c * column_step, column_step, to + r * columns + c, columns,
                     std::min(transposed_at_once, rows - r), std::min(transposed_at_once, columns - c));
}

// Copies one of the matrices that the last two axes make. The axes before determine its beginning.
template <class Unit>
void copy_strided_matrix(const Unit* from, const strided_axes& axes, Unit* to, std::int64_t index, std::int64_t first_row,
                         std::int64_t last_row) {
  const int outer = axes.rank - 2;
  const std::int64_t rows = outer >= 0 ? axes.extents[outer] : 1, columns = axes.extents[axes.rank - 1];
  std::int64_t at = 0, rest = index;
  for (int i = outer - 1; i >= 0; --i) {
    at += rest % axes.extents[i] * axes.steps[i];
    rest /= axes.extents[i];
  }
  const std::int64_t row_step = outer >= 0 ? axes.steps[outer] : 0;
  copy_matrix(from + at + first_row * row_step, row_step, axes.steps[axes.rank - 1], to + (index * rows + first_row) * columns,
              last_row - first_row, columns);
}

inline any_tensor copied_to(cpu ctx, const any_tensor& value, std::pmr::memory_resource* memory) {
  auto copy = value.copy(memory, ctx.memory());
  if (copy) return *std::move(copy);
  const memory_budget* const limit = memory == ctx.memory() ? ctx.call().run->budget : nullptr;
  ctx.fail(copy.error().code(), message{copy.error().message(), limit_in_words(limit)});
  return {};
}

}  // namespace detail

FLOWGRAPH_INLINE any_tensor detail::kept_value(cpu ctx, const any_tensor& value, std::pmr::memory_resource* memory) {
  return value.is_owned() ? value : copied_to(ctx, value, memory);
}

FLOWGRAPH_INLINE any_tensor detail::lasting_value(cpu ctx, const any_tensor& value) {
  std::pmr::memory_resource* const memory = ctx.lasting_memory();
  const bool is_placed = ctx.call().run->of_host != nullptr;
  const bool is_there = value.is_owned() && (!is_placed || value.owner()->memory()->is_equal(*memory));
  return is_there ? value : copied_to(ctx, value, memory);
}

FLOWGRAPH_INLINE void detail::copy_rows(cpu ctx, element_layout e, const void* from, std::int64_t from_step, void* to,
                                        std::int64_t to_step, std::int64_t rows, std::int64_t n) {
  if (rows <= 0 || n <= 0) return;
  if (from_step == n && to_step == n) {
    n *= rows;
    rows = 1;
  }
  if (rows == 1) {
    ctx.parallel_ranges(n, moved_per_block, [&](std::int64_t first, std::int64_t last) {
      copy_elements(e, element_at(e, from, first), element_at(e, to, first), last - first);
    });
    return;
  }
  ctx.parallel_ranges(rows, std::max<std::int64_t>(1, moved_per_block / n), [&](std::int64_t first, std::int64_t last) {
    if (n <= 8) {
      visit_layout(e, [&]<class Unit>() {
        copy_short_rows(static_cast<const Unit*>(from) + first * from_step, from_step, static_cast<Unit*>(to) + first * to_step,
                        to_step, last - first, n);
      });
      return;
    }
    for (std::int64_t r = first; r < last; ++r)
      copy_elements(e, element_at(e, from, r * from_step), element_at(e, to, r * to_step), n);
  });
}

// Not inlined: otherwise g++ 12 warns of strings filled with a number, which never happens.
FLOWGRAPH_NOT_INLINED void detail::fill_elements(cpu ctx, element_layout e, const void* value, void* to, std::int64_t n) {
  visit_layout(e, [&]<class Unit>() {
    const Unit& element = *static_cast<const Unit*>(value);
    ctx.parallel_ranges(n, moved_per_block, [&](std::int64_t first, std::int64_t last) {
      std::fill(static_cast<Unit*>(to) + first, static_cast<Unit*>(to) + last, element);
    });
  });
}

FLOWGRAPH_INLINE void detail::copy_strided(cpu ctx, element_layout e, const void* from, const strided_axes& axes, void* to) {
  const std::int64_t size = axes.size();
  if (size == 0) return;
  const std::int64_t columns = axes.extents[axes.rank - 1], rows = axes.rank > 1 ? axes.extents[axes.rank - 2] : 1;
  const std::int64_t matrices = size / (rows * columns);
  std::int64_t rows_per_block = std::clamp<std::int64_t>(moved_per_block / columns, 1, rows);
  if (rows_per_block > transposed_at_once && rows_per_block < rows)
    rows_per_block = rows_per_block / transposed_at_once * transposed_at_once;
  const std::int64_t blocks_per_matrix = (rows + rows_per_block - 1) / rows_per_block;
  const std::int64_t matrices_per_block = std::max<std::int64_t>(1, moved_per_block / (rows * columns));
  visit_layout(e, [&]<class Unit>() {
    auto copy = [&](std::int64_t matrix, std::int64_t first, std::int64_t last) {
      copy_strided_matrix(static_cast<const Unit*>(from), axes, static_cast<Unit*>(to), matrix, first, last);
    };
    if (blocks_per_matrix > 1) {
      ctx.parallel_for(matrices * blocks_per_matrix, [&](std::int64_t block) {
        const std::int64_t first = block % blocks_per_matrix * rows_per_block;
        copy(block / blocks_per_matrix, first, std::min(first + rows_per_block, rows));
      });
    } else {
      ctx.parallel_ranges(matrices, matrices_per_block, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t matrix = first; matrix < last; ++matrix) copy(matrix, 0, rows);
      });
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
