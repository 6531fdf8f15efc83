#pragma once

#include <flowgraph/ops/array/partition.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns `whole` without its first axes, which are those of `first`. Fails if they differ.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape rest_of(shape_context& c, const shape& whole, const shape& first,
                                                     std::string_view what) {
  if (!whole.has_rank() || !first.has_rank()) return shape::unknown();
  bool begins = first.rank <= whole.rank;
  for (int i = 0; begins && i < first.rank; ++i) begins = first[i] < 0 || whole[i] < 0 || first[i] == whole[i];
  if (!begins) return c.fail(message{"the shape of ", what, " must begin that of data, found ", first, " and ", whole});
  return shape::of(whole.begin() + first.rank, whole.rank - first.rank);
}
// Returns the shape of `count` rows.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape rows_of(shape_context& c, std::int64_t count, const shape& row) {
  if (!row.has_rank()) return row;
  if (row.rank == shape::max_rank) return c.fail(message{"expected rows of at most ", shape::max_rank - 1, " axes"});
  shape result{count};
  for (const std::int64_t extent : row) result.push_back(extent);
  return result;
}

// Copies rows of `inner` elements to the next row of their partitions. `places` has room for a number per row and per output.
FLOWGRAPH_KERNEL_INLINE void deal_rows(cpu ctx, element_layout e, std::int64_t* places) {
  const any_tensor &data = ctx.input(0), &partitions = ctx.input(1);
  const auto count = static_cast<std::int64_t>(partitions.size());
  if (data.size() == 0) return;
  const std::int64_t inner = static_cast<std::int64_t>(data.size()) / count;
  const std::int32_t* const chosen = partitions.as<std::int32_t>().data();
  std::int64_t* const next = places + count;
  std::fill_n(next, ctx.output_count(), std::int64_t{0});
  for (std::int64_t i = 0; i < count; ++i) places[i] = next[chosen[i]]++;
  edge_value* const* parts = ctx.call().outputs;
  ctx.parallel_ranges(count, std::max<std::int64_t>(1, moved_per_block / inner), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      copy_elements(e, element_at(e, data.data(), i * inner), element_at(e, parts[chosen[i]]->tensor.data(), places[i] * inner),
                    inner);
  });
}

FLOWGRAPH_KERNEL_INLINE shape stitched_shape(shape_context& c, std::span<const shape> indices, std::span<const shape> data) {
  if (indices.size() != data.size() || data.empty())
    return c.fail(
        message{"expected as many tensors of indices as of data, one or more, found ", indices.size(), " and ", data.size()});
  shape row = shape::unknown();
  std::int64_t rows = 0;
  for (std::size_t k = 0; k < data.size(); ++k) {
    const shape rest = rest_of(c, data[k], indices[k], "indices");
    if (c.failed()) return rest;
    if (!fits(rest, row)) return c.fail(message{"the rows must have one shape, found ", row, " and ", rest});
    row = merged(row, rest);
    const any_tensor* known = c.constant(k);
    if (!known) rows = -1;
    for (std::size_t i = 0; known && i < known->size(); ++i) {
      const std::int64_t index = known->as<std::int32_t>()[i];
      if (index < 0) return c.fail(message{"indices must not be negative, found ", index});
      if (rows >= 0) rows = std::max(rows, index + 1);
    }
  }
  return rows_of(c, rows, row);
}

FLOWGRAPH_KERNEL_INLINE void stitch_rows(cpu ctx, element_layout e, void* y, const shape& result) {
  const std::size_t lists = ctx.input_count() / 2;
  if (result.size() == 0) return;
  const std::int64_t inner = result.size() / result[0];
  const std::string nothing;
  const sixteen_bytes zero{};
  fill_elements(ctx, e, e.is_string ? static_cast<const void*>(&nothing) : &zero, y, result.size());
  std::int64_t rows = 1;
  for (std::size_t k = 0; k < lists; ++k) rows += static_cast<std::int64_t>(ctx.input(k).size());
  // Blocks of columns: within one, rows are set in their order.
  ctx.parallel_ranges(inner, std::max<std::int64_t>(64, moved_per_block / rows), [&](std::int64_t first, std::int64_t last) {
    for (std::size_t k = 0; k < lists; ++k) {
      const view<const std::int32_t> indices = ctx.input(k).as<std::int32_t>();
      const void* const data = ctx.input(lists + k).data();
      for (std::size_t i = 0; i < indices.size(); ++i)
        copy_elements(e, element_at(e, data, static_cast<std::int64_t>(i) * inner + first),
                      element_at(e, y, indices[i] * inner + first), last - first);
    }
  });
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list dynamic_partition_op::shape(shape_context& c, const flowgraph::shape& data,
                                                                              const flowgraph::shape& partitions) const {
  if (num_partitions < 1 || num_partitions != static_cast<std::int64_t>(c.output_count()))
    c.fail(message{"num_partitions must be positive and the number of outputs, found ", num_partitions});
  const flowgraph::shape row = detail::rest_of(c, data, partitions, "partitions");
  const any_tensor* known = c.constant(1);
  shape_list parts(c.failed() ? 0 : c.output_count(), detail::rows_of(c, known ? 0 : -1, row));
  for (std::size_t i = 0; known && !c.failed() && i < known->size(); ++i) {
    const std::int32_t k = known->as<std::int32_t>()[i];
    if (k < 0 || k >= num_partitions) c.fail(message{"partitions[", i, "] must be in [0, ", num_partitions, "), found ", k});
    else if (row.has_rank()) parts[static_cast<std::size_t>(k)][0] += 1;
  }
  return parts;
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t dynamic_partition_op::scratch(const flowgraph::shape&,
                                                                                 const flowgraph::shape& partitions) const {
  return (static_cast<std::size_t>(partitions.size()) + output_count()) * sizeof(std::int64_t);
}
template <class T> void dynamic_partition_op::operator()(cpu ctx, view<const T>, view<const std::int32_t>, view_list<T>) const {
  detail::deal_rows(ctx, detail::layout_of<T>, ctx.scratch<std::int64_t>());
}

template <class T>
void detail::row_stitch::operator()(cpu ctx, view_list<const std::int32_t>, view_list<const T>, view<T> y) const {
  detail::stitch_rows(ctx, detail::layout_of<T>, y.data(), y.shape());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape parallel_concat_op::shape(shape_context& c,
                                                                       std::span<const flowgraph::shape> values) const {
  using flowgraph::shape;
  shape one = shape::unknown();
  for (const shape& s : values) {
    if (s.has_rank() && (s.rank == 0 || (s[0] >= 0 && s[0] != 1)))
      return c.fail(message{"the values must have a first axis of extent 1, found ", s});
    if (!fits(s, one)) return c.fail(message{"the values must have one shape, found ", values[0], " and ", s});
    one = merged(one, s);
  }
  const auto count = static_cast<std::int64_t>(values.size());
  if (one.has_rank()) one[0] = count;
  if (!declared.is_known() || declared.rank == 0 || declared[0] != count || !fits(one, declared))
    return c.fail(message{"shape must be that of ", count, " values together, found ", declared});
  return declared;
}
template <class T> void parallel_concat_op::operator()(cpu ctx, view_list<const T> values, view<T> y) const {
  const std::int64_t row = static_cast<std::int64_t>(y.size()) / std::max<std::int64_t>(y.dim(0), 1);
  for (std::size_t k = 0; k < values.size(); ++k)
    detail::copy_rows(ctx, detail::layout_of<T>, values[k].data(), row, y.data() + static_cast<std::int64_t>(k) * row, row, 1,
                      row);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
