#pragma once

#include <flowgraph/ops/math/detail/cast.hpp>
#include <flowgraph/ops/reduction/detail/reduction.hpp>
#include <flowgraph/ops/reduction/norm.hpp>

#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The reduction to a sum of squares. Complex numbers count by their absolute values.
template <class T> struct norm_reducer {
  using partial = std::conditional_t<is_half<T>, float, T>;
  using sum = reducer_of<sum_reduction, partial>;

  static partial square(T x) {
    if constexpr (is_complex<T>) return std::norm(x);
    else if constexpr (is_half<T>) return static_cast<float>(x) * static_cast<float>(x);
    else return narrowed<T>(widened(x) * widened(x));
  }
  // Calls `use` for blocks of squares.
  template <class F> static void squares(const T* x, std::int64_t n, F&& use) {
    partial block[half_block];
    for (std::int64_t i = 0; i < n; i += half_block) {
      const std::int64_t m = std::min(half_block, n - i);
      for (std::int64_t k = 0; k < m; ++k) block[k] = square(x[i + k]);
      use(i, block, m);
    }
  }
  static void fold(void* partials, const void* x, std::int64_t rows, std::int64_t n) {
    partial* result = static_cast<partial*>(partials);
    for_each_row<T>(x, rows, n, [&](const T* row) {
      squares(row, n, [&](std::int64_t, const partial* block, std::int64_t m) { sum::fold(result, block, 1, m); });
      ++result;
    });
  }
  static void add_rows(void* partials, const void* x, std::int64_t rows, std::int64_t step, std::int64_t n) {
    for_each_row<T>(x, rows, step, [&](const T* row) {
      squares(row, n, [&](std::int64_t i, const partial* block, std::int64_t m) {
        sum::merge(static_cast<partial*>(partials) + i, block, m);
      });
    });
  }
  static void finish(const void* partials, void* y, std::int64_t n, std::int64_t) {
    const partial* from = static_cast<const partial*>(partials);
    T* to = static_cast<T*>(y);
    for (std::int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<T>) to[i] = real_to_integer<T>(std::sqrt(static_cast<double>(from[i])));
      else to[i] = T(std::sqrt(from[i]));
    }
  }
  static constexpr reducer all{sizeof(T), sizeof(partial), &sum::start, &fold, &add_rows, &sum::merge, &finish};
};

}  // namespace detail

template <class T, class I> void euclidean_norm_op::operator()(cpu ctx, view<const T> x, index_view<I> axes, view<T> y) const {
  detail::run_reduction(ctx, detail::norm_reducer<T>::all, x.shape(), detail::axes_of(axes), x.data(), y.data(),
                        static_cast<std::int64_t>(y.size()));
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
