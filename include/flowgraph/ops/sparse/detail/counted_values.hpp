#pragma once
// Integers to be counted, by rows.

#include <flowgraph/core/index_view.hpp>
#include <flowgraph/op/kernel.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Finds the row of each value of a ragged tensor, for values in ascending order. The last element of the splits must be the
// number of values. Like TensorFlow, it accepts splits that do not ascend.
struct counted_row {
  view<const std::int64_t> splits;
  std::size_t next = 0;

  std::int64_t of(std::int64_t value) {
    while (value >= splits[next]) ++next;
    return static_cast<std::int64_t>(next) - 1;
  }
};

// Fails and returns false unless there are `least` splits, the first is 0, and the last is the number of values.
bool check_counted_splits(cpu ctx, view<const std::int64_t> splits, std::size_t least, std::size_t values);
// Fails and returns false if a value is negative.
bool check_not_negative(cpu ctx, any_indices values);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/counted_values.hpp>
#endif
