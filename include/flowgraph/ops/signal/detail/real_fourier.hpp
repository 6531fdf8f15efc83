#pragma once

#include <flowgraph/ops/signal/real_fourier.hpp>
#include <flowgraph/ops/signal/detail/fourier_lines.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape real_fourier_shape(shape_context& c, const shape& x, const shape& length, int axes,
                                                                bool inverse) {
  if (x.has_rank() && x.rank < axes) return c.fail(message{"expected a tensor of at least ", axes, " axes, found ", x});
  if (length.has_rank() && (length.rank != 1 || (length[0] >= 0 && length[0] != axes)))
    return c.fail(message{"fft_length must be a vector of ", axes, axes == 1 ? " element" : " elements", ", found ", length});
  const shape n = c.integers(1);
  shape result = x;
  for (int i = 0; i < axes; ++i) {
    const bool is_last = i == axes - 1;
    const std::int64_t extent = n.has_rank() ? n[i] : -1;
    if (n.has_rank() && extent < 0) return c.fail(message{"fft_length[", i, "] must be at least 0, found ", extent});
    if (!x.has_rank()) continue;
    const int at = x.rank - axes + i;
    result[at] = extent > 0 && is_last && !inverse ? extent / 2 + 1 : extent;
    if (extent < 0 || x[at] <= 0) continue;
    const std::int64_t least = is_last && inverse ? extent / 2 + 1 : extent;
    if (x[at] < least) return c.fail(message{"axis ", at, " must have at least ", least, " elements, found ", x[at]});
  }
  return result;
}

// The transform along the last axis, for `lines` lines of n real numbers.
inline fourier_axis real_axis(std::int64_t lines, std::int64_t n) { return {lines, n, 1, true}; }

// The elements of the tensor between the transforms, as a number of doubles: the complex axes come first in an inverse transform.
inline std::int64_t between_transforms(const shape& x, int axes, bool inverse) { return inverse && axes > 1 ? 2 * x.size() : 0; }

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t real_fourier_scratch(const shape& x, int axes, bool inverse) {
  if (x.size() == 0) return 0;
  const std::int64_t m = x[-1], n = inverse ? std::max<std::int64_t>(1, 2 * (m - 1)) : m;
  const std::int64_t lines = x.size() / m, columns = inverse ? m : m / 2 + 1;
  fourier_axis last = real_axis(lines, n);
  std::int64_t most = last.memory();
  last.n = inverse ? 2 * m - 1 : m;
  most = std::max(most, last.memory_for_any());
  for (int i = 1; i < axes; ++i) {
    const std::int64_t extent = x[x.rank - 1 - i];
    std::int64_t inner = columns;
    for (int k = 1; k < i; ++k) inner *= x[x.rank - 1 - k];
    // A cropped axis may leave a single column.
    for (const std::int64_t width : {inner, std::int64_t{1}})
      most = std::max(most, fourier_axis{lines * columns / inner / extent, extent, width}.memory_for_any());
  }
  return static_cast<std::size_t>(most + between_transforms(x, axes, inverse)) * sizeof(double);
}

// Calls row(i, j) for the rows of a part of a tensor: row j of the whole is row i of the part, which has fewer rows along the
// axes before the last axis.
template <class Row>
void for_each_row(const shape& part, const shape& whole, std::int64_t first, std::int64_t last, const Row& row) {
  for (std::int64_t i = first; i < last; ++i) {
    std::int64_t rest = i, j = 0, step = 1;
    for (int axis = part.rank - 2; axis >= 0; --axis) {
      j += rest % part[axis] * step;
      rest /= part[axis];
      step *= whole[axis];
    }
    row(i, j);
  }
}

template <int Axes>
template <class R, class C>
  requires complex_over<C, R>
void real_fourier_form<Axes>::operator()(cpu ctx, view<const R> x, view<const std::int32_t> length, view<C> y) const {
  if (x.size() == 0) std::fill_n(y.data(), y.size(), C(0));
  if (x.size() == 0 || y.size() == 0) return;
  const flowgraph::shape &from = x.shape(), &to = y.shape();
  const std::int64_t n = length[Axes - 1];
  const auto size = static_cast<std::int64_t>(real_fourier_scratch(from, Axes, false) / sizeof(double));
  double* const memory = ctx.scratch<double>();
  const fourier_axis lines = real_axis(to.size() / to[-1], n);
  transform_lines<R>(ctx, lines, memory, size, [&](const auto& line, double* work, std::int64_t first, std::int64_t last) {
    for_each_row(to, from, first, last,
                 [&](std::int64_t i, std::int64_t j) { line.run_real(work, x.data() + j * from[-1], y.data() + i * to[-1]); });
  });
  for (int i = 1; i < Axes; ++i) transform_axis(ctx, complex_axis(to, i), y.data(), y.data(), false, memory, size);
}

template <int Axes>
template <class R, class C>
  requires complex_over<C, R>
void inverse_real_fourier_form<Axes>::operator()(cpu ctx, view<const C> x, view<const std::int32_t> length, view<R> y) const {
  if (x.size() == 0) std::fill_n(y.data(), y.size(), R(0));
  if (x.size() == 0 || y.size() == 0) return;
  const flowgraph::shape& from = x.shape();
  const std::int64_t n = length[Axes - 1], kept = n / 2 + 1, between = between_transforms(from, Axes, true);
  const std::int64_t size = static_cast<std::int64_t>(real_fourier_scratch(from, Axes, true) / sizeof(double)) - between;
  double* const memory = ctx.scratch<double>() + between;
  flowgraph::shape part = y.shape();
  part[part.rank - 1] = kept;
  const std::int64_t rows = part.size() / kept;
  const C* spectra = x.data();
  if constexpr (Axes > 1) {
    C* const copies = ctx.scratch<C>();
    for_each_row(part, from, 0, rows,
                 [&](std::int64_t i, std::int64_t j) { std::copy_n(x.data() + j * from[-1], kept, copies + i * kept); });
    for (int i = Axes - 1; i > 0; --i) transform_axis(ctx, complex_axis(part, i), copies, copies, true, memory, size);
    spectra = copies;
  }
  const std::int64_t step = Axes > 1 ? kept : from[-1];
  transform_lines<R>(ctx, real_axis(rows, n), memory, size,
                     [&](const auto& line, double* work, std::int64_t first, std::int64_t last) {
                       for (std::int64_t i = first; i < last; ++i)
                         line.run_inverse_real(work, spectra + i * step, y.data() + i * n);
                     });
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
