#pragma once

#include <flowgraph/ops/array/detail/index_vectors.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the number of elements of an index vector; -1 if it is not known, or refused.
inline int vector_depth(shape_context& c, const shape& tensor, const shape& indices, std::string_view what) {
  if (indices.rank == 0) c.fail("indices must have at least one axis");
  if (tensor.rank == 0) c.fail(message{what, " must have at least one axis"});
  if (c.failed() || !indices.has_rank() || !tensor.has_rank()) return -1;
  const std::int64_t depth = indices[-1];
  if (depth > tensor.rank) c.fail(message{"index vectors must have at most as many elements as ", what, " has axes"});
  return c.failed() ? -1 : static_cast<int>(depth);
}

inline bool is_empty(const shape& s) { return s.is_known() && s.size() == 0; }
// Returns whether there are index vectors, with any number of elements.
inline bool names_slices(const shape& indices) {
  if (!indices.has_rank()) return false;
  for (int i = 0; i < indices.rank - 1; ++i)
    if (indices[i] <= 0) return false;
  return true;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::gathered_shape(shape_context& c, const shape& params, const shape& indices) {
  const int depth = vector_depth(c, params, indices, "params");
  if (depth < 0) return shape::unknown();
  if (is_empty(params) && names_slices(indices)) return c.fail("params must have elements");
  if (indices.rank - 1 + params.rank - depth > shape::max_rank) return c.fail("expected fewer axes");
  shape result;
  for (int i = 0; i < indices.rank - 1; ++i) result.push_back(indices[i]);
  for (int i = depth; i < params.rank; ++i) result.push_back(params[i]);
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::scattered_shape(shape_context& c, const shape& target, const shape& indices,
                                                              const shape& updates) {
  const int depth = vector_depth(c, target, indices, "the tensor");
  if (c.failed() || depth < 0) return target;
  const auto has_elements = [](const shape& of) { return of.is_known() && of.size() > 0; };
  if (is_empty(target) && (has_elements(indices) || has_elements(updates)))
    return c.fail("a tensor without elements takes no updates");
  if (indices.rank - 1 + target.rank - depth > shape::max_rank) return c.fail("expected fewer axes");
  shape expected;
  for (int i = 0; i < indices.rank - 1; ++i) expected.push_back(indices[i]);
  for (int i = depth; i < target.rank; ++i) expected.push_back(target[i]);
  return fits(updates, expected) ? target : c.fail(message{"expected updates of shape ", expected});
}

FLOWGRAPH_INLINE detail::slice_list detail::list_slices(const shape& tensor, const any_tensor& indices) {
  const shape& index_shape = indices.shape();
  slice_list slices;
  slices.depth = static_cast<int>(index_shape[-1]);
  slices.count = product_of(index_shape, 0, index_shape.rank - 1);
  slices.slice_size = product_of(tensor, slices.depth, tensor.rank);
  const shape steps = row_major_steps(tensor);
  for (int i = 0; i < slices.depth; ++i) {
    slices.extents[i] = tensor[i];
    slices.steps[i] = steps[i];
  }
  slices.indices = indices.data();
  slices.index_size = size_of(indices.type());
  return slices;
}

FLOWGRAPH_INLINE bool detail::check_slices(cpu ctx, const slice_list& slices, const shape& tensor, bad_indices_policy policy) {
  if (policy == bad_indices_policy::ignore) return true;
  for (std::int64_t i = 0; i < slices.count; ++i) {
    if (slices.begin(i) >= 0) continue;
    std::string vector;
    for (int k = 0; k < slices.depth; ++k) vector += message{(k ? "," : ""), slices.index(i * slices.depth + k)}.string();
    return detail::fail_check(ctx, message{"index vector ", i, ", [", vector, "], leads out of the shape ", tensor});
  }
  return true;
}

FLOWGRAPH_INLINE void detail::for_each_slice(cpu ctx, const slice_list& slices,
                                             function_ref<void(std::int64_t, std::int64_t, std::int64_t)> change) {
  constexpr std::int64_t columns = 1 << 13;  // columns are cut, so that slices keep their order
  ctx.parallel_ranges(slices.slice_size, columns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = 0; i < slices.count; ++i)
      if (const std::int64_t to = slices.begin(i); to >= 0) change(to + first, i * slices.slice_size + first, last - first);
  });
}

FLOWGRAPH_INLINE void detail::gather_slices(cpu ctx, element_layout e, const any_tensor& params, const any_tensor& indices,
                                            bad_indices_policy policy, void* y) {
  const slice_list slices = list_slices(params.shape(), indices);
  if (slices.count == 0) return;
  if (params.size() == 0) return ctx.fail(message{"found no elements in params of shape ", params.shape()});
  if (!check_slices(ctx, slices, params.shape(), policy)) return;
  const std::int64_t n = slices.slice_size;
  visit_layout(e, [&]<class Unit>() {
    const auto* from = static_cast<const Unit*>(params.data());
    auto* to = static_cast<Unit*>(y);
    ctx.parallel_ranges(slices.count, std::max<std::int64_t>(1, moved_per_block / n), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t at = slices.begin(i);
        if (at >= 0) std::copy_n(from + at, n, to + i * n);
        else std::fill_n(to + i * n, n, Unit{});
      }
    });
  });
}

FLOWGRAPH_INLINE void detail::assign_slices(cpu ctx, element_layout e, const slice_list& slices, const void* updates, void* y) {
  visit_layout(e, [&]<class Unit>() {
    const auto* from = static_cast<const Unit*>(updates);
    auto* to = static_cast<Unit*>(y);
    for_each_slice(ctx, slices, [&](std::int64_t at, std::int64_t i, std::int64_t n) { std::copy_n(from + i, n, to + at); });
  });
}

}  // namespace flowgraph
