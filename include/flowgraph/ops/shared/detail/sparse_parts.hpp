#pragma once
// Sparse tensors in three parts, and their shapes.

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <algorithm>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The parts of a sparse tensor: indices, elements and extents.
struct sparse_parts {
  any_tensor indices, values, extents;
};

inline void check_sparse_ranks(shape_context& c, const shape& indices, const shape& values, const shape& extents) {
  if (!fits(indices, {any, any})) c.fail("the indices must be a matrix");
  else if (!fits(values, {any})) c.fail("the values must be a vector");
  else if (!fits(extents, {any})) c.fail("the shape must be a vector");
}

// Writes all sparse tensors to outputs 0 to 2, with the axes of `outer` before their own.
inline void join_sparse_parts(cpu ctx, const std::vector<sparse_parts>& all, const shape& outer, dtype type) {
  const std::int64_t inner = all[0].extents.shape()[0], rank = outer.rank + inner;
  std::int64_t count = 0;
  for (const sparse_parts& d : all) count += d.values.shape()[0];
  const view<std::int64_t> indices = ctx.output<std::int64_t>(0, {count, rank});
  auto values = any_tensor::allocate(type, {count}, ctx.memory());
  if (!values) return ctx.fail(values.error());
  const view<std::int64_t> extents = ctx.output<std::int64_t>(2, {rank});
  if (ctx.failed()) return;
  std::fill(extents.begin(), extents.end(), 0);
  std::copy(outer.begin(), outer.end(), extents.begin());
  const element_layout e = element_layout_of(type);
  std::int64_t at = 0;
  for (std::size_t number = 0; number < all.size(); ++number) {
    const sparse_parts& d = all[number];
    const std::int64_t n = d.values.shape()[0];
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t* const place = indices.data() + (at + i) * rank;
      auto rest = static_cast<std::int64_t>(number);
      for (int k = outer.rank - 1; k >= 0; --k) {
        place[k] = rest % outer[k];
        rest /= outer[k];
      }
      std::copy_n(d.indices.as<std::int64_t>().data() + i * inner, inner, place + outer.rank);
    }
    copy_elements(e, d.values.data(), element_at(e, values->data(), at), n);
    for (std::int64_t k = 0; k < inner; ++k) {
      std::int64_t& extent = extents[static_cast<std::size_t>(outer.rank + k)];
      extent = std::max(extent, d.extents.as<std::int64_t>()[static_cast<std::size_t>(k)]);
    }
    at += n;
  }
  ctx.set_output(1, *std::move(values));
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
