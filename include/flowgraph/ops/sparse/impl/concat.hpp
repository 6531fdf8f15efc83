#pragma once

#include <flowgraph/ops/sparse/detail/concat.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_concat_op::shape(shape_context& c, std::span<const flowgraph::shape> indices,
                                                                   std::span<const flowgraph::shape> values,
                                                                   std::span<const flowgraph::shape> extents) const {
  std::int64_t count = 0, rank = -1;
  if (indices.size() != values.size() || indices.size() != extents.size() || indices.size() < 2) {
    c.fail("expected the parts of at least two sparse tensors");
    return {{any, any}, {any}, {any}};
  }
  for (std::size_t i = 0; i < indices.size() && !c.failed(); ++i) {
    const detail::sparse_layout form = detail::check_sparse_layout(c, indices[i], values[i], extents[i]);
    if (c.failed()) break;
    count = count < 0 || form.count < 0 ? -1 : count + form.count;
    if (rank >= 0 && form.rank >= 0 && rank != form.rank) c.fail("the sparse tensors must have the same number of axes");
    rank = rank < 0 ? form.rank : rank;
  }
  if (!c.failed() && rank >= 0 && (concat_dim < -rank || concat_dim >= rank))
    c.fail(message{"concat_dim must be in [", -rank, ", ", rank, "), found ", concat_dim});
  return {{count, rank}, {count}, {rank}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t sparse_concat_op::scratch(std::span<const flowgraph::shape> indices,
                                                                      std::span<const flowgraph::shape>,
                                                                      std::span<const flowgraph::shape>) const {
  std::size_t count = 0;
  for (const flowgraph::shape& s : indices) count += static_cast<std::size_t>(s[0]) * (static_cast<std::size_t>(s[1]) + 1);
  return count * sizeof(std::int64_t);
}

namespace detail {

// As in TensorFlow, extents that no shape can have are an internal error.
inline bool check_joined_extents(cpu ctx, view<const std::int64_t> extents, std::string_view whose) {
  if (std::all_of(extents.begin(), extents.end(), [](std::int64_t n) { return n >= 0; }) &&
      checked_product(extents.begin(), extents.end()) >= 0)
    return true;
  ctx.fail(error_code::internal,
           message{"the extents of ", whose, " must not be negative, and their product must fit in 64 bits"});
  return false;
}

// Checks the extents of all inputs and writes those of the result.
inline bool join_extents(cpu ctx, std::size_t axis, view_list<const std::int64_t> extents, view<std::int64_t> joined) {
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (!check_joined_extents(ctx, extents[i], "an input")) return false;
  std::copy(extents[0].begin(), extents[0].end(), joined.begin());
  for (std::size_t i = 1; i < extents.size(); ++i)
    for (std::size_t k = 0; k < joined.size(); ++k) {
      if (k == axis) {
        joined[k] = wrapped_sum(joined[k], extents[i][k]);
      } else if (extents[i][k] != joined[k])
        return fail_check(ctx, message{"extent ", k, " of the sparse tensors must be equal, found ", joined[k], " and ",
                                       extents[i][k], " in input ", i});
    }
  return check_joined_extents(ctx, joined, "the result");
}

}  // namespace detail

FLOWGRAPH_INLINE const std::int64_t* detail::join_places(cpu ctx, std::int64_t concat_dim, view_list<const std::int64_t> indices,
                                                         view_list<const std::int64_t> extents, view<std::int64_t> new_indices,
                                                         view<std::int64_t> new_extents) {
  const auto rank = static_cast<std::int64_t>(new_extents.size());
  const auto axis = static_cast<std::size_t>(concat_dim < 0 ? concat_dim + rank : concat_dim);
  if (!join_extents(ctx, axis, extents, new_extents)) return nullptr;
  auto* const all = ctx.scratch<std::int64_t>();
  std::int64_t count = 0, offset = 0;
  for (std::size_t input = 0; input < indices.size(); ++input) {
    const places p(indices[input]);
    for (std::int64_t i = 0; i < p.count; ++i, ++count)
      for (std::int64_t k = 0; k < rank; ++k) {
        const std::int64_t extent = extents[input][static_cast<std::size_t>(k)], found = p[i][k];
        if (found < 0 || found >= extent) {
          ctx.fail(message{"the index at position [", i, ", ", k, "] of input ", input, " must be in [0, ", extent, "), found ",
                           found});
          return nullptr;
        }
        all[count * rank + k] = found + (static_cast<std::size_t>(k) == axis ? offset : 0);
      }
    offset += extents[input][axis];
  }
  std::int64_t* const order = all + count * rank;
  const shape form{count, rank};
  const places joined(view<const std::int64_t>(all, form));
  order_places(joined, order);
  for (std::int64_t i = 0; i < count; ++i) std::copy_n(joined[order[i]], rank, new_indices.data() + i * rank);
  return order;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::vector<std::uint32_t> sparse_split_op::output_sizes() const {
  return std::vector<std::uint32_t>(3, static_cast<std::uint32_t>(detail::list_size(num_split)));
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_split_op::shape(shape_context& c, const flowgraph::shape& axis,
                                                                  const flowgraph::shape& indices, const flowgraph::shape& values,
                                                                  const flowgraph::shape& extents) const {
  const detail::sparse_layout form = detail::check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && !fits(axis, {})) c.fail("split_dim must be a scalar");
  if (!c.failed() && num_split < 1) c.fail("num_split must be at least 1");
  shape_list all;
  const std::size_t parts = detail::list_size(num_split);
  for (std::size_t i = 0; i < parts; ++i) all.push_back({any, form.rank});
  for (std::size_t i = 0; i < parts; ++i) all.push_back({any});
  for (std::size_t i = 0; i < parts; ++i) all.push_back({form.rank});
  return all;
}

FLOWGRAPH_INLINE detail::axis_parts detail::find_axis_parts(cpu ctx, std::int64_t axis, std::int64_t count, const places& p,
                                                            view<const std::int64_t> extents) {
  const auto refuse = [&](const message& why) {
    ctx.fail(error_code::invalid_argument, why);
    return axis_parts{};
  };
  if (axis < -p.rank || axis >= p.rank) return refuse({"split_dim must be in [", -p.rank, ", ", p.rank, "), found ", axis});
  axis_parts parts{axis < 0 ? axis + p.rank : axis};
  if (!check_extents(ctx, any_indices(extents))) return parts;
  const std::int64_t extent = extents[static_cast<std::size_t>(parts.axis)];
  if (count > extent) return refuse({"num_split must be in [1, ", extent, "], found ", count});
  if (!check_inside(ctx, any_indices(ctx.input(1).as<std::int64_t>()), p.count, p.rank, any_indices(extents))) return parts;
  parts.size = extent / count;
  parts.larger = extent % count;
  return parts;
}

FLOWGRAPH_INLINE std::int64_t detail::count_part(const axis_parts& parts, std::int64_t part, const places& p) {
  std::int64_t n = 0;
  for (std::int64_t i = 0; i < p.count; ++i)
    n += p[i][parts.axis] >= parts.begin_of(part) && p[i][parts.axis] < parts.end_of(part);
  return n;
}

FLOWGRAPH_INLINE void detail::write_part(const axis_parts& parts, std::int64_t part, const places& p, element_layout e,
                                         const void* values, view<const std::int64_t> extents, std::int64_t* new_indices,
                                         void* new_values, view<std::int64_t> new_extents) {
  const std::int64_t begin = parts.begin_of(part), end = parts.end_of(part);
  std::copy(extents.begin(), extents.end(), new_extents.begin());
  new_extents[static_cast<std::size_t>(parts.axis)] = end - begin;
  std::int64_t result = 0;
  for (std::int64_t i = 0; i < p.count; ++i) {
    if (p[i][parts.axis] < begin || p[i][parts.axis] >= end) continue;
    std::copy_n(p[i], p.rank, new_indices + result * p.rank);
    new_indices[result * p.rank + parts.axis] -= begin;
    copy_elements(e, element_at(e, values, i), element_at(e, new_values, result++), 1);
  }
}

}  // namespace flowgraph
