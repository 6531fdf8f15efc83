#pragma once
// The rows of ragged tensors: their lengths, and the row of each element.

#include <flowgraph/ops/sparse/ragged_tensor.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The ragged axes of a tensor, from the outermost to the innermost. Each row of an axis contains rows of the next axis, or
// values.
struct ragged_axes {
  struct axis {
    any_indices partition;    // the splits, or the row of each element
    bool is_of_rows = false;  // whether it contains rows
  };
  axis all[shape::max_rank];
  int count = 0;
  std::int64_t rows = 0;      // of the first axis
  std::int64_t elements = 0;  // of the last axis

  std::int64_t longest_row(int number) const;
};
inline std::int64_t ragged_axes::longest_row(int number) const {
  const any_indices p = all[number].partition;
  std::int64_t longest = 0, begin = 0;
  for (std::int64_t i = 0, n = static_cast<std::int64_t>(p.size()); i < n; ++i) {
    if (!all[number].is_of_rows) {
      if (i > 0) longest = std::max(longest, p[i] - p[i - 1]);
    } else {
      if (i > 0 && p[i] != p[i - 1]) begin = i;
      longest = std::max(longest, i + 1 - begin);
    }
  }
  return longest;
}

// Returns the first position in [0, size) whose number is not below x; `size` if there is none. The numbers ascend.
inline std::int64_t first_not_below(any_indices numbers, std::int64_t x) {
  std::int64_t begin = 0, end = static_cast<std::int64_t>(numbers.size());
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (numbers[middle] < x) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

// Finds the row of an element, and the position in the row, for elements in ascending order.
struct ragged_cursor {
  const ragged_axes::axis* axis = nullptr;
  std::int64_t row = -1, begin = 0, end = 0;

  void move_to(std::int64_t element) {
    if (element >= begin && element < end) return;
    const any_indices p = axis->partition;
    if (!axis->is_of_rows) {
      row = first_not_below(p, element + 1) - 1;
      begin = p[row];
      end = p[row + 1];
    } else if (row != p[element]) {
      row = p[element];
      begin = first_not_below(p, row);
      end = element + 1;
    } else {
      end = element + 1;
    }
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
