#pragma once
// The order of reductions, the same for all types: it depends only on the shape.

#include <flowgraph/ops/reduction/detail/reduction.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// If one result has more elements than this, they are reduced in pieces of this size, so that several threads can share them.
inline constexpr std::int64_t elements_per_piece = 1 << 16;
// Partial results on the stack, and the number that is merged one after another before a new group begins.
inline constexpr std::int64_t partials_at_once = 512;
inline constexpr std::int64_t merged_at_once = 256;
inline constexpr std::int64_t widest_partial = 16;

struct partial_row {
  alignas(64) std::byte bytes[partials_at_once * widest_partial];
};

// A loop over some axes of x, and the offset of its i-th turn.
struct axis_loop {
  int rank = 0;
  std::int64_t size = 1;
  std::int64_t extents[shape::max_rank], steps[shape::max_rank];

  void push(std::int64_t extent, std::int64_t step) {
    extents[rank] = extent;
    steps[rank++] = step;
    size *= extent;
  }
  std::int64_t offset(std::int64_t i) const {
    std::int64_t at = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      at += i % extents[axis] * steps[axis];
      i /= extents[axis];
    }
    return at;
  }
};

// x as a loop over results, a loop over the parts of a result, and contiguous runs: `rows` rows of `columns` elements. Either a
// row makes one result (`folds`), or each column does.
struct reduction_plan {
  axis_loop kept, reduced;
  std::int64_t rows = 1, columns = 1;
  bool folds = false;
  std::int64_t count = 1;  // elements that make one result
};

inline reduction_plan plan_reduction(const shape& x, const shape& axes) {
  bool is_reduced[shape::max_rank] = {};
  for (const std::int64_t axis : axes)
    if (const int at = normalized_axis(axis, x.rank); at >= 0) is_reduced[at] = true;

  // Neighbours of the same kind become one axis.
  std::int64_t extents[shape::max_rank];
  bool reduces[shape::max_rank];
  int rank = 0;
  reduction_plan plan;
  for (int axis = 0; axis < x.rank; ++axis) {
    if (is_reduced[axis]) plan.count *= x[axis];
    if (x[axis] == 1) continue;
    if (rank > 0 && reduces[rank - 1] == is_reduced[axis]) {
      extents[rank - 1] *= x[axis];
    } else {
      extents[rank] = x[axis];
      reduces[rank++] = is_reduced[axis];
    }
  }

  std::int64_t step = 1;
  int left = rank;
  if (left > 0) {
    plan.folds = reduces[--left];
    plan.columns = step = extents[left];
  }
  if (left > 0 && !plan.folds) {
    plan.rows = extents[--left];
    step *= plan.rows;
  }
  std::int64_t steps[shape::max_rank];
  for (int axis = left - 1; axis >= 0; --axis) {
    steps[axis] = step;
    step *= extents[axis];
  }
  for (int axis = 0; axis < left; ++axis) (reduces[axis] ? plan.reduced : plan.kept).push(extents[axis], steps[axis]);
  return plan;
}

// A reduction in progress.
class reduction_run {
public:
  reduction_run(cpu ctx, const reducer& r, const reduction_plan& plan, const void* x, void* y)
      : ctx_(ctx), r_(r), plan_(plan), x_(static_cast<const std::byte*>(x)), y_(static_cast<std::byte*>(y)) {}

  void run() {
    if (plan_.folds) run_folds();
    else run_columns();
  }

private:
  const void* input(std::int64_t i) const { return x_ + i * r_.element_bytes; }
  void* result(std::int64_t i) const { return y_ + i * r_.element_bytes; }
  std::byte* partial(std::byte* first, std::int64_t i) const { return first + i * r_.partial_bytes; }
  static std::int64_t blocks(std::int64_t size, std::int64_t each) { return (size + each - 1) / each; }

