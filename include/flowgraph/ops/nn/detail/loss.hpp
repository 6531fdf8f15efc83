#pragma once

#include <flowgraph/ops/reduction/detail/reduction.hpp>
#include <flowgraph/ops/nn/loss.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A sum whose elements are squared on the way; halved at the end.
template <class T> struct half_square_reducer : reducer_of<sum_reduction, T> {
  using base = reducer_of<sum_reduction, T>;
  using typename base::partial;

  // Calls f(offset, elements, their squares) for some at a time.
  template <class F> static void for_each_square(const void* x, std::int64_t n, F&& f) {
    partial squares[half_block];
    for (std::int64_t i = 0; i < n; i += half_block) {
      const std::int64_t m = std::min(half_block, n - i);
      const T* from = static_cast<const T*>(x) + i;
      if constexpr (is_half<T>) {
        widen(from, squares, m);
        unary_row<functor::square, partial>(squares, squares, m);
      } else {
        unary_row<functor::square, partial>(from, squares, m);
      }
      f(i, m, squares);
    }
  }
  static void fold(void* partials, const void* x, std::int64_t rows, std::int64_t n) {
    partial* result = static_cast<partial*>(partials);
    for_each_row<T>(x, rows, n, [&](const T* row) {
      for_each_square(row, n, [&](std::int64_t, std::int64_t m, const partial* squares) {
        const partial one = base::reduced(squares, m);
        base::merge(result, &one, 1);
      });
      ++result;
    });
  }
  static void add_rows(void* partials, const void* x, std::int64_t rows, std::int64_t step, std::int64_t n) {
    for_each_row<T>(x, rows, step, [&](const T* row) {
      for_each_square(row, n, [&](std::int64_t i, std::int64_t m, const partial* squares) {
        base::merge(static_cast<partial*>(partials) + i, squares, m);
      });
    });
  }
  static void finish(const void* partials, void* y, std::int64_t, std::int64_t) {
    *static_cast<T*>(y) = T(*static_cast<const partial*>(partials) / partial(2));
  }
  static constexpr reducer all{sizeof(T), sizeof(partial), &base::start, &fold, &add_rows, &base::merge, &finish};
};

}  // namespace detail

template <class T> void l2_loss_op::operator()(cpu ctx, view<const T> t, view<T> loss) const {
  flowgraph::shape axes;
  for (int i = 0; i < t.rank(); ++i) axes.push_back(i);
  detail::run_reduction(ctx, detail::half_square_reducer<T>::all, t.shape(), axes, t.data(), loss.data(), 1);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
