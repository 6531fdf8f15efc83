#pragma once

#include <flowgraph/functors/complex.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/reduction/scan.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Joins one more number to those before it. W is the type of the intermediate results.
template <scan_function F, class W> struct scan_step {
  static W start() {
    if constexpr (F == scan_function::sum) return W(0);
    else if constexpr (F == scan_function::product) return W(1);
    else return -std::numeric_limits<W>::infinity();
  }
  static W join(W before, W x) {
    if constexpr (F == scan_function::sum) {
      return before + x;
    } else if constexpr (F == scan_function::product) {
      if constexpr (is_complex<W>) return functor::complex_mul::packet(before, x);
      else return before * x;
    } else {
      const W less = x < before ? x : before, more = before < x ? x : before;
      return more == start() ? more : std::log1p(std::exp(less - more)) + more;
    }
  }
};

// Signed integers are scanned as unsigned ones.
template <class T> struct bits_of_integer {
  using type = T;
};
template <std::signed_integral T> struct bits_of_integer<T> {
  using type = std::make_unsigned_t<T>;
};

// The extents of x, which is outer x n x inner, with the scanned axis in the middle.
struct scan_sizes {
  std::int64_t outer, n, inner;
  bool exclusive, reverse;
};

// Scans some columns of one slab, row after row. y may be x.
template <class Step, class T> void scan_columns(const T* x, T* y, const scan_sizes& s, std::int64_t width) {
  constexpr std::int64_t most = 64;
  wide<T> total[most];
  std::fill_n(total, width, Step::start());
  const std::int64_t step = s.reverse ? -s.inner : s.inner;
  std::int64_t row = s.reverse ? (s.n - 1) * s.inner : 0;
  for (std::int64_t i = 0; i < s.n; ++i, row += step) {
    for (std::int64_t k = 0; k < width; ++k) {
      const wide<T> joined = Step::join(total[k], widened(x[row + k]));
      y[row + k] = narrowed<T>(s.exclusive ? total[k] : joined);
      total[k] = joined;
    }
  }
}

template <class Step, class T> void run_scan(cpu ctx, const T* x, T* y, const scan_sizes& s) {
  constexpr std::int64_t columns = 64, elements = 1 << 15;
  if (s.outer * s.n * s.inner == 0) return;
  const std::int64_t chunks = (s.inner + columns - 1) / columns;
  const std::int64_t grain = std::max<std::int64_t>(1, elements / (s.n * std::min(s.inner, columns)));
  ctx.parallel_ranges(s.outer * chunks, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t task = first; task < last; ++task) {
      const std::int64_t column = task % chunks * columns, at = task / chunks * s.n * s.inner + column;
      scan_columns<Step>(x + at, y + at, s, std::min(columns, s.inner - column));
    }
  });
}

FLOWGRAPH_KERNEL_INLINE scan_sizes sizes_of_scan(const shape& x, std::int64_t axis, bool exclusive, bool reverse) {
  const int at = normalized_axis(axis, x.rank);
  const std::int64_t* dims = x.begin();
  return {checked_product(dims, dims + at), x[at], checked_product(dims + at + 1, x.end()), exclusive, reverse};
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::scan_shape(shape_context& c, const shape& x, const shape& axis) {
  if (axis.rank > 0) return c.fail("axis must be a scalar");
  if (x.rank == 0) return c.fail("a scalar has no axis to scan");
  const auto value = scalar_integer(c, 1, axis, "axis");
  if (value && x.has_rank() && normalized_axis(*value, x.rank) < 0) return c.fail(axis_message("axis", x.rank, *value));
  return x;
}

template <class Op>
template <class T, class I>
void detail::scan<Op>::operator()(cpu ctx, view<const T> x, index_view<I> axis, view<T> y) const {
  using bits = typename bits_of_integer<T>::type;
  run_scan<scan_step<Op::function, wide<T>>>(ctx, reinterpret_cast<const bits*>(x.data()), reinterpret_cast<bits*>(y.data()),
                                             sizes_of_scan(x.shape(), axis.scalar(), exclusive, reverse));
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
