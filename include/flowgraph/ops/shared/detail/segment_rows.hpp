#pragma once
// The loops of all segment ops, which reduce the rows that name the same segment.

#include <flowgraph/ops/shared/detail/index_list.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/shared/segment_scale.hpp>

#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Checks that all indices are in [0, extent), or only below it if `allow_negative`. Fails with the first index that is not.
bool check_range(cpu ctx, const index_list& indices, std::int64_t extent, std::string_view what, bool allow_negative = false);

// Returns the number of segments that ids in ascending order name; -1 after a failure.
std::int64_t count_segments(cpu ctx, const index_list& ids);

// The terms of a reduction: row from[i] of the data belongs to row to[i] of the result. `to` ascends and its indices are below
// `rows`.
struct segment_terms {
  index_list to, from;
  std::int64_t rows = 0, width = 0;  // of the result
  const double* weights = nullptr;   // of the rows of the data

  std::int64_t first_of(std::int64_t row) const;
};

struct added_terms {
  template <class T> using kept = wide<T>;
  template <class K> static K merge(K a, K b) { return a + b; }
};
struct multiplied_terms {
  template <class T> using kept = wide<T>;
  template <class K> static K merge(K a, K b) { return a * b; }
};
// If a term is NaN, the next number replaces it, as in TensorFlow.
struct largest_term {
  template <class T> using kept = std::conditional_t<is_half<T>, float, T>;
  template <class K> static K merge(K a, K b) { return b < a ? a : b; }
};
struct smallest_term {
  template <class T> using kept = std::conditional_t<is_half<T>, float, T>;
  template <class K> static K merge(K a, K b) { return a < b ? a : b; }
};

template <class T> inline constexpr bool is_floating = std::is_floating_point_v<T> || is_half<T>;

// Divides a sum in the type in which it was computed.
template <class T, class K> T scaled_sum(K sum, std::int64_t count, segment_scale scale) {
  if (scale == segment_scale::none || count == 1) return static_cast<T>(sum);
  if constexpr (std::is_integral_v<T>) {
    return (wrapping<T>(static_cast<T>(sum)) / wrapping<T>(static_cast<T>(count))).value;
  } else if constexpr (is_complex<T>) {
    return sum / static_cast<typename T::value_type>(count);
  } else {
    const auto divisor = static_cast<double>(count);
    return static_cast<T>(sum / static_cast<K>(scale == segment_scale::count ? divisor : std::sqrt(divisor)));
  }
}

// Merges the terms of each row. Rows without terms become `empty`. Blocks are rows by columns; within a block, terms are merged
// in their order.
template <class F, class T>
void reduce_segments(cpu ctx, const segment_terms& terms, const T* data, T* y, T empty,
                     segment_scale scale = segment_scale::none) {
  using kept = typename F::template kept<T>;
  constexpr std::int64_t columns = 128;
  if (terms.rows == 0 || terms.width == 0) return;
  const std::int64_t width = terms.width, strips = (width + columns - 1) / columns;
  const std::int64_t reads_a_row = std::min(width, columns) * (1 + terms.to.size / terms.rows);
  const std::int64_t grain = std::max<std::int64_t>(1, moved_per_block / reads_a_row);
  ctx.parallel_for((terms.rows + grain - 1) / grain * strips, [&](std::int64_t block) {
    const std::int64_t column = block % strips * columns, n = std::min(columns, width - column);
    const std::int64_t begin = block / strips * grain, end = std::min(begin + grain, terms.rows);
    kept merged[columns];
    std::int64_t i = terms.first_of(begin);
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t first = i;
      for (; i < terms.to.size && terms.to[i] == row; ++i) {
        const std::int64_t from = terms.from[i];
        const T* x = data + from * width + column;
        if constexpr (is_floating<T> && std::is_same_v<F, added_terms>) {
          if (terms.weights) {
            const auto weight = static_cast<kept>(terms.weights[from]);
            if (i == first) std::fill_n(merged, n, kept());
            for (std::int64_t c = 0; c < n; ++c) merged[c] += static_cast<kept>(x[c]) * weight;
            continue;
          }
        }
        if (i == first)
          for (std::int64_t c = 0; c < n; ++c) merged[c] = static_cast<kept>(x[c]);
        else
          for (std::int64_t c = 0; c < n; ++c) merged[c] = F::template merge<kept>(merged[c], static_cast<kept>(x[c]));
      }
      T* to = y + row * width + column;
      if (i == first) std::fill_n(to, n, empty);
      else
        for (std::int64_t c = 0; c < n; ++c) to[c] = scaled_sum<T>(merged[c], i - first, scale);
    }
  });
}

// Merges the terms of ids in any order, without those of negative ids. Merging begins at `empty`.
template <class F, class T>
void reduce_unsorted_segments(cpu ctx, const index_list& ids, view<const T> data, view<T> y, T empty) {
  using kept = typename F::template kept<T>;
  // As in TensorFlow, rows without elements can be in any segment.
  if (data.size() > 0 && !check_range(ctx, ids, y.dim(0), "segment_ids", true)) return;
  const std::int64_t width = product_of(y.shape(), 1, y.rank());
  std::fill(y.begin(), y.end(), empty);
  if (ids.size == 0 || width == 0) return;
  // Blocks of columns: within one, rows are merged in their order.
  ctx.parallel_ranges(width, std::max<std::int64_t>(64, moved_per_block / ids.size), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = 0; r < ids.size; ++r) {
      const std::int64_t id = ids[r];
      if (id < 0) continue;
      const T* from = data.data() + r * width;
      T* to = y.data() + id * width;
      for (std::int64_t i = first; i < last; ++i)
        to[i] = static_cast<T>(F::template merge<kept>(static_cast<kept>(to[i]), static_cast<kept>(from[i])));
    }
  });
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/shared/impl/segment_rows.hpp>
#endif
