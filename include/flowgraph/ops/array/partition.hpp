#pragma once
// Rows distributed to several tensors by index, and rows of several tensors merged into one.

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape stitched_shape(shape_context& c, std::span<const shape> indices, std::span<const shape> data);

template <class T> gradient_list stitch_gradient(const out_list<std::int32_t>& indices, const out<T>& dy) {
  gradient_list all(indices.size());
  for (const out<std::int32_t>& i : indices) all.push_back(gather(dy, i));
  return all;
}

// The base of the ops that merge rows.
struct row_stitch {
  using types = all_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> indices,
                         std::span<const flowgraph::shape> data) const {
    return stitched_shape(c, indices, data);
  }
  template <class T> void operator()(cpu ctx, view_list<const std::int32_t> indices, view_list<const T> data, view<T> y) const;
  template <class T> gradient_list gradient(const out_list<std::int32_t>& indices, const out_list<T>&, out<T>, out<T> dy) const {
    return stitch_gradient(indices, dy);
  }
};

}  // namespace detail

// Distributes rows to several tensors: output k contains the rows of data whose partition is k, in order. The shape of
// `partitions` must be a prefix of the shape of data.
struct dynamic_partition_op {
  static constexpr std::string_view name = "DynamicPartition";
  using types = all_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  std::int64_t num_partitions = 1;
  static constexpr auto attrs = flowgraph::attrs(required("num_partitions", &dynamic_partition_op::num_partitions));

  std::size_t output_count() const { return detail::list_size(num_partitions); }
  shape_list shape(shape_context& c, const flowgraph::shape& data, const flowgraph::shape& partitions) const;
  std::size_t scratch(const flowgraph::shape& data, const flowgraph::shape& partitions) const;
  template <class T> void operator()(cpu ctx, view<const T> data, view<const std::int32_t> partitions, view_list<T> parts) const;
  template <class T>
  gradients_of<T, 2> gradient(out<T> data, out<std::int32_t> partitions, const out_list<T>&, const out_list<T>& dy) const {
    const auto zero = detail::constant_beside(data, tensor<std::int32_t>(0)),
               one = detail::constant_beside(data, tensor<std::int32_t>(1));
    const auto places = reshape_like(range(zero, size_of(partitions), one), partitions);
    return {{reshape_like(parallel_dynamic_stitch(apply(*this, places, partitions), dy), data), none}};
  }
};

// Merges rows of several tensors: row indices[k][i...] of the result is data[k][i...]. If a row is named several times, the last
// value is used. A row that is not named is zero.
struct dynamic_stitch_op : detail::row_stitch {
  static constexpr std::string_view name = "DynamicStitch";
};
// DynamicStitch under another name. If a row is named several times, the last value is used here as well.
struct parallel_dynamic_stitch_op : detail::row_stitch {
  static constexpr std::string_view name = "ParallelDynamicStitch";
};

// Concatenates tensors along their first axis, which has extent 1. The result has the shape `shape`: its first extent is the
// number of tensors.
struct parallel_concat_op {
  static constexpr std::string_view name = "ParallelConcat";
  using types = all_types;
  static constexpr op_facts facts{.not_differentiable = true};
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(required("shape", &parallel_concat_op::declared));

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> values) const;
  template <class T> void operator()(cpu ctx, view_list<const T> values, view<T> y) const;
};

template <class T>
out_list<T> dynamic_partition(const out<T>& data, const out<std::int32_t>& partitions, int number, site s = {}) {
  return apply(dynamic_partition_op{number}, data, partitions, s);
}
template <class T> out<T> dynamic_stitch(const out_list<std::int32_t>& indices, const out_list<T>& data, site s = {}) {
  return apply(dynamic_stitch_op{}, indices, data, s);
}
template <class T> out<T> parallel_dynamic_stitch(const out_list<std::int32_t>& indices, const out_list<T>& data, site s = {}) {
  return apply(parallel_dynamic_stitch_op{}, indices, data, s);
}

using partition_ops = type_list<dynamic_partition_op, dynamic_stitch_op, parallel_dynamic_stitch_op, parallel_concat_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/partition.hpp>
#endif
