#pragma once

#include <flowgraph/ops/shared/detail/integers.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A range of diagonals of a matrix.
struct diagonal_range {
  std::int64_t lower = 0, upper = 0;
  bool known = true, single = true;

  diagonal_range() = default;
  explicit diagonal_range(const any_tensor& k)
      : lower(integer_list(k)[0]), upper(integer_list(k)[k.size() - 1]), single(lower == upper) {}
  std::int64_t count() const { return upper - lower + 1; }
};

// The layout of the diagonals, in the matrix and in the tensor that contains them.
struct diagonals {
  std::int64_t rows, columns, longest;
  diagonal_range range;
  diagonal_alignment align;

  std::int64_t length(std::int64_t d) const {
    return std::min(rows + std::min<std::int64_t>(d, 0), columns - std::max<std::int64_t>(d, 0));
  }
  // Returns the beginning of diagonal d. The other elements of its row are padding.
  std::int64_t begin(std::int64_t d) const {
    using enum diagonal_alignment;
    const bool left =
        (d >= 0 && (align == left_right || align == left_left)) || (d <= 0 && (align == right_left || align == left_left));
    return (range.upper - d) * longest + (left ? 0 : longest - length(d));
  }
};

// Return the row and the column at which diagonal d begins.
inline std::int64_t first_row(std::int64_t d) { return std::max<std::int64_t>(-d, 0); }
inline std::int64_t first_column(std::int64_t d) { return std::max<std::int64_t>(d, 0); }

// Writes matrices with the given diagonals. The other elements of each row are those of x, or the padding if there is no x.
FLOWGRAPH_KERNEL_INLINE void write_diagonals(cpu ctx, element_layout e, const diagonals& m, const void* diagonal, const void* x,
                                             const void* padding, void* y, std::int64_t matrices) {
  const std::int64_t matrix = m.range.count() * m.longest;
  if (m.rows == 0 || m.columns == 0) return;
  visit_layout(e, [&]<class Unit>() {
    const std::int64_t rows_per_block = std::max<std::int64_t>(1, moved_per_block / m.columns);
    ctx.parallel_ranges(matrices * m.rows, rows_per_block, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t r = i % m.rows;
        const auto* from = static_cast<const Unit*>(diagonal) + i / m.rows * matrix;
        Unit* row = static_cast<Unit*>(y) + i * m.columns;
        if (x) std::copy_n(static_cast<const Unit*>(x) + i * m.columns, m.columns, row);
        else std::fill_n(row, m.columns, *static_cast<const Unit*>(padding));
        const std::int64_t end = std::min(m.columns, r + m.range.upper + 1);
        for (std::int64_t c = std::max<std::int64_t>(0, r + m.range.lower); c < end; ++c)
          row[c] = from[m.begin(c - r) + std::min(r, c)];
      }
    });
  });
}

FLOWGRAPH_KERNEL_INLINE void read_diagonals(cpu ctx, element_layout e, const diagonals& m, const void* x, const void* padding,
                                            void* y, std::int64_t matrices) {
  if (m.longest <= 0) return;
  const std::int64_t count = m.range.count();
  visit_layout(e, [&]<class Unit>() {
    const std::int64_t rows_per_block = std::max<std::int64_t>(1, moved_per_block / m.longest);
    ctx.parallel_ranges(matrices * count, rows_per_block, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t d = m.range.upper - i % count, n = std::max<std::int64_t>(0, m.length(d));
        const auto* from = static_cast<const Unit*>(x) + (i / count * m.rows + first_row(d)) * m.columns + first_column(d);
        Unit* row = static_cast<Unit*>(y) + i * m.longest;
        const std::int64_t begin = n > 0 ? m.begin(d) - (m.range.upper - d) * m.longest : m.longest;
        if (n < m.longest) {
          std::fill_n(row, begin, *static_cast<const Unit*>(padding));
          std::fill(row + std::min(begin + n, m.longest), row + m.longest, *static_cast<const Unit*>(padding));
        }
        for (std::int64_t k = 0; k < n; ++k) row[begin + k] = from[k * (m.columns + 1)];
      }
    });
  });
}

