#pragma once

#include <flowgraph/formats/serialized_tensor.hpp>
#include <flowgraph/ops/shared/detail/sparse_parts.hpp>
#include <flowgraph/ops/shared/detail/variant_value.hpp>
#include <flowgraph/ops/sparse/detail/serialized_sparse.hpp>

#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape serialize_sparse_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                 const flowgraph::shape& values,
                                                                 const flowgraph::shape& extents) const {
  detail::check_sparse_ranks(c, indices, values, extents);  // TensorFlow does not compare the three shapes here
  return {3};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape serialize_many_sparse_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                      const flowgraph::shape& values,
                                                                      const flowgraph::shape& extents) const {
  const detail::sparse_layout form = detail::check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && form.rank >= 0 && form.rank < 2)
    c.fail(message{"the sparse tensor must have at least two axes, found ", form.rank});
  return {any, 3};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list deserialize_sparse_op::shape(shape_context& c,
                                                                        const flowgraph::shape& serialized) const {
  if (serialized.has_rank() && (serialized.rank == 0 || (serialized[-1] >= 0 && serialized[-1] != 3)))
    c.fail(message{"the last axis must have three elements, found the shape ", serialized});
  for (const std::int64_t extent : serialized)
    if (!c.failed() && extent == 0) c.fail(message{"expected at least one sparse tensor, found the shape ", serialized});
  return {{any, any}, {any}, {any}};
}

namespace detail {

// Writes one of the three parts as element `at` of the output.
inline void serialize_part(cpu ctx, const any_tensor& part, void* serialized, std::int64_t at, bool as_variants) {
  if (!as_variants) {
    static_cast<std::string*>(serialized)[at] = serialize_tensor(part, true);
    return;
  }
  auto* const result = new optional_value(true, 1);
  variant counted(result);
  result->values[0] = kept_value(ctx, part, ctx.memory());
  if (!ctx.failed()) static_cast<variant*>(serialized)[at] = std::move(counted);
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::serialize_parts(cpu ctx, void* serialized, bool as_variants) {
  for (std::size_t i = 0; i < 3 && !ctx.failed(); ++i)
    serialize_part(ctx, ctx.input(i), serialized, static_cast<std::int64_t>(i), as_variants);
}

FLOWGRAPH_INLINE std::int64_t detail::count_serialized_rows(cpu ctx) {
  const places p(ctx.input(0).as<std::int64_t>());
  const any_indices extents(ctx.input(2).as<std::int64_t>());
  if (!check_extents(ctx, extents) || !check_inside(ctx, any_indices(ctx.input(0).as<std::int64_t>()), p.count, p.rank, extents))
    return -1;
  if (!are_ordered(p, false)) {
    ctx.fail("the places must be different and in row-major order");
    return -1;
  }
  return extents[0];
}

FLOWGRAPH_INLINE void detail::serialize_rows(cpu ctx, std::int64_t rows, void* serialized, bool as_variants) {
  const places p(ctx.input(0).as<std::int64_t>());
  const any_tensor& values = ctx.input(1);
  const element_layout e = element_layout_of(values.type());
  const std::int64_t rank = p.rank - 1;
  auto extents = any_tensor::allocate(dtype::int64, {rank}, ctx.memory());
  if (!extents) return ctx.fail(extents.error());
  std::copy_n(ctx.input(2).as<std::int64_t>().data() + 1, rank, extents->as_writable<std::int64_t>().data());
  for (std::int64_t row = 0, first = 0; row < rows && !ctx.failed(); ++row) {
    std::int64_t last = first;
    while (last < p.count && p[last][0] == row) ++last;
    auto indices = any_tensor::allocate(dtype::int64, {last - first, rank}, ctx.memory());
    auto elements = any_tensor::allocate(values.type(), {last - first}, ctx.memory());
    if (!indices || !elements) return ctx.fail(indices ? elements.error() : indices.error());
    for (std::int64_t i = first; i < last; ++i)
      std::copy_n(p[i] + 1, rank, indices->as_writable<std::int64_t>().data() + (i - first) * rank);
    copy_elements(e, element_at(e, values.data(), first), elements->data(), last - first);
    const any_tensor* const parts[] = {&*indices, &*elements, &*extents};
    for (std::int64_t i = 0; i < 3 && !ctx.failed(); ++i) serialize_part(ctx, *parts[i], serialized, 3 * row + i, as_variants);
    first = last;
  }
}

namespace detail {

// Returns the tensor of one string or variant.
inline result<any_tensor> read_part(cpu ctx, std::size_t at) {
  const any_tensor& input = ctx.input(0);
  if (input.type() == dtype::string) return parse_tensor(input.as<std::string>()[at], ctx.memory());
  const auto* const found = input.as<variant>()[at].as<optional_value>();
  if (found && found->has_value && found->values.size() == 1) return found->values[0];
  return invalid_argument({"variant ", at, " does not contain a tensor"});
}

// Reads sparse tensor `number`, which must have elements of the type, and the given rank unless that is negative.
inline result<sparse_parts> read_sparse(cpu ctx, std::size_t number, dtype type, std::int64_t rank) {
  any_tensor parts[3];
  for (std::size_t i = 0; i < 3; ++i) {
    auto part = read_part(ctx, 3 * number + i);
    if (!part) return part.error();
    parts[i] = *std::move(part);
    if (const dtype wanted = i == 1 ? type : dtype::int64; parts[i].type() != wanted)
      return invalid_argument({"part ", i, " of sparse tensor ", number, " must have elements of ", name_of(wanted), ", found ",
                               name_of(parts[i].type())});
  }
  const auto& [indices, values, extents] = parts;
  if (indices.shape().rank != 2 || values.shape().rank != 1 || extents.shape().rank != 1 ||
      indices.shape()[0] != values.shape()[0] || indices.shape()[1] != extents.shape()[0])
    return invalid_argument({"the parts of sparse tensor ", number,
                             " do not fit: the shapes of the indices, values and extents are ", indices.shape(), ", ",
                             values.shape(), " and ", extents.shape()});
  if (rank >= 0 && extents.shape()[0] != rank)
    return invalid_argument(
        {"sparse tensor ", number, " must have ", rank, " axes like those before it, found ", extents.shape()[0]});
  return sparse_parts{parts[0], parts[1], parts[2]};
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::deserialize_parts(cpu ctx, dtype type) {
  const shape& serialized = ctx.input(0).shape();
  const shape outer = shape::of(serialized.dims, serialized.rank - 1);
  std::vector<sparse_parts> all;
  for (std::int64_t number = 0; number < outer.size(); ++number) {
    auto found = read_sparse(ctx, static_cast<std::size_t>(number), type, all.empty() ? -1 : all[0].extents.shape()[0]);
    if (!found) return ctx.fail(found.error());
    all.push_back(*std::move(found));
  }
  join_sparse_parts(ctx, all, outer, type);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
