#pragma once

#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/matmul.hpp>

#include <complex>
#include <type_traits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A term of a sparse product: element i of the values times row `from` of b is added to row `to` of y.
struct product_term {
  std::int64_t to, from, i;
};
// Checks all places, and writes the terms to scratch memory, in the order of the rows of y and of the places. Returns null after
// a failure.
const product_term* order_product_terms(cpu ctx, any_indices indices, any_indices extents, bool adjoint_a);

template <class T> constexpr T with_conjugation(bool conjugate, T x) {
  if constexpr (is_complex<T>) return conjugate ? std::conj(x) : x;
  else return x;
}

// Adds x * factor to y.
template <class T> void add_scaled(T* y, const T* x, T factor, std::int64_t n) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    kernel::dispatch([]<class L>(L) { return &L::template sgd<T>; })(y, x, -factor, n);  // y - x * -factor
  } else if constexpr (is_complex<T>) {
    using real = typename T::value_type;
    const real a = factor.real(), b = factor.imag();
    for (std::int64_t k = 0; k < n; ++k) y[k] += T(x[k].real() * a - x[k].imag() * b, x[k].real() * b + x[k].imag() * a);
  } else {
    for (std::int64_t k = 0; k < n; ++k) y[k] = static_cast<T>(y[k] + static_cast<T>(x[k] * factor));
  }
}

}  // namespace detail

template <class T, class I>
void sparse_tensor_dense_mat_mul_op::operator()(cpu ctx, index_view<I> indices, view<const T> values,
                                                view<const std::int64_t> extents, view<const T> b, view<T> y) const {
  using kept = detail::wide<T>;
  if (y.size() == 0) return;
  const detail::product_term* const terms = detail::order_product_terms(ctx, indices, extents, adjoint_a);
  if (ctx.failed()) return;
  constexpr std::int64_t strip = 256;
  const std::int64_t count = static_cast<std::int64_t>(values.size()), rows = y.dim(0), columns = y.dim(1), depth = b.dim(1);
  const std::int64_t strips = (columns + strip - 1) / strip;
  const std::int64_t work_of_row = std::min(columns, strip) * (1 + count / rows);
  const std::int64_t grain = std::max<std::int64_t>(1, detail::moved_per_block / work_of_row);
  ctx.parallel_for((rows + grain - 1) / grain * strips, [&](std::int64_t block) {
    const std::int64_t column = block % strips * strip, n = std::min(strip, columns - column);
    const std::int64_t begin = block / strips * grain, end = std::min(begin + grain, rows);
    const detail::product_term* term =
        std::lower_bound(terms, terms + count, begin, [](const detail::product_term& t, std::int64_t row) { return t.to < row; });
    kept sums[strip], factors[strip];
    for (std::int64_t row = begin; row < end; ++row) {
      std::fill_n(sums, n, kept());
      for (; term != terms + count && term->to == row; ++term) {
        const auto value = static_cast<kept>(detail::with_conjugation(adjoint_a, values[static_cast<std::size_t>(term->i)]));
        const T* from = adjoint_b ? b.data() + column * depth + term->from : b.data() + term->from * depth + column;
        if constexpr (std::is_same_v<kept, T>) {
          if (!adjoint_b) {
            detail::add_scaled(sums, from, value, n);
            continue;
          }
        }
        for (std::int64_t k = 0; k < n; ++k)
          factors[k] = static_cast<kept>(detail::with_conjugation(adjoint_b, from[adjoint_b ? k * depth : k]));
        detail::add_scaled(sums, factors, value, n);
      }
      T* const to = y.data() + row * columns + column;
      for (std::int64_t k = 0; k < n; ++k) to[k] = static_cast<T>(sums[k]);
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/matmul.hpp>
#endif
