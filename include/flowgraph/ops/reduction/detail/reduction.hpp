#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The functions that reduce elements of one type. impl/reduce.hpp determines the order, once for all types.
struct reducer {
  std::int64_t element_bytes, partial_bytes;
  void (*start)(void* partials, std::int64_t n);
  void (*fold)(void* partials, const void* x, std::int64_t rows, std::int64_t n);  // adjacent rows, a partial result each
  void (*add_rows)(void* partials, const void* x, std::int64_t rows, std::int64_t step, std::int64_t n);  // n columns
  void (*merge)(void* partials, const void* others, std::int64_t n);
  void (*finish)(const void* partials, void* y, std::int64_t n, std::int64_t count);  // of `count` elements each
};

// Calls f(elements, row) for rows of elements T, `step` elements apart.
template <class T, class F> void for_each_row(const void* x, std::int64_t rows, std::int64_t step, const F& f) {
  for (std::int64_t row = 0; row < rows; ++row) f(static_cast<const T*>(x) + row * step, row);
}

// Reduces x, which has shape `x_shape`, over `axes`. The caller allocates y.
void run_reduction(cpu ctx, const reducer& r, const shape& x_shape, const shape& axes, const void* x, void* y,
                   std::int64_t y_size);

// The associative function of a reduction, and its start.
struct sum_reduction {
  using function = functor::add;
  template <class T> static T start() { return T(0); }
};
struct mean_reduction : sum_reduction {};
struct product_reduction {
  using function = functor::mul;
  template <class T> static T start() { return T(1); }
};
struct max_reduction {
  using function = functor::maximum;
  template <class T> static T start() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  }
};
struct min_reduction {
  using function = functor::minimum;
  template <class T> static T start() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
};
struct all_reduction {
  using function = functor::logical_and;
  template <class T> static T start() { return true; }
};
struct any_reduction {
  using function = functor::logical_or;
  template <class T> static T start() { return false; }
};

