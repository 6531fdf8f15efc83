#pragma once
// A default element for each row of a sparse tensor that contains no element, for example an id for lines without words.

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the gradients of SparseFillEmptyRows: for each value, the gradient of its new position; and for the default value, the
// sum of all others.
struct sparse_fill_empty_rows_grad_op {
  static constexpr std::string_view name = "SparseFillEmptyRowsGrad";
  using types = numbers;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& map, const flowgraph::shape& slopes) const;
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& slopes) const {
    return static_cast<std::size_t>(slopes[0]);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> map, view<const T> slopes, view<T> dvalues, view<T> ddefault) const;
};

// Adds an element with the default value at the beginning of each row without elements, and puts the elements in the order of
// their rows. Returns the elements, whether each row had none, and the new position of each element.
struct sparse_fill_empty_rows_op {
  static constexpr std::string_view name = "SparseFillEmptyRows";
  using types = all_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);

  shape_list shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                   const flowgraph::shape& extents, const flowgraph::shape& default_value) const;
  std::size_t scratch(const flowgraph::shape& indices, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return static_cast<std::size_t>(indices[0]) * sizeof(std::int64_t);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                  view<const T> default_value, unsized<std::int64_t> new_indices, unsized<T> new_values, unsized<bool> empty_rows,
                  view<std::int64_t> map) const;
  template <class T>
  gradients_of<T, 4> gradient(out<std::int64_t>, out<T>, out<std::int64_t>, out<T>, out<std::int64_t>, out<T>, out<bool>,
                              out<std::int64_t> map, out<std::int64_t>, out<T> dvalues, out<bool>, out<std::int64_t>) const {
    const auto [values, default_value] = apply(sparse_fill_empty_rows_grad_op{}, map, dvalues);
    return {{none, values, none, default_value}};
  }
};

// The results of `sparse_fill_empty_rows`.
template <class T> struct filled_rows {
  sparse_tensor<T> filled;              // every row has an element
  out<bool> empty_row_indicator;        // for each row, whether it had no element
  out<std::int64_t> reverse_index_map;  // for each element of the input, its position in `filled`
};

// Adds an element with the default value at the beginning of each row without elements, and puts the elements in the order of
// their rows.
template <class T>
filled_rows<T> sparse_fill_empty_rows(const sparse_tensor<T>& x, const std::type_identity_t<out<T>>& default_value, site s = {}) {
  const auto [indices, values, empty, map] =
      apply(sparse_fill_empty_rows_op{}, x.indices, x.values, x.dense_shape, default_value, s);
  return {{indices, values, x.dense_shape}, empty, map};
}

using sparse_fill_empty_rows_ops = type_list<sparse_fill_empty_rows_grad_op, sparse_fill_empty_rows_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/fill_empty_rows.hpp>
#endif
