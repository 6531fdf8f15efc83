#pragma once
// Sparse tensors that are stored under ids in the session's container, so that queues can pass on their ids.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct sparse_map_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  std::string container = {}, shared_name = {};
  static constexpr auto attrs = flowgraph::attrs(attr("container", &sparse_map_attributes::container),
                                                 attr("shared_name", &sparse_map_attributes::shared_name));
};

}  // namespace detail

// Stores a sparse tensor, and returns its id.
struct add_sparse_to_tensors_map_op : detail::sparse_map_attributes {
  static constexpr std::string_view name = "AddSparseToTensorsMap";
  using types = all_types;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> sparse_indices, view<const T> sparse_values,
                  view<const std::int64_t> sparse_shape, view<std::int64_t> sparse_handle) const;
};

// Stores each row of a sparse tensor as a sparse tensor without the first axis, and returns the ids of these tensors.
struct add_many_sparse_to_tensors_map_op : detail::sparse_map_attributes {
  static constexpr std::string_view name = "AddManySparseToTensorsMap";
  using types = all_types;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& values,
                         const flowgraph::shape& extents) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> sparse_indices, view<const T> sparse_values,
                  view<const std::int64_t> sparse_shape, unsized<std::int64_t> sparse_handles) const;
};

// Removes the sparse tensors with the given ids from storage, and returns them as the rows of one sparse tensor with a new
// first axis.
struct take_many_sparse_from_tensors_map_op : detail::sparse_map_attributes {
  static constexpr std::string_view name = "TakeManySparseFromTensorsMap";
  using types = type_attrs<type_attr<"dtype", all_types>>;

  shape_list shape(shape_context& c, const flowgraph::shape& handles) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> sparse_handles, unsized<std::int64_t> sparse_indices,
                  unsized<T> sparse_values, unsized<std::int64_t> sparse_shape) const;
};

using sparse_tensors_map_ops =
    type_list<add_sparse_to_tensors_map_op, add_many_sparse_to_tensors_map_op, take_many_sparse_from_tensors_map_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/sparse_tensors_map.hpp>
#endif
