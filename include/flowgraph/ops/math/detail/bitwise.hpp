#pragma once

#include <flowgraph/ops/array/broadcast.hpp>
#include <flowgraph/ops/math/bitwise.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Applies a function to numbers of one size. Only shifts depend on the sign.
template <class T, bit_function F>
void bit_row(const void* left, const void* right, void* result, std::int64_t n, row_form form) {
  using U = std::make_unsigned_t<T>;
  constexpr T most = std::numeric_limits<U>::digits - 1;
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  U* y = static_cast<U*>(result);
  const std::int64_t a_step = form != row_form::scalar_left, b_step = form != row_form::scalar_right;
  for (std::int64_t i = 0; i < n; ++i) {
    const T x = a[i * a_step], z = b[i * b_step];
    [[maybe_unused]] const int by = static_cast<int>(std::clamp(z, T{0}, most));
    if constexpr (F == bit_function::both) y[i] = static_cast<U>(x & z);
    else if constexpr (F == bit_function::either) y[i] = static_cast<U>(x | z);
    else if constexpr (F == bit_function::one) y[i] = static_cast<U>(x ^ z);
    else if constexpr (F == bit_function::left) y[i] = static_cast<U>(std::uint64_t{static_cast<U>(x)} << by);
    else y[i] = static_cast<U>(x >> by);
  }
}

template <class U> binary_row bit_row_of(bit_function f, bool has_sign) {
  using S = std::make_signed_t<U>;
  switch (f) {
    case bit_function::both: return &bit_row<U, bit_function::both>;
    case bit_function::either: return &bit_row<U, bit_function::either>;
    case bit_function::one: return &bit_row<U, bit_function::one>;
    case bit_function::left: return has_sign ? &bit_row<S, bit_function::left> : &bit_row<U, bit_function::left>;
    case bit_function::right: break;
  }
  return has_sign ? &bit_row<S, bit_function::right> : &bit_row<U, bit_function::right>;
}

FLOWGRAPH_KERNEL_INLINE void run_bits(cpu ctx, bit_function f, bool has_sign, const binary_operands& operands) {
  switch (operands.input_bytes) {
    case 1: return run_binary(ctx, operands, bit_row_of<std::uint8_t>(f, has_sign));
    case 2: return run_binary(ctx, operands, bit_row_of<std::uint16_t>(f, has_sign));
    case 4: return run_binary(ctx, operands, bit_row_of<std::uint32_t>(f, has_sign));
    default: return run_binary(ctx, operands, bit_row_of<std::uint64_t>(f, has_sign));
  }
}

FLOWGRAPH_KERNEL_INLINE void invert_bytes(cpu ctx, const void* x, void* y, std::size_t n) {
  const auto* from = static_cast<const unsigned char*>(x);
  auto* to = static_cast<unsigned char*>(y);
  for_each_block(ctx, static_cast<std::int64_t>(n), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) to[i] = static_cast<unsigned char>(~from[i]);
  });
}

}  // namespace detail

template <class Op>
template <class T>
void detail::bitwise<Op>::operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const {
  run_bits(ctx, Op::function, std::is_signed_v<T>,
           {a.data(), b.data(), y.data(), &a.shape(), &b.shape(), &y.shape(), sizeof(T), sizeof(T)});
}

template <class T> void invert_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  detail::invert_bytes(ctx, x.data(), y.data(), x.size() * sizeof(T));
}

template <class T> void population_count_op::operator()(cpu ctx, view<const T> x, view<std::uint8_t> y) const {
  detail::for_each_block(ctx, static_cast<std::int64_t>(x.size()), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      y.data()[i] = static_cast<std::uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(x.data()[i])));
  });
}

}  // namespace flowgraph
