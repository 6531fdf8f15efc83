#pragma once

#include <flowgraph/ops/array/detail/rearrange.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Writes the part [first, last) of a row of y. A step of the row is `inner` elements; `from` is null if the whole row is a
// filling.
template <class Unit>
void rearrange_row(const axis_runs& axis, const Unit* from, const Unit& filling, Unit* to, std::int64_t first, std::int64_t last,
                   std::int64_t inner) {
  std::int64_t begin = 0;
  for (int r = 0; r < axis.count; ++r) {
    const axis_run& run = axis.runs[r];
    const std::int64_t low = std::max(first, begin), high = std::min(last, begin + run.size);
    const std::int64_t at = run.from + (low - begin) * run.step;
    begin += run.size;
    if (low >= high) continue;
    Unit* target = to + low * inner;
    if (!from || run.step == 0) {
      std::fill_n(target, (high - low) * inner, filling);
    } else if (run.step > 0) {
      std::copy_n(from + at * inner, (high - low) * inner, target);
    } else if (inner == 1) {
      for (std::int64_t i = 0; i < high - low; ++i) target[i] = from[at - i];
    } else {
      for (std::int64_t i = 0; i < high - low; ++i) std::copy_n(from + (at - i) * inner, inner, target + i * inner);
    }
  }
}

template <class Unit>
void copy_box_row(const Unit* from, std::int64_t from_step, Unit* to, std::int64_t to_step, std::int64_t n) {
  if (from_step == 1 && to_step == 1) std::copy_n(from, n, to);
  else
    for (std::int64_t i = 0; i < n; ++i) to[i * to_step] = from[i * from_step];
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::rearrange(cpu ctx, element_layout e, const void* x, const shape& from, const axis_runs* axes,
                                        const void* filling, void* y, const shape& to) {
  if (to.size() == 0) return;
  int last = to.rank - 1;
  std::int64_t inner = 1;
  for (; last >= 0 && axes[last].is_whole(from[last]); --last) inner *= to[last];
  if (last < 0) return copy_rows(ctx, e, x, inner, y, inner, 1, inner);
  const std::int64_t row = to[last], rows = product_of(to, 0, last);
  const shape steps = row_major_steps(from);
  visit_layout(e, [&]<class Unit>() {
    const Unit nothing{};
    const Unit& fill = filling ? *static_cast<const Unit*>(filling) : nothing;
    ctx.parallel_ranges(rows * row, std::max<std::int64_t>(1, moved_per_block / inner),
                        [&](std::int64_t begin, std::int64_t end) {
                          while (begin < end) {
                            const std::int64_t r = begin / row, first = begin % row, n = std::min(row - first, end - begin);
                            std::int64_t rest = r, at = 0;
                            bool filled = false;
                            for (int i = last - 1; i >= 0; --i) {
                              const std::int64_t k = axes[i].source(rest % to[i]);
                              rest /= to[i];
                              filled = filled || k < 0;
                              at += k * steps[i];
                            }
                            rearrange_row(axes[last], filled ? nullptr : static_cast<const Unit*>(x) + at, fill,
                                          static_cast<Unit*>(y) + r * row * inner, first, first + n, inner);
                            begin += n;
                          }
                        });
  });
}

FLOWGRAPH_INLINE void detail::copy_box(cpu ctx, element_layout e, const void* from, void* to, const strided_box& box) {
  const int last = box.rank - 1;
  const std::int64_t row = box.extents[last];
  std::int64_t rows = 1;
  for (int i = 0; i < last; ++i) rows *= box.extents[i];
  if (rows == 0 || row == 0) return;
  visit_layout(e, [&]<class Unit>() {
    ctx.parallel_ranges(rows, std::max<std::int64_t>(1, moved_per_block / row), [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t r = first; r < end; ++r) {
        std::int64_t rest = r, source = 0, target = 0;
        for (int i = last - 1; i >= 0; --i) {
          const std::int64_t k = rest % box.extents[i];
          rest /= box.extents[i];
          source += k * box.from_steps[i];
          target += k * box.to_steps[i];
        }
        copy_box_row(static_cast<const Unit*>(from) + source, box.from_steps[last], static_cast<Unit*>(to) + target,
                     box.to_steps[last], row);
      }
    });
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