FLOWGRAPH_KERNEL_INLINE void keep_band(cpu ctx, element_layout e, void* y, const shape& result) {
  const std::int64_t below = integer_list(ctx.input(1))[0], above = integer_list(ctx.input(2))[0];
  const void* const x = ctx.input(0).data();
  const std::int64_t rows = result[-2], columns = result[-1];
  if (result.size() == 0) return;
  const auto bytes = static_cast<std::int64_t>(e.size);
  ctx.parallel_ranges(result.size() / columns, std::max<std::int64_t>(1, moved_per_block / columns),
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t i = first; i < last; ++i) {
                          const std::int64_t r = i % rows;
                          const std::int64_t begin = below < 0 ? 0 : std::min(columns, std::max<std::int64_t>(0, r - below));
                          const std::int64_t end = above < 0 ? columns : std::clamp(r + above + 1, begin, columns);
                          std::byte* row = element_at(e, y, i * columns);
                          const auto clear = [&](std::int64_t from, std::int64_t to) {
                            std::memset(row + from * bytes, 0, static_cast<std::size_t>((to - from) * bytes));
                          };
                          if (x != y)
                            copy_elements(e, element_at(e, x, i * columns + begin), element_at(e, row, begin), end - begin);
                          clear(0, begin);
                          clear(end, columns);
                        }
                      });
}

// Returns the number of matrices of a shape.
inline std::int64_t count_matrices(const shape& s) { return product_of(s, 0, s.rank - 2); }

// ---- shape rules

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE diagonal_range read_range(shape_context& c, std::size_t input, const shape& k) {
  diagonal_range result;
  if (k.rank > 1 || (k.rank == 1 && k[0] >= 0 && k[0] != 1 && k[0] != 2)) {
    c.fail("k must be a scalar, or a vector of one or two elements");
    return result;
  }
  result.known = c.constant(input) != nullptr;
  result.single = k.rank == 0 || (k.rank == 1 && k[0] == 1);
  if (result.known) result = diagonal_range(*c.constant(input));
  if (result.lower > result.upper)
    c.fail(message{"k must name the lower diagonal first, found ", result.lower, " and ", result.upper});
  return result;
}

// Returns the length of the longest diagonal of a matrix of that shape; -1 if it is not known. Fails if one is outside of the
// matrix.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::int64_t longest_diagonal(shape_context& c, const shape& x,
                                                                     const diagonal_range& range) {
  if (!range.known || x[-2] < 0 || x[-1] < 0) return -1;
  for (const std::int64_t d : {range.lower, range.upper}) {
    if (d == 0 || (d > -x[-2] && d < x[-1])) continue;
    c.fail(message{"diagonal ", d, " must lie in a matrix of ", x[-2], " rows and ", x[-1], " columns"});
    return -1;
  }
  return std::min(x[-2] + std::min<std::int64_t>(range.upper, 0), x[-1] - std::max<std::int64_t>(range.lower, 0));
}

// Returns the shape of the diagonals of x.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape diagonals_shape(shape_context& c, const shape& x, const diagonal_range& range) {
  if (x.has_rank() && x.rank < 2) return c.fail("expected matrices, of two axes or more");
  if (c.failed() || !x.has_rank() || !(range.known || range.single)) return shape::unknown();
  const std::int64_t longest = longest_diagonal(c, x, range);
  shape result = shape::of(x.begin(), x.rank - 2);
  if (!range.single) result.push_back(range.count());
  result.push_back(longest);
  return c.failed() ? shape::unknown() : result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape with_diagonals_shape(shape_context& c, const shape& x, const shape& diagonal,
                                                                  const diagonal_range& range) {
  const shape expected = diagonals_shape(c, x, range);
  if (c.failed()) return expected;
  if (!fits(diagonal, expected)) return c.fail(message{"the diagonals of the input have shape ", expected, ", found ", diagonal});
  if (!x.has_rank() || !diagonal.has_rank()) return x;
  shape result = x;
  for (int i = 0; i < std::min(x.rank - 2, diagonal.rank - 1); ++i) result[i] = std::max(x[i], diagonal[i]);
  return result;
}

