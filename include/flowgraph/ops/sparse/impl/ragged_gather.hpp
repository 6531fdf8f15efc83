#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/sparse/detail/ragged_gather.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::vector<std::uint32_t> ragged_gather_op::output_sizes() const {
  return {static_cast<std::uint32_t>(detail::list_size(output_ragged_rank))};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list ragged_gather_op::shape(shape_context& c, std::span<const flowgraph::shape> splits,
                                                                   const flowgraph::shape& values,
                                                                   const flowgraph::shape& indices) const {
  using flowgraph::shape;
  const auto given = static_cast<std::int64_t>(splits.size());
  if (splits.empty()) c.fail("expected at least one list of splits");
  else if (given > shape::max_rank) c.fail(message{"expected at most ", shape::max_rank, " lists of splits, found ", given});
  for (const shape& s : splits)
    if (!c.failed() && !fits(s, {any})) c.fail(message{"the splits must be vectors, found the shape ", s});
  if (!c.failed() && values.rank == 0) c.fail("the values must have at least one axis");
  if (!c.failed() && output_ragged_rank < 0)
    c.fail(message{"OUTPUT_RAGGED_RANK must not be negative, found ", output_ragged_rank});
  if (const std::int64_t expected = given + indices.rank - 1; !c.failed() && indices.has_rank() && output_ragged_rank != expected)
    c.fail(message{"OUTPUT_RAGGED_RANK must be ", expected, " for indices with ", indices.rank, " axes, found ",
                   output_ragged_rank});
  shape_list all;
  for (std::size_t i = 0; i < detail::list_size(output_ragged_rank); ++i) all.push_back({any});
  if (indices.rank > 0 && !all.empty()) all[0] = {indices[0] < 0 ? -1 : indices[0] + 1};
  shape result = values;
  if (result.has_rank() && result.rank > 0) result[0] = -1;
  all.push_back(result);
  return all;
}

FLOWGRAPH_INLINE std::int64_t detail::gathered_size(const ragged_selection& r, int level) {
  std::int64_t size = 0;
  for (std::size_t i = 0; i < r.indices.size(); ++i) {
    const auto [begin, end] = r.range_at(level, r.indices[i]);
    size += end - begin;
  }
  return size;
}

FLOWGRAPH_INLINE void detail::copy_gathered_values(const ragged_selection& r, element_layout e, std::int64_t inner,
                                                   const void* from, void* to) {
  std::int64_t result = 0;
  for (std::size_t i = 0; i < r.indices.size(); ++i) {
    const auto [begin, end] = r.range_at(r.count, r.indices[i]);
    copy_elements(e, element_at(e, from, begin * inner), element_at(e, to, result * inner), (end - begin) * inner);
    result += end - begin;
  }
}

namespace detail {

// Checks that the splits `level` contain rows of the splits after them, or values: `size` in all.
inline bool check_gathered_splits(cpu ctx, any_indices splits, int level, std::int64_t size) {
  if (splits.size() == 0) return fail_check(ctx, message{"the splits with the number ", level, " must not be empty"});
  if (splits[0] < 0)
    return fail_check(ctx, message{"the splits with the number ", level, " must not be negative, found ", splits[0]});
  for (std::size_t i = 1; i < splits.size(); ++i)
    if (splits[i] < splits[i - 1])
      return fail_check(
          ctx, message{"the splits with the number ", level, " must ascend, found ", splits[i - 1], " before ", splits[i]});
  if (const std::int64_t last = splits[splits.size() - 1]; last > size)
    return fail_check(ctx, message{"the splits with the number ", level, " must be at most ", size, ", found ", last});
  return true;
}

}  // namespace detail

FLOWGRAPH_INLINE detail::ragged_selection detail::read_ragged_selection(cpu ctx, std::size_t count, std::int64_t most) {
  const auto read = [&ctx](std::size_t i) {
    const any_tensor& t = ctx.input(i);
    return any_indices(t.data(), t.size(), t.shape(), t.type());
  };
  ragged_selection r;
  r.values = ctx.input(count).shape()[0];
  r.indices = read(count + 1);
  r.axes = r.indices.rank();
  for (std::size_t i = 0; i < count; ++i) r.splits[r.count++] = read(i);
  for (int level = r.count - 1; level >= 0; --level) {
    const auto rows = level + 1 < r.count ? static_cast<std::int64_t>(r.splits[level + 1].size()) - 1 : r.values;
    if (!check_gathered_splits(ctx, r.splits[level], level, rows)) return r;
  }
  const auto rows = static_cast<std::int64_t>(r.splits[0].size()) - 1;
  for (std::size_t i = 0; i < r.indices.size(); ++i)
    if (const std::int64_t found = r.indices[i]; found < 0 || found >= rows) {
      ctx.fail(message{"index ", i, " must be in [0, ", rows, "), found ", found});
      return r;
    }
  for (int level = 0; level <= r.count; ++level) {
    // A sum of as many rows as there are indices: it is counted in floating point first.
    double size = 0;
    for (std::size_t i = 0; i < r.indices.size(); ++i) {
      const auto [begin, end] = r.range_at(level, r.indices[i]);
      size += static_cast<double>(end - begin);
    }
    if (size > 9e18 || static_cast<std::int64_t>(size) > most) {
      ctx.fail("the type of the splits must represent the number of selected rows and values");
      return r;
    }
  }
  return r;
}

}  // namespace flowgraph
