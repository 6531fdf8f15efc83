#pragma once
// Maps: each element of the result is computed from the elements at its place.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>

#include <flowgraph/cuda/pack.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

template <class F, class T, class R> struct unary_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const map_arguments& m) const {
    const std::int64_t first = b.index() * elements_per_block;
    const T* const x = static_cast<const T*>(m.a) + first;
    R* const y = static_cast<R*>(m.y) + first;
    each_pack<pack_size<T, R>>(b, part_of(m.size, first), is_packed(x) && is_packed(y), [=]<class N>(N, std::int64_t i) {
      const auto from = load<N::value>(x + i);
      pack<R, N::value> result;
      for (int k = 0; k < N::value; ++k) result.at[k] = plain<R>(F::packet(get<F>(from.at[k])));
      store(y + i, result);
    });
  }
};

template <class F, class T, class R> struct binary_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const map_arguments& m) const {
    const std::int64_t first = b.index() * elements_per_block, left_step = m.a_step, right_step = m.b_step;
    const T* const left = static_cast<const T*>(m.a) + first * left_step;
    const T* const right = static_cast<const T*>(m.b) + first * right_step;
    R* const y = static_cast<R*>(m.y) + first;
    // Reads an operand that is a single number once.
    const bool packed = (left_step == 0 || is_packed(left)) && (right_step == 0 || is_packed(right)) && is_packed(y);
    each_pack<pack_size<T, R>>(b, part_of(m.size, first), packed, [=]<class N>(N, std::int64_t i) {
      const auto a = load<N::value>(left, i, left_step), c = load<N::value>(right, i, right_step);
      pack<R, N::value> result;
      for (int k = 0; k < N::value; ++k) result.at[k] = plain<R>(F::packet(get<F>(a.at[k]), get<F>(c.at[k])));
      store(y + i, result);
    });
  }
};

template <class F, class T, class R> struct broadcast_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const broadcast_arguments& m) const {
    const std::int64_t first = b.index() * elements_per_block;
    const T* const left = static_cast<const T*>(m.x[0]);
    const T* const right = static_cast<const T*>(m.x[1]);
    R* const y = static_cast<R*>(m.y) + first;
    b.each(part_of(m.size, first), [&](std::int64_t i) {
      const std::int64_t from_left = place_of(first + i, m.rank, m.extents, m.steps[0]);
      const std::int64_t from_right = place_of(first + i, m.rank, m.extents, m.steps[1]);
      y[i] = plain<R>(F::packet(get<F>(left[from_left]), get<F>(right[from_right])));
    });
  }
};

// y = condition ? a : b, broadcast.
template <int Bytes> struct select_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const broadcast_arguments& m) const {
    using T = typename moved<Bytes>::type;
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(m.size, first), [&](std::int64_t i) {
      const int k = static_cast<const bool*>(m.x[0])[place_of(first + i, m.rank, m.extents, m.steps[0])] ? 1 : 2;
      static_cast<T*>(m.y)[first + i] = static_cast<const T*>(m.x[k])[place_of(first + i, m.rank, m.extents, m.steps[k])];
    });
  }
};

// y = x < low ? low : high < x ? high : x, with bounds that may be single numbers.
template <class T> struct clip_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const broadcast_arguments& m) const {
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(m.size, first), [&](std::int64_t i) {
      const auto operand = [&](int k) {
        return static_cast<const T*>(m.x[k])[place_of(first + i, m.rank, m.extents, m.steps[k])];
      };
      const auto number = [](T x) { return static_cast<computed<T>>(x); };
      const T x = operand(0), low = operand(1), high = operand(2);
      static_cast<T*>(m.y)[first + i] = number(x) < number(low) ? low : number(high) < number(x) ? high : x;
    });
  }
};

