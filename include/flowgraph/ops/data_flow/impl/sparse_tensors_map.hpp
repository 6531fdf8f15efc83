#pragma once

#include <flowgraph/ops/data_flow/detail/awaited.hpp>
#include <flowgraph/ops/data_flow/detail/sparse_tensors_map.hpp>
#include <flowgraph/ops/shared/detail/sparse_parts.hpp>
#include <flowgraph/ops/sparse/detail/serialized_sparse.hpp>

#include <map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct sparse_tensors_map final : resource_base {
  sparse_tensors_map() : resource_base(kind_of<sparse_tensors_map>()) {}

  std::int64_t add(sparse_parts parts) {
    const threading::lock_guard lock(mutex);
    all.emplace(next, std::move(parts));
    return next++;
  }

  threading::mutex mutex;
  std::map<std::int64_t, sparse_parts> all;
  std::int64_t next = 0;
};

inline resource sparse_map_of(cpu ctx, const sparse_map_attributes& a) {
  auto found = ctx.resources().find_or_make(a.container, name_of_awaited(ctx, a.shared_name), kind_of<sparse_tensors_map>(),
                                            []() -> resource_base* { return new sparse_tensors_map; });
  if (found) return *std::move(found);
  ctx.fail(found.error());
  return {};
}

// Returns an error if the inputs of the call are no sparse tensor.
inline error check_sparse_parts(const sparse_parts& p) {
  if (p.indices.shape().rank != 2 || p.values.shape().rank != 1 || p.extents.shape().rank != 1)
    return invalid_argument({"a sparse tensor is a matrix of indices, a vector of values and a vector of extents, found ",
                             p.indices.shape(), ", ", p.values.shape(), " and ", p.extents.shape()});
  if (p.indices.shape()[0] != p.values.shape()[0] || p.indices.shape()[1] != p.extents.shape()[0])
    return invalid_argument(
        {"indices of shape ", p.indices.shape(), " do not fit ", p.values.size(), " values and ", p.extents.size(), " extents"});
  for (const std::int64_t extent : p.extents.as<std::int64_t>())
    if (extent < 0) return invalid_argument({"an extent is negative, found ", extent});
  return {};
}
inline sparse_parts parts_of_call(cpu ctx) {
  sparse_parts p{ctx.input(0), ctx.input(1), ctx.input(2)};
  if (error why = check_sparse_parts(p)) ctx.fail(why);
  return p;
}

FLOWGRAPH_INLINE void add_sparse_tensor(cpu ctx, const sparse_map_attributes& a, std::int64_t& handle) {
  sparse_parts p = parts_of_call(ctx);
  for (any_tensor* part : {&p.indices, &p.values, &p.extents})
    if (!ctx.failed()) *part = lasting_value(ctx, *part);
  if (ctx.failed()) return;
  const resource map = sparse_map_of(ctx, a);
  if (!ctx.failed()) handle = map.as<sparse_tensors_map>()->add(std::move(p));
}

// Returns elements [first, last) without their first index. `extents` are those of one row.
inline result<sparse_parts> sparse_row(const sparse_parts& p, std::int64_t first, std::int64_t last,
                                       std::pmr::memory_resource* memory) {
  const std::int64_t rank = p.indices.shape()[1], n = last - first;
  auto indices = any_tensor::allocate(dtype::int64, {n, rank - 1}, memory);
  if (!indices) return indices.error();
  auto values = any_tensor::allocate(p.values.type(), {n}, memory);
  if (!values) return values.error();
  auto extents = any_tensor::allocate(dtype::int64, {rank - 1}, memory);
  if (!extents) return extents.error();
  const std::int64_t* const from = p.indices.as<std::int64_t>().data();
  std::int64_t* const to = indices->as_writable<std::int64_t>().data();
  for (std::int64_t i = 0; i < n; ++i) std::copy_n(from + (first + i) * rank + 1, rank - 1, to + i * (rank - 1));
  const element_layout e = element_layout_of(p.values.type());
  copy_elements(e, element_at(e, p.values.data(), first), values->data(), n);
  std::copy_n(p.extents.as<std::int64_t>().data() + 1, rank - 1, extents->as_writable<std::int64_t>().data());
  return sparse_parts{*std::move(indices), *std::move(values), *std::move(extents)};
}