  // Calls add(partials, first, last) for all turns of a loop. Each partial result takes at most merged_at_once turns.
  template <class Add> void merge_groups(std::byte* total, std::int64_t width, std::int64_t turns, const Add& add) const {
    r_.start(total, width);
    if (turns <= merged_at_once) return add(total, std::int64_t{0}, turns);
    partial_row group;
    for (std::int64_t first = 0; first < turns; first += merged_at_once) {
      r_.start(group.bytes, width);
      add(group.bytes, first, std::min(first + merged_at_once, turns));
      r_.merge(total, group.bytes, width);
    }
  }
  // The same with step(partials, i) for each turn.
  template <class Step> void merge_in_groups(std::byte* total, std::int64_t width, std::int64_t turns, const Step& step) const {
    merge_groups(total, width, turns, [&](std::byte* to, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) step(to, i);
    });
  }

  // ---- a row makes one result

  void run_folds() {
    const std::int64_t pieces = blocks(plan_.columns, elements_per_piece);
    if (pieces > 1) return run_pieces(pieces);
    const std::int64_t grain = std::max<std::int64_t>(1, elements_per_block / (plan_.columns * plan_.reduced.size));
    ctx_.parallel_ranges(plan_.kept.size, grain, [&](std::int64_t first, std::int64_t last) {
      partial_row totals;
      for (; first < last; first += partials_at_once) {
        const std::int64_t n = std::min(partials_at_once, last - first);
        if (plan_.reduced.size == 1) {  // all other axes are one: its rows are adjacent
          r_.start(totals.bytes, n);
          r_.fold(totals.bytes, input(first * plan_.columns), n, plan_.columns);
        } else {
          for (std::int64_t k = 0; k < n; ++k) fold_turns(partial(totals.bytes, k), first + k);
        }
        r_.finish(totals.bytes, result(first), n, plan_.count);
      }
    });
  }
  void fold_turns(std::byte* total, std::int64_t i) const {
    const std::int64_t at = plan_.kept.offset(i);
    merge_in_groups(total, 1, plan_.reduced.size, [&](std::byte* to, std::int64_t turn) {
      r_.fold(to, input(at + plan_.reduced.offset(turn)), 1, plan_.columns);
    });
  }
  void run_pieces(std::int64_t pieces) {
    std::byte* parts = ctx_.scratch();
    const std::int64_t each = plan_.reduced.size * pieces;
    ctx_.parallel_for(plan_.kept.size * each, [&](std::int64_t task) {
      const std::int64_t first = task % pieces * elements_per_piece, rest = task / pieces;
      const std::int64_t at = plan_.kept.offset(rest / plan_.reduced.size) + plan_.reduced.offset(rest % plan_.reduced.size);
      r_.start(partial(parts, task), 1);
      r_.fold(partial(parts, task), input(at + first), 1, std::min(elements_per_piece, plan_.columns - first));
    });
    for (std::int64_t i = 0; i < plan_.kept.size; ++i) finish_parts(i, 1, 0, each, partial(parts, i * each), 1);
  }

  // Merges `turns` rows of partial results, `step` apart, into results of kept turn i.
  void finish_parts(std::int64_t i, std::int64_t width, std::int64_t column, std::int64_t turns, std::byte* parts,
                    std::int64_t step) {
    partial_row total;
    merge_in_groups(total.bytes, width, turns,
                    [&](std::byte* to, std::int64_t turn) { r_.merge(to, partial(parts, turn * step), width); });
    r_.finish(total.bytes, result(i * (plan_.folds ? 1 : plan_.columns) + column), width, plan_.count);
  }

  // ---- a column makes one result

  void run_columns() {
    const std::int64_t width = std::min(plan_.columns, partials_at_once), chunks = blocks(plan_.columns, width);
    const std::int64_t rows = std::max(merged_at_once, elements_per_piece / width), pieces = blocks(plan_.rows, rows);
    if (pieces > 1) return run_column_pieces(width, chunks, rows, pieces);
    const std::int64_t work = plan_.reduced.size * plan_.rows * width;
    ctx_.parallel_ranges(plan_.kept.size * chunks, std::max<std::int64_t>(1, elements_per_block / work),
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t task = first; task < last; ++task) {
                             const std::int64_t i = task / chunks, column = task % chunks * width,
                                                n = std::min(width, plan_.columns - column);
                             const std::int64_t at = plan_.kept.offset(i) + column;
                             partial_row total;
                             if (plan_.reduced.size == 1) {
                               add_rows(total.bytes, at, plan_.rows, n);
                             } else {
                               merge_in_groups(total.bytes, n, plan_.reduced.size, [&](std::byte* to, std::int64_t turn) {
                                 partial_row slab;
                                 add_rows(slab.bytes, at + plan_.reduced.offset(turn), plan_.rows, n);
                                 r_.merge(to, slab.bytes, n);
                               });
                             }
                             r_.finish(total.bytes, result(i * plan_.columns + column), n, plan_.count);
                           }
                         });
  }
  void run_column_pieces(std::int64_t width, std::int64_t chunks, std::int64_t rows, std::int64_t pieces) {
    std::byte* parts = ctx_.scratch();
    const std::int64_t each = plan_.reduced.size * pieces;
    ctx_.parallel_for(plan_.kept.size * each * chunks, [&](std::int64_t task) {
      const std::int64_t column = task % chunks * width, turn = task / chunks, first = turn % pieces * rows, rest = turn / pieces;
      const std::int64_t n = std::min(width, plan_.columns - column);
      const std::int64_t at = plan_.kept.offset(rest / plan_.reduced.size) + plan_.reduced.offset(rest % plan_.reduced.size);
      partial_row slab;
      add_rows(slab.bytes, at + first * plan_.columns + column, std::min(rows, plan_.rows - first), n);
      std::copy_n(slab.bytes, n * r_.partial_bytes, partial(parts, turn * plan_.columns + column));
    });
    for (std::int64_t i = 0; i < plan_.kept.size; ++i) {
      for (std::int64_t column = 0; column < plan_.columns; column += width)
        finish_parts(i, std::min(width, plan_.columns - column), column, each, partial(parts, i * each * plan_.columns + column),
                     plan_.columns);
    }
  }

  // Adds `rows` rows of n columns, from the element at `at` on. Several short complete rows are added together as one.
  void add_rows(std::byte* total, std::int64_t at, std::int64_t rows, std::int64_t n) const {
    std::int64_t together = n == plan_.columns ? std::clamp<std::int64_t>(partials_at_once / n, 1, rows) : 1;
    const std::int64_t turns = rows / together, step = together * plan_.columns;
    merge_groups(total, together * n, turns, [&](std::byte* to, std::int64_t first, std::int64_t last) {
      r_.add_rows(to, input(at + first * step), last - first, step, together * n);
    });
    if (const std::int64_t rest = rows % together; rest > 0) r_.add_rows(total, input(at + turns * step), 1, step, rest * n);
    while (together > 1) {
      const std::int64_t half = (together + 1) / 2;
      r_.merge(total, partial(total, half * n), (together - half) * n);
      together = half;
    }
  }

  cpu ctx_;
  const reducer& r_;
  const reduction_plan& plan_;
  const std::byte* x_;
  std::byte* y_;
};

}  // namespace detail

// At most one partial result for every 128 elements, and only if there are more elements than in one piece.
FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::reduction_scratch(const shape& x) {
  const std::int64_t size = x.is_known() ? x.size() : 0;
  return size <= elements_per_piece ? 0 : static_cast<std::size_t>((size / 128 + 1) * widest_partial);
}

FLOWGRAPH_INLINE void detail::run_reduction(cpu ctx, const reducer& r, const shape& x_shape, const shape& axes, const void* x,
                                            void* y, std::int64_t y_size) {
  if (y_size == 0) return;
  if (x_shape.size() > 0) {
    const reduction_plan plan = plan_reduction(x_shape, axes);
    return reduction_run(ctx, r, plan, x, y).run();
  }
  partial_row nothing;
  r.start(nothing.bytes, std::min(y_size, partials_at_once));
  for (std::int64_t i = 0; i < y_size; i += partials_at_once)
    r.finish(nothing.bytes, static_cast<std::byte*>(y) + i * r.element_bytes, std::min(partials_at_once, y_size - i), 0);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
