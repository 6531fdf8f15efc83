#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/array/slice.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape slice_op::shape(shape_context& c, const flowgraph::shape& x,
                                                             const flowgraph::shape& begin, const flowgraph::shape& size) const {
  using flowgraph::shape;
  const shape from = detail::vector_of_integers(c, 1, begin, "begin", x.rank);
  const shape count = detail::vector_of_integers(c, 2, size, "size", x.rank);
  if (c.failed()) return shape::unknown();
  if (!x.has_rank()) {
    const std::int64_t rank = begin.rank == 1 && begin[0] >= 0 ? begin[0] : size.rank == 1 ? size[0] : -1;
    return rank >= 0 ? shape::unknown_of_rank(static_cast<int>(rank)) : shape::unknown();
  }
  shape result = shape::unknown_of_rank(x.rank);
  for (int i = 0; i < x.rank; ++i) {
    const std::int64_t first = from.has_rank() ? from[i] : -1, n = count.has_rank() ? count[i] : -1;
    const std::string where = message{" of axis ", i};
    if (from.has_rank() && (first < 0 || (x[i] >= 0 && first > x[i])))
      return c.fail(message{"begin", where, " must be between 0 and the extent of the axis, found ", first});
    if (n < -1) return c.fail(message{"size", where, " must be -1 or more"});
    if (n >= 0) result[i] = n;
    else if (count.has_rank() && from.has_rank() && x[i] >= 0) result[i] = x[i] - first;
    if (n >= 0 && x[i] >= 0 && n > x[i] - std::max<std::int64_t>(first, 0))
      return c.fail(message{"begin and size", where, " must not reach beyond its extent ", x[i]});
  }
  return result;
}

template <class T, class I>
void slice_op::operator()(cpu ctx, view<const T> x, index_view<I> begin, index_view<I>, view<T> y) const {
  if (y.size() == 0) return;
  const flowgraph::shape steps = detail::row_major_steps(x.shape());
  std::int64_t first = 0;
  detail::strided_axes axes;
  for (int i = 0; i < x.rank(); ++i) {
    const auto at = static_cast<std::int64_t>(begin[static_cast<std::size_t>(i)]);
    // If the shape rule knew only `size`, `begin` has not been checked yet.
    if (at < 0 || at > x.dim(i) - y.dim(i))
      return ctx.fail(
          message{"begin of axis ", i, " is ", at, ", which leaves fewer than ", y.dim(i), " elements of ", x.dim(i)});
    first += at * steps[i];
    axes.push(y.dim(i), steps[i]);
  }
  detail::copy_strided(ctx, detail::layout_of<T>, x.data() + first, axes, y.data());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape pad_op::shape(shape_context& c, const flowgraph::shape& x,
                                                           const flowgraph::shape& paddings) const {
  using flowgraph::shape;
  if (paddings.has_rank() && (paddings.rank != 2 || (paddings[1] >= 0 && paddings[1] != 2)))
    return c.fail("paddings must be a matrix of two columns");
  if (paddings.rank == 2 && paddings[0] >= 0 && x.has_rank() && paddings[0] != x.rank)
    return c.fail("paddings must have one row per axis");
  if (!x.has_rank()) return x;
  shape result = shape::unknown_of_rank(x.rank);
  const any_tensor* known = c.constant(1);
  for (int i = 0; known && i < x.rank; ++i) {
    const auto at = static_cast<std::size_t>(2 * i);
    auto value = [&](std::size_t k) {
      return known->type() == dtype::int32 ? std::int64_t{known->as<std::int32_t>()[k]} : known->as<std::int64_t>()[k];
    };
    const std::int64_t before = value(at), after = value(at + 1);
    constexpr std::int64_t most = std::int64_t{1} << 48;
    if (before < 0 || after < 0 || before > most || after > most) return c.fail("paddings must not be negative");
    if (x[i] >= 0) result[i] = x[i] + before + after;
  }
  return result;
}

namespace detail {

void pad_elements(cpu ctx, element_layout e, const void* x, const shape& inner, void* y, const shape& outer, const shape& before);

}  // namespace detail

template <class T, class I> void pad_op::operator()(cpu ctx, view<const T> x, index_view<I> paddings, view<T> y) const {
  flowgraph::shape before;
  for (int i = 0; i < x.rank(); ++i) before.push_back(static_cast<std::int64_t>(paddings[static_cast<std::size_t>(2 * i)]));
  detail::pad_elements(ctx, detail::layout_of<T>, x.data(), x.shape(), y.data(), y.shape(), before);
}

// Writes y row by row. A row consists of the last axis that gets a border and of all axes behind it. It is in the border, or contains
// a row of x.
FLOWGRAPH_KERNEL_INLINE void detail::pad_elements(cpu ctx, element_layout e, const void* x, const shape& inner, void* y,
                                                  const shape& outer, const shape& before) {
  int last = outer.rank - 1;
  std::int64_t unit = 1;
  for (; last >= 0 && outer[last] == inner[last]; --last) unit *= outer[last];
  if (last < 0) return copy_elements(e, x, y, unit);
  const std::int64_t row = outer[last] * unit, filled = inner[last] * unit, begin = before[last] * unit;
  if (row == 0) return;
  const shape steps = row_major_steps(inner);
  ctx.parallel_ranges(
      outer.size() / row, std::max<std::int64_t>(1, moved_per_block / row), [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t r = from; r < to; ++r) {
          std::int64_t rest = r, at = 0;
          bool inside = filled > 0;
          for (int i = last - 1; i >= 0; --i) {
            const std::int64_t k = rest % outer[i] - before[i];
            rest /= outer[i];
            inside = inside && k >= 0 && k < inner[i];
            at += k * steps[i];
          }
          std::byte* target = element_at(e, y, r * row);
          const auto clear = [&](std::int64_t first, std::int64_t end) {
            std::memset(target + first * static_cast<std::int64_t>(e.size), 0, static_cast<std::size_t>(end - first) * e.size);
          };
          if (!inside) {
            clear(0, row);
            continue;
          }
          clear(0, begin);
          copy_elements(e, element_at(e, x, at), element_at(e, target, begin), filled);
          clear(begin + filled, row);
        }
      });
}

FLOWGRAPH_KERNEL_INLINE bool detail::known_paddings(const shape& x, const shape& part, const any_tensor* begin,
                                                    const any_tensor* size, shape& before, shape& after) {
  const any_tensor* both[]{begin, size};
  const shape_context values(both, 2);
  before = values.integers(0);
  const shape count = values.integers(1);
  if (!before.has_rank() || !count.has_rank() || x.rank != before.rank || part.rank != before.rank) return false;
  after = before;
  for (int i = 0; i < x.rank; ++i) {
    const bool whole = before[i] == 0 && count[i] == -1;
    if (!whole && (x[i] < 0 || part[i] < 0)) return false;
    after[i] = whole ? 0 : x[i] - part[i] - before[i];
  }
  return true;
}

}  // namespace flowgraph