// y = f(a, b, c), broadcast.
template <class F, class T> struct ternary_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const broadcast_arguments& m) const {
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(m.size, first), [&](std::int64_t i) {
      const auto operand = [&](int k) {
        return get<F>(static_cast<const T*>(m.x[k])[place_of(first + i, m.rank, m.extents, m.steps[k])]);
      };
      static_cast<T*>(m.y)[first + i] = plain<T>(F::packet(operand(0), operand(1), operand(2)));
    });
  }
};

// LeakyRelu, or its gradient for dy in a and x in b.
template <class T, bool Gradient> struct leaky_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const map_arguments& m) const {
    using L = functor::leaky_relu;
    const std::int64_t first = b.index() * elements_per_block;
    const T slope(m.slope);
    b.each(part_of(m.size, first), [&](std::int64_t i) {
      const T a = static_cast<const T*>(m.a)[first + i];
      T result;
      if constexpr (Gradient) {
        const T x = static_cast<const T*>(m.b)[first + i];
        const T factor = plain<T>(functor::leaky_slope::packet(get<L>(x), get<L>(slope)));
        result = plain<T>(functor::mul::packet(get<functor::mul>(a), get<functor::mul>(factor)));
      } else {
        result = plain<T>(L::packet(get<L>(a), get<L>(slope)));
      }
      static_cast<T*>(m.y)[first + i] = result;
    });
  }
};

template <class T> inline constexpr int digits_of = is_half<T> ? (std::is_same_v<T, half> ? 10 : 7) : sizeof(T) == 4 ? 23 : 52;

// Returns x without the digits that To does not have.
template <class To, class From> FLOWGRAPH_FUNCTION From without_digits(From x) {
  constexpr int cut = digits_of<From> - digits_of<To>;
  if constexpr (cut <= 0) {
    return x;
  } else {
    using bits =
        std::conditional_t<sizeof(From) == 8, std::uint64_t, std::conditional_t<sizeof(From) == 4, std::uint32_t, std::uint16_t>>;
    return __builtin_bit_cast(From, static_cast<bits>(__builtin_bit_cast(bits, x) >> cut << cut));
  }
}

// Converts a number as the CPU does: a number that does not fit becomes the lowest integer.
template <class To, class From> FLOWGRAPH_FUNCTION To converted(From x) {
  if constexpr (is_half<From>) return converted<To>(static_cast<float>(x));
  else if constexpr (is_half<To>) return To(static_cast<float>(x));
  else if constexpr (std::is_same_v<To, bool>) return x != From{0};
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr To lowest = To{1} << (8 * sizeof(To) - 2) << 1;
    constexpr From limit = -static_cast<From>(lowest);
    return x >= -limit && x < limit ? static_cast<To>(x) : lowest;
  } else return static_cast<To>(x);
}
template <class T> inline constexpr bool is_real = std::is_floating_point_v<T> || is_half<T>;

template <class From, class To> struct cast_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const map_arguments& m) const {
    const std::int64_t first = b.index() * elements_per_block;
    const From* const x = static_cast<const From*>(m.a) + first;
    To* const y = static_cast<To*>(m.y) + first;
    const bool truncates = m.truncates;
    each_pack<pack_size<From, To>>(b, part_of(m.size, first), is_packed(x) && is_packed(y), [=]<class N>(N, std::int64_t i) {
      const auto from = load<N::value>(x + i);
      pack<To, N::value> result;
      for (int k = 0; k < N::value; ++k) {
        const From e = from.at[k];
        if constexpr (is_real<From> && is_real<To>) result.at[k] = converted<To>(truncates ? without_digits<To>(e) : e);
        else result.at[k] = converted<To>(e);
      }
      store(y + i, result);
    });
  }
};

struct is_not_a_number {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(P x) { return x != x; }
};
struct is_infinite {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(P x) { return x == x && x - x != x - x; }
};
struct is_finite {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(P x) { return x - x == x - x; }
};
struct logical_not {
  static constexpr bool by_number = true;
  FLOWGRAPH_ALWAYS_INLINE static bool packet(bool x) { return !x; }
};

}
}
}  // namespace flowgraph::cuda