FLOWGRAPH_INLINE void add_sparse_rows(cpu ctx, const sparse_map_attributes& a) {
  const sparse_parts p = parts_of_call(ctx);
  if (ctx.failed()) return;
  const std::int64_t rank = p.indices.shape()[1], count = p.values.shape()[0];
  if (rank < 2) return ctx.fail(message{"a sparse tensor to be cut into rows must have 2 axes or more, found ", rank});
  const std::int64_t rows = p.extents.as<std::int64_t>()[0];
  const std::int64_t* const indices = p.indices.as<std::int64_t>().data();
  if (count_serialized_rows(ctx) < 0) return;
  const resource map = sparse_map_of(ctx, a);
  if (ctx.failed()) return;
  const view<std::int64_t> handles = ctx.output<std::int64_t>(0, {rows});
  if (ctx.failed()) return;
  std::int64_t at = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = at;
    while (at < count && indices[at * rank] == row) ++at;
    auto result = sparse_row(p, first, at, ctx.lasting_memory());
    if (!result) return ctx.fail(result.error());
    handles[static_cast<std::size_t>(row)] = map.as<sparse_tensors_map>()->add(*std::move(result));
  }
}

// Removes the parts of all handles from the map and returns them. If one cannot be removed, none is.
inline result<std::vector<sparse_parts>> take_parts_of(sparse_tensors_map& map, view<const std::int64_t> handles, dtype type) {
  std::vector<sparse_parts> taken;
  const threading::lock_guard lock(map.mutex);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const auto at = map.all.find(handles[i]);
    if (at == map.all.end() || std::find(handles.begin(), handles.begin() + i, handles[i]) != handles.begin() + i)
      return invalid_argument({"there is no sparse tensor of number ", handles[i]});
    if (at->second.values.type() != type)
      return invalid_argument(
          {"sparse tensor ", handles[i], " has elements of ", name_of(at->second.values.type()), ", not of ", name_of(type)});
    if (i > 0 && at->second.extents.size() != taken[0].extents.size())
      return invalid_argument(
          {"sparse tensors of ", taken[0].extents.size(), " and of ", at->second.extents.size(), " axes cannot be put together"});
    taken.push_back(at->second);
  }
  for (const std::int64_t handle : handles) map.all.erase(handle);
  return taken;
}

FLOWGRAPH_INLINE void take_sparse_tensors(cpu ctx, const sparse_map_attributes& a, dtype type) {
  const view<const std::int64_t> handles = ctx.input(0).as<std::int64_t>();
  if (handles.size() == 0) return ctx.fail("there must be one handle or more");
  const resource map = sparse_map_of(ctx, a);
  if (ctx.failed()) return;
  const auto taken = take_parts_of(*map.as<sparse_tensors_map>(), handles, type);
  if (!taken) return ctx.fail(taken.error());
  join_sparse_parts(ctx, *taken, {static_cast<std::int64_t>(taken->size())}, type);
}

}  // namespace detail

FLOWGRAPH_INLINE flowgraph::shape add_sparse_to_tensors_map_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                      const flowgraph::shape& values,
                                                                      const flowgraph::shape& extents) const {
  detail::check_sparse_ranks(c, indices, values, extents);
  return {};
}
FLOWGRAPH_INLINE flowgraph::shape add_many_sparse_to_tensors_map_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                           const flowgraph::shape& values,
                                                                           const flowgraph::shape& extents) const {
  detail::check_sparse_ranks(c, indices, values, extents);
  return {-1};
}
FLOWGRAPH_INLINE shape_list take_many_sparse_from_tensors_map_op::shape(shape_context& c, const flowgraph::shape& handles) const {
  if (!fits(handles, {any})) c.fail("sparse_handles must be a vector");
  return {{-1, -1}, {-1}, {-1}};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
