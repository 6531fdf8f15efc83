#pragma once
// Passes of Fourier transforms, in Stockham's order: the input and the result are in natural order, and every pass reads one
// array and writes another. Real and imaginary parts are separate arrays.

#include <flowgraph/ops/kernel/packet.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

namespace FLOWGRAPH_LEVEL {

// The cosines and sines of 2 pi k / R, for k = 0, 1, ..., (R - 1) / 2.
template <unsigned R> struct roots_of_one;
template <> struct roots_of_one<3> {
  static constexpr double cosine[] = {1, -0.5};
  static constexpr double sine[] = {0, 0.86602540378443864676};
};
template <> struct roots_of_one<5> {
  static constexpr double cosine[] = {1, 0.30901699437494742410, -0.80901699437494742410};
  static constexpr double sine[] = {0, 0.95105651629515357212, 0.58778525229247312917};
};
template <> struct roots_of_one<7> {
  static constexpr double cosine[] = {1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
  static constexpr double sine[] = {0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};

// The Fourier transform of R elements, for R = 2, 4 or an odd R.
template <unsigned R, class T> FLOWGRAPH_ALWAYS_INLINE void transform_few(packet<T> (&re)[R], packet<T> (&im)[R]) {
  using P = packet<T>;
  if constexpr (R == 2) {
    const P r = re[0] - re[1], i = im[0] - im[1];
    re[0] = re[0] + re[1];
    im[0] = im[0] + im[1];
    re[1] = r;
    im[1] = i;
  } else if constexpr (R == 4) {
    const P r02 = re[0] + re[2], i02 = im[0] + im[2], r13 = re[1] + re[3], i13 = im[1] + im[3];
    const P r0 = re[0] - re[2], i0 = im[0] - im[2], r1 = re[1] - re[3], i1 = im[1] - im[3];
    re[0] = r02 + r13;
    im[0] = i02 + i13;
    re[1] = r0 + i1;
    im[1] = i0 - r1;
    re[2] = r02 - r13;
    im[2] = i02 - i13;
    re[3] = r0 - i1;
    im[3] = i0 + r1;
  } else {
    constexpr unsigned half = (R - 1) / 2;
    P sum_re[half], sum_im[half], apart_re[half], apart_im[half];
    P first_re = re[0], first_im = im[0];
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < half; ++k) {
      sum_re[k] = re[k + 1] + re[R - 1 - k];
      sum_im[k] = im[k + 1] + im[R - 1 - k];
      apart_re[k] = re[k + 1] - re[R - 1 - k];
      apart_im[k] = im[k + 1] - im[R - 1 - k];
      first_re = first_re + sum_re[k];
      first_im = first_im + sum_im[k];
    }
    FLOWGRAPH_UNROLL
    for (unsigned t = 1; t <= half; ++t) {
      P c_re = re[0], c_im = im[0], d_re = T(0), d_im = T(0);
      FLOWGRAPH_UNROLL
      for (unsigned k = 0; k < half; ++k) {
        const unsigned at = (k + 1) * t % R, near_at = at > half ? R - at : at;
        const T cosine = T(roots_of_one<R>::cosine[near_at]);
        const T sine = at > half ? T(-roots_of_one<R>::sine[near_at]) : T(roots_of_one<R>::sine[near_at]);
        c_re = fma(sum_re[k], P(cosine), c_re);
        c_im = fma(sum_im[k], P(cosine), c_im);
        d_re = fma(apart_re[k], P(sine), d_re);
        d_im = fma(apart_im[k], P(sine), d_im);
      }
      re[t] = c_re + d_im;
      im[t] = c_im - d_re;
      re[R - t] = c_re - d_im;
      im[R - t] = c_im + d_re;
    }
    re[0] = first_re;
    im[0] = first_im;
  }
}

template <class T> FLOWGRAPH_ALWAYS_INLINE void turn(packet<T>& re, packet<T>& im, packet<T> w_re, packet<T> w_im) {
  const packet<T> r = negative_fma(im, w_im, re * w_re);
  im = fma(re, w_im, im * w_re);
  re = r;
}

// A pass over at least as many transforms side by side as a packet has lanes. All of them have the same factors.
template <unsigned R, bool Turned, class T>
FLOWGRAPH_ALWAYS_INLINE void wide_pass(const fourier_pass& pass, const T* factors, const T* re, const T* im, T* to_re, T* to_im) {
  using P = packet<T>;
  const std::int64_t s = pass.side, step = s * pass.groups;
  for (std::int64_t p = 0; p < pass.groups; ++p, re += s, im += s, to_re += R * s, to_im += R * s) {
    P w_re[R], w_im[R];
    if constexpr (Turned) {
      FLOWGRAPH_UNROLL
      for (unsigned t = 1; t < R; ++t) {
        w_re[t] = P(factors[2 * t - 2]);
        w_im[t] = P(factors[2 * t - 1]);
      }
      factors += 2 * (R - 1);
    }
    const auto advance = [&](std::int64_t q, auto load, auto store) __attribute__((always_inline)) {
      P x_re[R], x_im[R];
      FLOWGRAPH_UNROLL
      for (unsigned u = 0; u < R; ++u) {
        x_re[u] = load(re + q + u * step);
        x_im[u] = load(im + q + u * step);
      }
      transform_few<R, T>(x_re, x_im);
      FLOWGRAPH_UNROLL
      for (unsigned t = 0; t < R; ++t) {
        if (Turned && t > 0) turn(x_re[t], x_im[t], w_re[t], w_im[t]);
        store(x_re[t], to_re + q + t * s);
        store(x_im[t], to_im + q + t * s);
      }
    };
    std::int64_t q = 0;
    for (; q + P::width <= s; q += P::width)
      advance(
          q, [](const T* from) __attribute__((always_inline)) { return P::load(from); },
          [](P x, T * to) __attribute__((always_inline)) { x.store(to); });
    if (const std::int64_t rest = s - q; rest > 0)
      advance(
          q, [rest](const T* from) __attribute__((always_inline)) { return P::load(from, rest, T(0)); },
          [rest](P x, T * to) __attribute__((always_inline)) { x.store(to, rest); });
  }
}

// Stores packets of R results, lane l of which belongs to transform (at + l) % side of group (at + l) / side.
template <unsigned R, int Side, class T>
FLOWGRAPH_ALWAYS_INLINE void scatter(const packet<T> (&x)[R], std::int64_t at, std::int64_t count, std::int64_t side, T* to) {
  using P = packet<T>;
  if constexpr (Side == 1 && R == 2) {
    if (count == P::width) {
      from_lanes<T>(lanes<T>::interleave_low(x[0].value, x[1].value)).store(to + 2 * at);
      from_lanes<T>(lanes<T>::interleave_high(x[0].value, x[1].value)).store(to + 2 * at + P::width);
      return;
    }
  }
  if constexpr (Side == 1 && R == 4) {
    if (count == P::width) {
      const auto low_even = lanes<T>::interleave_low(x[0].value, x[2].value),
                 low_odd = lanes<T>::interleave_low(x[1].value, x[3].value);
      const auto high_even = lanes<T>::interleave_high(x[0].value, x[2].value),
                 high_odd = lanes<T>::interleave_high(x[1].value, x[3].value);
      from_lanes<T>(lanes<T>::interleave_low(low_even, low_odd)).store(to + 4 * at);
      from_lanes<T>(lanes<T>::interleave_high(low_even, low_odd)).store(to + 4 * at + P::width);
      from_lanes<T>(lanes<T>::interleave_low(high_even, high_odd)).store(to + 4 * at + 2 * P::width);
      from_lanes<T>(lanes<T>::interleave_high(high_even, high_odd)).store(to + 4 * at + 3 * P::width);
      return;
    }
  }
  T held[R][static_cast<unsigned>(P::width)];
  FLOWGRAPH_UNROLL
  for (unsigned t = 0; t < R; ++t) x[t].store(held[t]);
  if constexpr (Side > 0) {
    if (count % Side == 0) {  // groups as a whole: `at` is a multiple of the packet's width
      for (std::int64_t l = 0; l < count; l += Side) {
        T* const group = to + (at + l) * R;
        FLOWGRAPH_UNROLL
        for (unsigned t = 0; t < R; ++t) __builtin_memcpy(group + t * Side, held[t] + l, Side * sizeof(T));
      }
      return;
    }
  }
  std::int64_t group = at / side, q = at % side;
  for (std::int64_t l = 0; l < count; ++l) {
    T* const into = to + group * side * R + q;
    FLOWGRAPH_UNROLL
    for (unsigned t = 0; t < R; ++t) into[t * side] = held[t][l];
    if (++q == side) {
      q = 0;
      ++group;
    }
  }
}

// A pass over few transforms side by side. Each element has its own factor.
template <unsigned R, int Side, class T>
FLOWGRAPH_ALWAYS_INLINE void narrow_pass(const fourier_pass& pass, const T* factors, const T* re, const T* im, T* to_re,
                                         T* to_im) {
  using P = packet<T>;
  const std::int64_t size = pass.side * pass.groups;
  for (std::int64_t at = 0; at < size; at += P::width) {
    const std::int64_t count = size - at < P::width ? size - at : P::width;
    const auto load = [count](const T* from) __attribute__((always_inline)) {
      return count == P::width ? P::load(from) : P::load(from, count, T(0));
    };
    P x_re[R], x_im[R];
    FLOWGRAPH_UNROLL
    for (unsigned u = 0; u < R; ++u) {
      x_re[u] = load(re + at + u * size);
      x_im[u] = load(im + at + u * size);
    }
    transform_few<R, T>(x_re, x_im);
    if (pass.groups > 1) {
      FLOWGRAPH_UNROLL
      for (unsigned t = 1; t < R; ++t)
        turn(x_re[t], x_im[t], load(factors + (2 * t - 2) * size + at), load(factors + (2 * t - 1) * size + at));
    }
    scatter<R, Side, T>(x_re, at, count, pass.side, to_re);
    scatter<R, Side, T>(x_im, at, count, pass.side, to_im);
  }
}

template <unsigned R, class T>
FLOWGRAPH_ALWAYS_INLINE void run_pass(const fourier_pass& pass, const T* factors, const T* re, const T* im, T* to_re, T* to_im) {
  if (pass.is_wide()) {
    if (pass.groups > 1) wide_pass<R, true, T>(pass, factors, re, im, to_re, to_im);
    else wide_pass<R, false, T>(pass, factors, re, im, to_re, to_im);
  } else if (pass.side == 1) narrow_pass<R, 1, T>(pass, factors, re, im, to_re, to_im);
  else if (pass.side == 2 && packet<T>::width % 2 == 0) narrow_pass<R, 2, T>(pass, factors, re, im, to_re, to_im);
  else if (pass.side == 4 && packet<T>::width % 4 == 0) narrow_pass<R, 4, T>(pass, factors, re, im, to_re, to_im);
  else if (pass.side == 8 && packet<T>::width % 8 == 0) narrow_pass<R, 8, T>(pass, factors, re, im, to_re, to_im);
  else narrow_pass<R, 0, T>(pass, factors, re, im, to_re, to_im);
}

// The lanes 0, 2, 4, ... or 1, 3, 5, ... of two packets.
template <int First, class T> FLOWGRAPH_ALWAYS_INLINE packet<T> every_second(packet<T> a, packet<T> b) {
  constexpr int f = First;
  if constexpr (packet<T>::width == 2) return from_lanes<T>(__builtin_shufflevector(a.value, b.value, f, f + 2));
  else if constexpr (packet<T>::width == 4)
    return from_lanes<T>(__builtin_shufflevector(a.value, b.value, f, f + 2, f + 4, f + 6));
  else if constexpr (packet<T>::width == 8)
    return from_lanes<T>(__builtin_shufflevector(a.value, b.value, f, f + 2, f + 4, f + 6, f + 8, f + 10, f + 12, f + 14));
  else
    return from_lanes<T>(__builtin_shufflevector(a.value, b.value, f, f + 2, f + 4, f + 6, f + 8, f + 10, f + 12, f + 14, f + 16,
                                                 f + 18, f + 20, f + 22, f + 24, f + 26, f + 28, f + 30));
}
template <class T> FLOWGRAPH_ALWAYS_INLINE packet<T> backwards(packet<T> x) {
  if constexpr (packet<T>::width == 2) return from_lanes<T>(__builtin_shufflevector(x.value, x.value, 1, 0));
  else if constexpr (packet<T>::width == 4) return from_lanes<T>(__builtin_shufflevector(x.value, x.value, 3, 2, 1, 0));
  else if constexpr (packet<T>::width == 8)
    return from_lanes<T>(__builtin_shufflevector(x.value, x.value, 7, 6, 5, 4, 3, 2, 1, 0));
  else return from_lanes<T>(__builtin_shufflevector(x.value, x.value, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}
template <class T> FLOWGRAPH_ALWAYS_INLINE void store_pairs(packet<T> re, packet<T> im, T* to) {
  from_lanes<T>(lanes<T>::interleave_low(re.value, im.value)).store(to);
  from_lanes<T>(lanes<T>::interleave_high(re.value, im.value)).store(to + packet<T>::width);
}

}  // namespace FLOWGRAPH_LEVEL

template <>
template <class T>
void kernels<own>::fourier(const fourier_pass& pass, const T* factors, const T* re, const T* im, T* to_re, T* to_im) {
  switch (pass.radix) {
    case 2: return FLOWGRAPH_LEVEL::run_pass<2, T>(pass, factors, re, im, to_re, to_im);
    case 3: return FLOWGRAPH_LEVEL::run_pass<3, T>(pass, factors, re, im, to_re, to_im);
    case 4: return FLOWGRAPH_LEVEL::run_pass<4, T>(pass, factors, re, im, to_re, to_im);
    case 5: return FLOWGRAPH_LEVEL::run_pass<5, T>(pass, factors, re, im, to_re, to_im);
    default: return FLOWGRAPH_LEVEL::run_pass<7, T>(pass, factors, re, im, to_re, to_im);
  }
}

template <> template <class T> void kernels<own>::split_pairs(const T* x, T* re, T* im, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  std::int64_t i = 0;
  for (; i + P::width <= n; i += P::width) {
    const P a = P::load(x + 2 * i), b = P::load(x + 2 * i + P::width);
    FLOWGRAPH_LEVEL::every_second<0, T>(a, b).store(re + i);
    FLOWGRAPH_LEVEL::every_second<1, T>(a, b).store(im + i);
  }
  for (; i < n; ++i) {
    re[i] = x[2 * i];
    im[i] = x[2 * i + 1];
  }
}

template <> template <class T> void kernels<own>::join_pairs(const T* re, const T* im, T factor, T* x, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  std::int64_t i = 0;
  for (; i + P::width <= n; i += P::width)
    FLOWGRAPH_LEVEL::store_pairs<T>(P::load(re + i) * P(factor), P::load(im + i) * P(factor), x + 2 * i);
  for (; i < n; ++i) {
    x[2 * i] = re[i] * factor;
    x[2 * i + 1] = im[i] * factor;
  }
}

template <>
template <class T>
void kernels<own>::half_to_real(const T* re, const T* im, const T* w_re, const T* w_im, T* x, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  std::int64_t k = 1;
  for (; k + P::width <= n; k += P::width) {
    const std::int64_t other = n - k - P::width + 1;
    const P r = P::load(re + k), i = P::load(im + k);
    const P r2 = FLOWGRAPH_LEVEL::backwards<T>(P::load(re + other)), i2 = FLOWGRAPH_LEVEL::backwards<T>(P::load(im + other));
    P odd_re = i + i2, odd_im = r2 - r;
    FLOWGRAPH_LEVEL::turn<T>(odd_re, odd_im, P::load(w_re + k), P::load(w_im + k));
    FLOWGRAPH_LEVEL::store_pairs<T>((r + r2 + odd_re) * P(T(0.5)), (i - i2 + odd_im) * P(T(0.5)), x + 2 * k);
  }
  for (; k < n; ++k) {
    const T a = im[k] + im[n - k], b = re[n - k] - re[k];
    x[2 * k] = (re[k] + re[n - k] + (a * w_re[k] - b * w_im[k])) * T(0.5);
    x[2 * k + 1] = (im[k] - im[n - k] + (a * w_im[k] + b * w_re[k])) * T(0.5);
  }
  x[0] = re[0] + im[0];
  x[1] = 0;
  x[2 * n] = re[0] - im[0];
  x[2 * n + 1] = 0;
}

template <>
template <class T>
void kernels<own>::real_to_half(const T* x, const T* w_re, const T* w_im, T* re, T* im, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  std::int64_t k = 1;
  for (; k + P::width <= n; k += P::width) {
    const T* const other = x + 2 * (n - k - P::width + 1);
    const P a = P::load(x + 2 * k), b = P::load(x + 2 * k + P::width), c = P::load(other), d = P::load(other + P::width);
    const P r = FLOWGRAPH_LEVEL::every_second<0, T>(a, b), i = FLOWGRAPH_LEVEL::every_second<1, T>(a, b);
    const P r2 = FLOWGRAPH_LEVEL::backwards<T>(FLOWGRAPH_LEVEL::every_second<0, T>(c, d));
    const P i2 = FLOWGRAPH_LEVEL::backwards<T>(FLOWGRAPH_LEVEL::every_second<1, T>(c, d));
    P odd_re = r - r2, odd_im = i + i2;
    FLOWGRAPH_LEVEL::turn<T>(odd_re, odd_im, P::load(w_re + k), -P::load(w_im + k));
    ((r + r2 - odd_im) * P(T(0.5))).store(re + k);
    ((i - i2 + odd_re) * P(T(0.5))).store(im + k);
  }
  for (; k < n; ++k) {
    const T r = x[2 * k], i = x[2 * k + 1], r2 = x[2 * (n - k)], i2 = x[2 * (n - k) + 1];
    const T a = r - r2, b = i + i2, odd_re = a * w_re[k] + b * w_im[k], odd_im = b * w_re[k] - a * w_im[k];
    re[k] = (r + r2 - odd_im) * T(0.5);
    im[k] = (i - i2 + odd_re) * T(0.5);
  }
  re[0] = (x[0] + x[2 * n]) * T(0.5);
  im[0] = (x[0] - x[2 * n]) * T(0.5);
}

}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