template <class R, class T> struct reducer_of {
  static constexpr bool is_mean = std::is_same_v<R, mean_reduction>;
  using F = typename R::function;
  // Halves are reduced in float; means of integers in 64 bits, as in TensorFlow.
  using partial = std::conditional_t<is_half<T>, float,
                                     std::conditional_t<is_mean && std::is_integral_v<T>,
                                                        std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>, T>>;

  static constexpr bool sums_packets = std::is_same_v<partial, T> && has_packets<T> && std::is_same_v<F, functor::add>;

  static void start(void* partials, std::int64_t n) {
    std::fill_n(static_cast<partial*>(partials), n, R::template start<partial>());
  }

  // Calls f(block, first, elements) for blocks of x, whose elements have the type of partial results.
  template <class Use> static void for_each_block(const T* x, std::int64_t n, const Use& f) {
    if constexpr (std::is_same_v<partial, T>) {
      f(x, 0, n);
    } else {
      partial block[half_block];
      for (std::int64_t i = 0; i < n; i += half_block) {
        const std::int64_t m = std::min(half_block, n - i);
        for (std::int64_t k = 0; k < m; ++k) block[k] = static_cast<partial>(x[i + k]);
        f(block, i, m);
      }
    }
  }

  static void merge(void* partials, const void* others, std::int64_t n) {
    binary_row_of<F, partial>(partials, others, partials, n, row_form::both);
  }

  static void add_rows(void* partials, const void* x, std::int64_t rows, std::int64_t step, std::int64_t n) {
    if constexpr (sums_packets) {
      kernel::dispatch([]<class L>(L) { return &L::template add_rows<T>; })(static_cast<T*>(partials), static_cast<const T*>(x),
                                                                            rows, step, n);
    } else {
      add_rows_of<reducer_of, T>(partials, x, rows, step, n);
    }
  }
  // As `add_rows`, of elements X whose blocks come from Blocks::for_each_block.
  template <class Blocks, class X>
  static void add_rows_of(void* partials, const void* x, std::int64_t rows, std::int64_t step, std::int64_t n) {
    const auto add = [&](const partial* block, std::int64_t i, std::int64_t m) {
      merge(static_cast<partial*>(partials) + i, block, m);
    };
    for_each_row<X>(x, rows, step, [&](const X* row, std::int64_t) { Blocks::for_each_block(row, n, add); });
  }

  // Reduces contiguous elements. Packets have their own order; other types are reduced in blocks, so that errors stay small.
  static partial reduced(const partial* x, std::int64_t n) {
    if constexpr (has_packets<partial> && std::is_same_v<F, functor::add>) {
      return kernel::dispatch([]<class L>(L) { return &L::template sum<partial>; })(x, n);
    } else if constexpr (has_packets<partial> && std::is_same_v<R, max_reduction>) {
      return kernel::dispatch([]<class L>(L) { return &L::template max<partial>; })(x, n);
    } else if constexpr (has_packets<partial> && std::is_same_v<R, min_reduction>) {
      return kernel::dispatch([]<class L>(L) { return &L::template min<partial>; })(x, n);
    } else {
      using number = detail::number<partial>;
      using P = typename number::type;
      P total = P(R::template start<partial>());
      for (std::int64_t first = 0; first < n; first += half_block) {
        P part = P(R::template start<partial>());
        for (std::int64_t i = first; i < std::min(first + half_block, n); ++i) part = P(F::packet(part, P(x[i])));
        total = P(F::packet(total, part));
      }
      return number::value(total);
    }
  }

  static void fold(void* partials, const void* x, std::int64_t rows, std::int64_t n) {
    if constexpr (sums_packets) {
      kernel::dispatch([]<class L>(L) { return &L::template add_sums<T>; })(static_cast<T*>(partials), static_cast<const T*>(x),
                                                                            rows, n);
    } else {
      fold_of<reducer_of, T>(partials, x, rows, n);
    }
  }
  // As `fold`, of elements X whose blocks come from Blocks::for_each_block.
  template <class Blocks, class X> static void fold_of(void* partials, const void* x, std::int64_t rows, std::int64_t n) {
    for_each_row<X>(x, rows, n, [&](const X* elements, std::int64_t row) {
      Blocks::for_each_block(elements, n, [&](const partial* block, std::int64_t, std::int64_t m) {
        const partial one = reduced(block, m);
        merge(static_cast<partial*>(partials) + row, &one, 1);
      });
    });
  }

  // The mean of no elements is NaN, or 0 for types without NaN and for complex numbers, as in TensorFlow.
  static T mean(partial total, std::int64_t count) {
    if constexpr (std::is_integral_v<partial>)
      return static_cast<T>(count == 0 ? partial{} : total / static_cast<partial>(count));
    else if constexpr (is_complex<T>) return count == 0 ? T{} : total / static_cast<typename T::value_type>(count);
    else return T(total / static_cast<partial>(count));
  }
  static void finish(const void* partials, void* y, std::int64_t n, std::int64_t count) {
    const partial* from = static_cast<const partial*>(partials);
    T* to = static_cast<T*>(y);
    for (std::int64_t i = 0; i < n; ++i) {
      if constexpr (is_mean) to[i] = mean(from[i], count);
      else to[i] = T(from[i]);
    }
  }

  static constexpr reducer all{sizeof(T), sizeof(partial), &start, &fold, &add_rows, &merge, &finish};
};

// A sum of squares. Complex numbers count by their absolute values. Finish::finished makes an element T of a sum.
template <class T, class Finish> struct square_reducer {
  using partial = std::conditional_t<is_half<T>, float, T>;
  using sum = reducer_of<sum_reduction, partial>;

  static partial square(T x) {
    if constexpr (is_complex<T>) return std::norm(x);
    else return narrowed<T>(widened(x) * widened(x));
  }
  // Calls f(block, first, elements) for blocks of squares.
  template <class Use> static void for_each_block(const T* x, std::int64_t n, const Use& f) {
    partial block[half_block];
    for (std::int64_t i = 0; i < n; i += half_block) {
      const std::int64_t m = std::min(half_block, n - i);
      if constexpr (is_half<T>) {
        widen(x + i, block, m);
        unary_row<functor::square, partial>(block, block, m);
      } else if constexpr (has_packets<T>) {
        unary_row<functor::square, T>(x + i, block, m);
      } else {
        for (std::int64_t k = 0; k < m; ++k) block[k] = square(x[i + k]);
      }
      f(block, i, m);
    }
  }
  static void finish(const void* partials, void* y, std::int64_t n, std::int64_t) {
    const partial* from = static_cast<const partial*>(partials);
    T* to = static_cast<T*>(y);
    for (std::int64_t i = 0; i < n; ++i) to[i] = Finish::template finished<T>(from[i]);
  }
  static constexpr reducer all{sizeof(T),
                               sizeof(partial),
                               &sum::start,
                               &sum::template fold_of<square_reducer, T>,
                               &sum::template add_rows_of<square_reducer, T>,
                               &sum::merge,
                               &finish};
};

