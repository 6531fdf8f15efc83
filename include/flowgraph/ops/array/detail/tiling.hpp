#pragma once

#include <flowgraph/ops/array/tiling.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape broadcast_args_op::shape(shape_context& c, const flowgraph::shape& s0,
                                                                      const flowgraph::shape& s1) const {
  if ((s0.has_rank() && s0.rank != 1) || (s1.has_rank() && s1.rank != 1)) return c.fail("expected two vectors");
  if (!s0.is_known() || !s1.is_known()) return {any};
  return {std::max(s0[0], s1[0])};
}
template <class T> void broadcast_args_op::operator()(cpu ctx, view<const T> s0, view<const T> s1, view<T> y) const {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const T a = i < s0.size() ? s0[s0.size() - 1 - i] : T(1), b = i < s1.size() ? s1[s1.size() - 1 - i] : T(1);
    if (a != b && a != 1 && b != 1)
      return ctx.fail(message{"the shapes do not broadcast: extents ", a, " and ", b, " stand at the same axis"});
    y[y.size() - 1 - i] = a == 1 ? b : a;
  }
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape tile_grad_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                 const flowgraph::shape& multiples) const {
  const flowgraph::shape parts = detail::vector_of_integers(c, 1, multiples, "multiples", x.rank);
  if (c.failed() || !x.has_rank()) return flowgraph::shape::unknown();
  flowgraph::shape result = flowgraph::shape::unknown_of_rank(x.rank);
  for (int i = 0; parts.has_rank() && i < x.rank; ++i) {
    if (parts[i] < 1) return c.fail(message{"multiples must be positive, found ", parts});
    if (x[i] >= 0 && x[i] % parts[i] != 0) return c.fail(message{"axis ", i, " must be a multiple of ", parts[i]});
    if (x[i] >= 0) result[i] = x[i] / parts[i];
  }
  return result;
}

namespace detail {

template <class T>
void add_tiles(cpu ctx, const T* x, const shape& from, const std::int32_t* multiples, T* y, const shape& result) {
  if (result.size() == 0) return;
  const shape steps = row_major_steps(from);
  const int last = result.rank - 1;
  const std::int64_t row = last < 0 ? 1 : result[last];
  std::int64_t parts = 1;
  for (int i = 0; i <= last; ++i) parts *= multiples[i];
  ctx.parallel_ranges(result.size() / row, std::max<std::int64_t>(1, moved_per_block / row),
                      [&](std::int64_t first, std::int64_t end) {
                        for (std::int64_t r = first; r < end; ++r) {
                          T* to = y + r * row;
                          std::fill_n(to, row, T{});
                          for (std::int64_t part = 0; part < parts; ++part) {
                            std::int64_t rest = r, chosen = part, at = 0;
                            if (last >= 0) {
                              at = chosen % multiples[last] * row;
                              chosen /= multiples[last];
                            }
                            for (int i = last - 1; i >= 0; --i) {
                              at += (chosen % multiples[i] * result[i] + rest % result[i]) * steps[i];
                              chosen /= multiples[i];
                              rest /= result[i];
                            }
                            for (std::int64_t k = 0; k < row; ++k) to[k] = narrowed<T>(widened(to[k]) + widened(x[at + k]));
                          }
                        }
                      });
}

}  // namespace detail

template <class T> void tile_grad_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t> multiples, view<T> y) const {
  detail::add_tiles(ctx, x.data(), x.shape(), multiples.data(), y.data(), y.shape());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