// Returns the shape of the matrices that diagonals make. `rows` and `columns` are -1 if the diagonals determine them, and less if
// they are not known.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape matrices_shape(shape_context& c, const shape& diagonal, const diagonal_range& range,
                                                            std::int64_t rows, std::int64_t columns) {
  if (diagonal.rank == 0) return c.fail("expected diagonals, of one axis or more");
  if (c.failed() || !diagonal.has_rank() || !(range.known || range.single)) return shape::unknown();
  if (!range.single && (diagonal.rank < 2 || (diagonal[-2] >= 0 && diagonal[-2] != range.count())))
    return c.fail(message{"expected ", range.count(), " diagonals, as k names, found ", diagonal});
  shape result = shape::of(diagonal.begin(), diagonal.rank - (range.single ? 1 : 2));
  if (result.rank + 2 > shape::max_rank) return c.fail(message{"expected fewer axes, found ", diagonal});
  if (!range.known || diagonal[-1] < 0 || rows < -1 || columns < -1) {
    result.push_back(-1);
    result.push_back(-1);
    return result;
  }
  const std::int64_t least_rows = diagonal[-1] - std::min<std::int64_t>(range.upper, 0);
  const std::int64_t least_columns = diagonal[-1] + std::max<std::int64_t>(range.lower, 0);
  if ((rows >= 0 && rows < least_rows) || (columns >= 0 && columns < least_columns))
    return c.fail(message{"expected at least ", least_rows, " rows and ", least_columns, " columns"});
  if (rows < 0 && columns < 0) rows = columns = std::max(least_rows, least_columns);
  if (rows < 0) rows = least_rows;
  if (columns < 0) columns = least_columns;
  if (rows != least_rows && columns != least_columns)
    return c.fail(message{"the diagonals must reach the last of ", rows, " rows or ", columns, " columns"});
  result.push_back(rows);
  result.push_back(columns);
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape band_shape(shape_context& c, const shape& x, const shape& lower,
                                                        const shape& upper) {
  if (lower.rank > 0 || upper.rank > 0) return c.fail("num_lower and num_upper must be scalars");
  if (!x.has_rank()) return x;
  if (x.rank < 2) return c.fail("expected matrices, of two axes or more");
  for (int i = 0; i < 2; ++i) {
    const shape n = c.integers(static_cast<std::size_t>(1 + i));
    if (n.rank == 1 && x[i - 2] >= 0 && n[0] > x[i - 2])
      return c.fail(message{i == 0 ? "num_lower" : "num_upper", " must be negative or at most ", x[i - 2], ", found ", n[0]});
  }
  return x;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape matrix_diag_form::shape(shape_context& c, const flowgraph::shape& diagonal) const {
  return matrices_shape(c, diagonal, {}, -1, -1);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape matrix_diag_part_form::shape(shape_context& c, const flowgraph::shape& x) const {
  return diagonals_shape(c, x, {});
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape matrix_set_diag_form::shape(shape_context& c, const flowgraph::shape& x,
                                                                         const flowgraph::shape& diagonal) const {
  return with_diagonals_shape(c, x, diagonal, {});
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape padded_diag_form::shape(shape_context& c, const flowgraph::shape& diagonal,
                                                                     const flowgraph::shape& k, const flowgraph::shape& rows,
                                                                     const flowgraph::shape& columns,
                                                                     const flowgraph::shape& padding) const {
  if (rows.rank > 0 || columns.rank > 0 || padding.rank > 0)
    return c.fail("num_rows, num_cols and padding_value must be scalars");
  constexpr std::int64_t unknown = -2;
  const flowgraph::shape r = c.integers(2), n = c.integers(3);
  if ((r.rank == 1 && r[0] < -1) || (n.rank == 1 && n[0] < -1)) return c.fail("num_rows and num_cols must be -1 or more");
  return matrices_shape(c, diagonal, read_range(c, 1, k), r.rank == 1 ? r[0] : unknown, n.rank == 1 ? n[0] : unknown);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape padded_diag_part_form::shape(shape_context& c, const flowgraph::shape& x,
                                                                          const flowgraph::shape& k,
                                                                          const flowgraph::shape& padding) const {
  if (padding.rank > 0) return c.fail("padding_value must be a scalar");
  return diagonals_shape(c, x, read_range(c, 1, k));
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape chosen_set_diag_form::shape(shape_context& c, const flowgraph::shape& x,
                                                                         const flowgraph::shape& diagonal,
                                                                         const flowgraph::shape& k) const {
  return with_diagonals_shape(c, x, diagonal, read_range(c, 2, k));
}

// ---- kernels

FLOWGRAPH_KERNEL_INLINE void make_matrices(cpu ctx, element_layout e, const diagonal_range& range, diagonal_alignment align,
                                           const void* padding, void* y, const shape& result) {
  const any_tensor& diagonal = ctx.input(0);
  write_diagonals(ctx, e, {result[-2], result[-1], diagonal.shape()[-1], range, align}, diagonal.data(), nullptr, padding, y,
                  count_matrices(result));
}
FLOWGRAPH_KERNEL_INLINE void take_diagonals(cpu ctx, element_layout e, const diagonal_range& range, diagonal_alignment align,
                                            const void* padding, void* y, const shape& result) {
  const any_tensor& x = ctx.input(0);
  read_diagonals(ctx, e, {x.shape()[-2], x.shape()[-1], result[-1], range, align}, x.data(), padding, y,
                 count_matrices(x.shape()));
}
FLOWGRAPH_KERNEL_INLINE void set_diagonals(cpu ctx, element_layout e, const diagonal_range& range, diagonal_alignment align,
                                           void* y, const shape& result) {
  const any_tensor &x = ctx.input(0), &diagonal = ctx.input(1);
  write_diagonals(ctx, e, {result[-2], result[-1], diagonal.shape()[-1], range, align}, diagonal.data(), x.data(), nullptr, y,
                  count_matrices(result));
}

template <class T> void matrix_diag_form::operator()(cpu ctx, view<const T>, view<T> y) const {
  const T zero{};
  make_matrices(ctx, layout_of<T>, {}, diagonal_alignment::left_left, &zero, y.data(), y.shape());
}
template <class T> void matrix_diag_part_form::operator()(cpu ctx, view<const T>, view<T> y) const {
  const T zero{};
  take_diagonals(ctx, layout_of<T>, {}, diagonal_alignment::left_left, &zero, y.data(), y.shape());
}
template <class T> void matrix_set_diag_form::operator()(cpu ctx, view<const T>, view<const T>, view<T> y) const {
  set_diagonals(ctx, layout_of<T>, {}, diagonal_alignment::left_left, y.data(), y.shape());
}
template <class T>
void padded_diag_form::operator()(cpu ctx, view<const T>, view<const std::int32_t>, view<const std::int32_t>,
                                  view<const std::int32_t>, view<const T> padding, view<T> y) const {
  make_matrices(ctx, layout_of<T>, diagonal_range(ctx.input(1)), align, padding.data(), y.data(), y.shape());
}
template <class T>
void padded_diag_part_form::operator()(cpu ctx, view<const T>, view<const std::int32_t>, view<const T> padding, view<T> y) const {
  take_diagonals(ctx, layout_of<T>, diagonal_range(ctx.input(1)), align, padding.data(), y.data(), y.shape());
}
template <class T>
void chosen_set_diag_form::operator()(cpu ctx, view<const T>, view<const T>, view<const std::int32_t>, view<T> y) const {
  set_diagonals(ctx, layout_of<T>, diagonal_range(ctx.input(2)), align, y.data(), y.shape());
}

}  // namespace detail

template <class T, class I>
void matrix_band_part_op::operator()(cpu ctx, view<const T>, index_view<I>, index_view<I>, view<T> y) const {
  detail::keep_band(ctx, detail::layout_of<T>, y.data(), y.shape());
}
template <class T>
void batch_matrix_band_part_op::operator()(cpu ctx, view<const T>, view<const std::int64_t>, view<const std::int64_t>,
                                           view<T> y) const {
  detail::keep_band(ctx, detail::layout_of<T>, y.data(), y.shape());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