inline shape axes_of(const any_indices& axes) {
  shape values;
  for (std::size_t i = 0; i < axes.size(); ++i) values.push_back(axes[i]);
  return values;
}

// Finds the index of the largest or smallest element along `axis`. y contains integers of `index_bytes`.
template <class T, bool Largest> void search_axis(cpu ctx, view<const T> x, std::int64_t axis, void* y, std::size_t index_bytes);

}  // namespace detail

template <class Op>
template <class T, class I>
void numeric_reduction<Op>::operator()(cpu ctx, view<const T> x, index_view<I> axes, view<T> y) const {
  detail::run_reduction(ctx, detail::reducer_of<typename Op::function, T>::all, x.shape(), detail::axes_of(axes), x.data(),
                        y.data(), static_cast<std::int64_t>(y.size()));
}

template <class Op>
template <class I>
void logical_reduction<Op>::operator()(cpu ctx, view<const bool> x, index_view<I> axes, view<bool> y) const {
  detail::run_reduction(ctx, detail::reducer_of<typename Op::function, bool>::all, x.shape(), detail::axes_of(axes), x.data(),
                        y.data(), static_cast<std::int64_t>(y.size()));
}

template <class T, bool Largest>
void detail::search_axis(cpu ctx, view<const T> x, std::int64_t axis, void* y, std::size_t index_bytes) {
  const shape& s = x.shape();
  if (axis < -s.rank || axis >= s.rank) return ctx.fail("the dimension is out of range");
  const int at = static_cast<int>(axis < 0 ? axis + s.rank : axis);
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < at; ++i) outer *= s[i];
  for (int i = at + 1; i < s.rank; ++i) inner *= s[i];
  const std::int64_t n = s[at];
  if (outer * inner == 0 || n == 0) return;
  const auto before = [](T a, T b) { return Largest ? a > b : a < b; };
  const T worst = Largest ? least_finite<T>() : largest_finite<T>();
  const auto store = [&](std::int64_t i, std::int64_t position) {
    if (index_bytes == 2) static_cast<std::uint16_t*>(y)[i] = static_cast<std::uint16_t>(position);
    else if (index_bytes == 4) static_cast<std::int32_t*>(y)[i] = static_cast<std::int32_t>(position);
    else static_cast<std::int64_t*>(y)[i] = position;
  };
  // Columns of one row together, so that memory is read in its order.
  constexpr std::int64_t columns = 64;
  const std::int64_t chunks = (inner + columns - 1) / columns;
  ctx.parallel_ranges(outer * chunks, std::max<std::int64_t>(1, elements_per_block / (n * std::min(inner, columns))),
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t task = first; task < last; ++task) {
                          const std::int64_t row = task / chunks, column = task % chunks * columns,
                                             width = std::min(columns, inner - column);
                          const T* from = x.data() + row * n * inner + column;
                          T best[columns];
                          std::int64_t where[columns] = {};
                          std::fill_n(best, width, worst);
                          for (std::int64_t i = 0; i < n; ++i, from += inner) {
                            for (std::int64_t k = 0; k < width; ++k) {
                              if (!before(from[k], best[k])) continue;
                              best[k] = from[k];
                              where[k] = i;
                            }
                          }
                          for (std::int64_t k = 0; k < width; ++k) store(row * inner + column + k, where[k]);
                        }
                      });
}

template <class T, class I, class Index>
void arg_max_op::operator()(cpu ctx, view<const T> x, index_view<I> axis, view<Index> y) const {
  detail::search_axis<T, true>(ctx, x, axis.scalar(), y.data(), sizeof(Index));
}
template <class T, class I, class Index>
void arg_min_op::operator()(cpu ctx, view<const T> x, index_view<I> axis, view<Index> y) const {
  detail::search_axis<T, false>(ctx, x, axis.scalar(), y.data(), sizeof(Index));
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
