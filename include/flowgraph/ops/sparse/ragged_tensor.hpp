#pragma once
// Tensors whose rows have different lengths: the elements of all rows in one vector, and the positions at which the rows begin.
//
//     fg::ragged_tensor<float> rows{{splits}, values};              // row i has the elements splits[i] to splits[i + 1] - 1
//     auto padded = fg::ragged_to_dense(rows);                      // zeros after the end of each row

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A ragged tensor in a graph. Row i consists of the values with the numbers row_splits[i] to row_splits[i + 1] - 1: the splits
// begin with 0, ascend, and end with the number of values. If there are several lists of splits, the rows of the first contain
// the rows of the second, and so on.
template <class T, class I = std::int64_t> struct ragged_tensor {
  using element_type = T;

  out_list<I> row_splits;  // from the outermost axis to the innermost
  out<T> values;           // the elements of all rows; they may have further axes

  // Returns the same rows with other elements.
  template <class U> ragged_tensor<U, I> with_values(const out<U>& other) const { return {row_splits, other}; }
};

namespace detail {

// Fails and returns false unless the splits begin with 0 and ascend. The message names them by `what` and `number`.
bool check_row_splits(cpu ctx, any_indices splits, std::string_view what, std::size_t number);

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/ragged_tensor.hpp>
#endif
