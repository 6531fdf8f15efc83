#pragma once

#include <flowgraph/ops/shared/detail/number.hpp>
#include <flowgraph/ops/shared/elementwise.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/kernel/loops.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class Op, class T> struct function_of {
  using type = typename Op::function;
};
template <class Op, class T>
  requires(is_complex<T> && requires { typename Op::complex_function; }) struct function_of<Op, T> {
  using type = typename Op::complex_function;
};

template <class T> inline constexpr bool has_packets = std::is_same_v<T, float> || std::is_same_v<T, double>;

// A functor with this member is called for one number at a time: it uses the standard library, or distinguishes types.
template <class F> concept by_number = requires { requires F::by_number; };
// A functor with this member takes halves unchanged, because it rounds to them on the way.
template <class F> concept by_half = requires { requires F::by_half; };

// Halves become floats, a block at a time, so that the functions of float apply to them.
inline constexpr std::int64_t half_block = 256;

template <class T> void widen(const T* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(x[i]);
}
template <class T> void narrow(const float* x, T* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = T(x[i]);
}

template <class F, class T> void unary_row(const T* x, T* y, std::int64_t n) {
  if constexpr (has_packets<T> && !by_number<F>) {
    kernel::unary_loop<F, T>()(x, y, n);
  } else if constexpr (is_half<T>) {
    float block[half_block];
    for (std::int64_t i = 0; i < n; i += half_block) {
      const std::int64_t m = std::min(half_block, n - i);
      widen(x + i, block, m);
      unary_row<F, float>(block, block, m);
      narrow(block, y + i, m);
    }
  } else {
    using number = detail::number<T>;
    for (std::int64_t i = 0; i < n; ++i) y[i] = number::value(F::packet(typename number::type(x[i])));
  }
}

template <class F, class T> void binary_row_of(const void* left, const void* right, void* result, std::int64_t n, row_form form);

template <class F, class T> void half_row(const T* a, const T* b, T* y, std::int64_t n, row_form form) {
  float left[half_block], right[half_block];
  if (form == row_form::scalar_left) widen(a, left, 1);
  if (form == row_form::scalar_right) widen(b, right, 1);
  for (std::int64_t i = 0; i < n; i += half_block) {
    const std::int64_t m = std::min(half_block, n - i);
    if (form != row_form::scalar_left) widen(a + i, left, m);
    if (form != row_form::scalar_right) widen(b + i, right, m);
    // The output may not overlap the single element, which the next block needs.
    float* result = form == row_form::scalar_left ? right : left;
    binary_row_of<F, float>(left, right, result, m, form);
    narrow(result, y + i, m);
  }
}

template <class F, class T> void binary_row_of(const void* left, const void* right, void* result, std::int64_t n, row_form form) {
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  T* y = static_cast<T*>(result);
  if constexpr (has_packets<T> && !by_number<F>) {
    const auto loops = kernel::binary_loop<F, T>();
    if (form == row_form::both) loops.both(a, b, y, n);
    else if (form == row_form::scalar_left) loops.scalar_left(a, b, y, n);
    else loops.scalar_right(a, b, y, n);
  } else if constexpr (is_half<T> && !by_half<F>) {
    half_row<F>(a, b, y, n, form);
  } else {
    using number = detail::number<T>;
    using P = typename number::type;
    const std::int64_t a_step = form != row_form::scalar_left, b_step = form != row_form::scalar_right;
    for (std::int64_t i = 0; i < n; ++i) y[i] = number::value(F::packet(P(a[i * a_step]), P(b[i * b_step])));
  }
}

// Computes a row of two operands that are read side by side.
template <class F, class T> void paired_row(const T* a, const T* b, T* y, std::int64_t n) {
  if constexpr (has_packets<T> && !by_number<F>) {
    kernel::paired_loop<F, T>()(a, b, y, n);
  } else if constexpr (is_half<T> && !by_half<F>) {
    float left[half_block], right[half_block];
    for (std::int64_t i = 0; i < n; i += half_block) {
      const std::int64_t m = std::min(half_block, n - i);
      widen(a + i, left, m);
      widen(b + i, right, m);
      paired_row<F, float>(left, right, left, m);
      narrow(left, y + i, m);
    }
  } else {
    using number = detail::number<T>;
    using P = typename number::type;
    for (std::int64_t i = 0; i < n; ++i) y[i] = number::value(F::packet(P(a[i]), P(b[i])));
  }
}

// A functor with this member gives the same bits for a number as for a lane of a packet, so one element needs no loop.
template <class F> concept is_exact = requires { requires F::exact; };

template <class Op, class T> void run_binary_elementwise(cpu ctx, view<const T> a, view<const T> b, view<T> y) {
  using F = typename function_of<Op, T>::type;
  if constexpr (requires { Op::check(ctx, b); }) {
    if (y.size() > 0 && !Op::check(ctx, b)) return;
  }
  const std::size_t n = y.size();
  if constexpr (has_packets<T> && is_exact<F>) {
    if (n == 1) {
      y[0] = F::packet(a[0], b[0]);
      return;
    }
  }
  if (n <= static_cast<std::size_t>(elements_per_block)) {
    const auto size = static_cast<std::int64_t>(n);
    if (a.size() == n && b.size() == n) return binary_row_of<F, T>(a.data(), b.data(), y.data(), size, row_form::both);
    if (b.size() == 1 && a.size() == n) return binary_row_of<F, T>(a.data(), b.data(), y.data(), size, row_form::scalar_right);
    if (a.size() == 1 && b.size() == n) return binary_row_of<F, T>(a.data(), b.data(), y.data(), size, row_form::scalar_left);
  }
  run_binary(ctx, {a.data(), b.data(), y.data(), &a.shape(), &b.shape(), &y.shape(), sizeof(T), sizeof(T)}, &binary_row_of<F, T>);
}

}  // namespace detail

template <class Op> template <class T> void unary_elementwise<Op>::operator()(cpu ctx, view<const T> x, view<T> y) const {
  using F = typename detail::function_of<Op, T>::type;
  const auto n = static_cast<std::int64_t>(x.size());
  if constexpr (detail::has_packets<T> && detail::is_exact<F>) {
    if (n == 1) {
      y[0] = F::packet(x[0]);
      return;
    }
  }
  if (n <= detail::elements_per_block) return detail::unary_row<F>(x.data(), y.data(), n);
  detail::for_each_block(ctx, n, [&](std::int64_t first, std::int64_t last) {
    detail::unary_row<F>(x.data() + first, y.data() + first, last - first);
  });
}

template <class Op>
template <class T>
void binary_elementwise<Op>::operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const {
  detail::run_binary_elementwise<Op, T>(ctx, a, b, y);
}

template <class Op>
template <class T>
void paired_elementwise<Op>::operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const {
  using F = typename detail::function_of<Op, T>::type;
  const auto n = static_cast<std::int64_t>(y.size());
  if constexpr (detail::has_packets<T> && detail::is_exact<F>) {
    if (n == 1) {
      y[0] = F::packet(a[0], b[0]);
      return;
    }
  }
  if (n <= detail::elements_per_block) return detail::paired_row<F>(a.data(), b.data(), y.data(), n);
  detail::for_each_block(ctx, n, [&](std::int64_t first, std::int64_t last) {
    detail::paired_row<F>(a.data() + first, b.data() + first, y.data() + first, last - first);
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
