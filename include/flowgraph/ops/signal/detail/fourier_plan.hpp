#pragma once
// The plan of a Fourier transform: the passes for a length, their factors, and their memory.

#include <flowgraph/op/kernel.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The passes of `side` transforms of length n, side by side. There are none if n has prime factors greater than 7.
struct fourier_plan {
  static constexpr int most_passes = 40;

  std::int64_t n, side;
  kernel::fourier_pass passes[most_passes];
  int count = 0;
  bool is_direct = false;

  explicit fourier_plan(std::int64_t length, std::int64_t lines = 1) : n(length), side(lines) {
    std::int64_t rest = n, at = side;
    for (const std::int64_t radix : {4, 2, 3, 5, 7})
      while (rest % radix == 0 && rest > 1) {
        rest /= radix;
        passes[count++] = {radix, rest, at};
        at *= radix;
      }
    is_direct = rest <= 1;
  }
  std::int64_t factors() const {
    std::int64_t sum = 0;
    for (int i = 0; i < count; ++i) sum += passes[i].factors();
    return sum;
  }
};

// Returns the length of the circular convolution by which a transform of length n is computed if n has a large prime factor: the
// least of some lengths of short passes that is at least 2 n - 1.
inline std::int64_t convolution_length(std::int64_t n) {
  const std::int64_t least = 2 * n - 1, most = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
  for (const std::int64_t sixteenths : {9, 10, 12, 14})
    if (most % 16 == 0 && most / 16 * sixteenths >= least) return most / 16 * sixteenths;
  return most;
}

// The memory of transforms as numbers of doubles: the tables that all lines share, and the work for one line or tile.
struct fourier_room {
  static constexpr std::int64_t slack = 32;
  static constexpr std::int64_t most_factors = 4;  // for each number of a convolution

  std::int64_t tables = 0, work = 0;

  static fourier_room of_convolution(std::int64_t n) {
    const std::int64_t m = convolution_length(n);
    return {2 * n + 2 * m + most_factors * m + slack, 4 * m + slack};
  }
  // `halved`: for real numbers, whose transform has half the length if n is even. Their last pass needs a further table.
  static fourier_room of(std::int64_t n, std::int64_t side, bool halved) {
    if (n <= 0) return {};
    const std::int64_t length = halved && n % 2 == 0 ? n / 2 : n;
    const fourier_plan plan(length, side);
    fourier_room result =
        plan.is_direct ? fourier_room{plan.factors() + slack, 4 * length * side + slack} : of_convolution(length);
    if (halved) {
      result.tables += n + slack;
      result.work += 2 * n;
    }
    return result;
  }
  // For any length from 1 to n: the tables of narrow passes have at most ten elements for each number.
  static fourier_room of_any(std::int64_t n, std::int64_t side) {
    if (n <= 0) return {};
    fourier_room result = of_convolution(n);
    result.tables = std::max(result.tables, 12 * n * std::min(side, kernel::fourier_pass::wide)) + n + slack;
    result.work = std::max(result.work, 4 * n * side + slack) + 2 * n;
    return result;
  }
};

// exp(-2 pi i k / n) for 0 <= k < n, as products of two numbers from tables of about the square root of n elements.
class roots_of_unity {
public:
  static std::int64_t size(std::int64_t n) {
    const int bits = low_bits(n);
    return 2 * ((std::int64_t{1} << bits) + (n >> bits) + 1);
  }
  // `memory` has `size(n)` elements.
  roots_of_unity(std::int64_t n, double* memory) : bits_(low_bits(n)), low_(memory), high_(memory + (std::int64_t{2} << bits_)) {
    for (std::int64_t k = 0; k < std::int64_t{1} << bits_; ++k) put(low_ + 2 * k, k, n);
    for (std::int64_t k = 0; k <= n >> bits_; ++k) put(high_ + 2 * k, k << bits_, n);
  }
  template <class T> void get(std::int64_t k, T& re, T& im) const {
    const double* const l = low_ + 2 * (k & ((std::int64_t{1} << bits_) - 1));
    const double* const h = high_ + 2 * (k >> bits_);
    re = static_cast<T>(l[0] * h[0] - l[1] * h[1]);
    im = static_cast<T>(l[0] * h[1] + l[1] * h[0]);
  }

private:
  static int low_bits(std::int64_t n) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) / 2; }
  static void put(double* at, std::int64_t k, std::int64_t n) {
    const double angle = 2 * std::numbers::pi * (static_cast<double>(k) / static_cast<double>(n));
    at[0] = std::cos(angle);
    at[1] = -std::sin(angle);
  }

  int bits_;
  double *low_, *high_;
};

// Computes the factors of all passes of a plan. `roots` are those of the plan's length.
template <class T> void make_factors(const fourier_plan& plan, const roots_of_unity& roots, T* to) {
  for (int i = 0; i < plan.count; ++i) {
    const kernel::fourier_pass& pass = plan.passes[i];
    if (pass.groups == 1) continue;
    const std::int64_t step = plan.n / (pass.radix * pass.groups), side = pass.side, size = pass.groups * side;
    for (std::int64_t t = 1; t < pass.radix; ++t) {
      // The distance of the parts of a number, and that of the numbers of two groups.
      const std::int64_t apart = pass.is_wide() ? 1 : size, stride = pass.is_wide() ? 2 * (pass.radix - 1) : side;
      T* at = to + (2 * t - 2) * apart;
      for (std::int64_t p = 0; p < pass.groups; ++p, at += stride) {
        T re, im;
        roots.get(p * t * step, re, im);
        at[0] = re;
        at[apart] = im;
        if (pass.is_wide()) continue;
        for (std::int64_t q = 1; q < side; ++q) {
          at[q] = re;
          at[apart + q] = im;
        }
      }
    }
    to += pass.factors();
  }
}

// The two arrays of complex numbers between which passes alternate.
template <class T> struct fourier_arrays {
  T *re, *im, *other_re, *other_im;

  fourier_arrays(T* at, std::int64_t n) : re(at), im(at + n), other_re(at + 2 * n), other_im(at + 3 * n) {}
  void swap() {
    std::swap(re, other_re);
    std::swap(im, other_im);
  }
  // An inverse transform is a transform with real and imaginary parts exchanged.
  void exchange_parts() {
    std::swap(re, im);
    std::swap(other_re, other_im);
  }
};

template <class T> void run_passes(const fourier_plan& plan, const T* factors, fourier_arrays<T>& x) {
  const auto run = kernel::dispatch([]<class L>(L) { return &L::template fourier<T>; });
  for (int i = 0; i < plan.count; ++i) {
    run(plan.passes[i], factors, x.re, x.im, x.other_re, x.other_im);
    factors += plan.passes[i].factors();
    x.swap();
  }
}

// Multiplies n complex numbers by others.
template <class T> void multiply_complex(T* re, T* im, const T* by_re, const T* by_im, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T r = re[i] * by_re[i] - im[i] * by_im[i];
    im[i] = re[i] * by_im[i] + im[i] * by_re[i];
    re[i] = r;
  }
}

// A transform of any length as a circular convolution (Bluestein, 1970).
template <class T> class convolved_transform {
public:
  explicit convolved_transform(std::int64_t n) : n_(n), plan_(convolution_length(n)) {}

  // `tables` and `work` are those of fourier_room::of_convolution.
  void prepare(double* tables, double* work) {
    const std::int64_t m = plan_.n;
    chirp_ = reinterpret_cast<T*>(tables);
    spectrum_ = chirp_ + 2 * n_;
    factors_ = spectrum_ + 2 * m;
    make_factors(plan_, roots_of_unity(m, work), factors_);
    const roots_of_unity roots(2 * n_, work);
    for (std::int64_t j = 0, square = 0; j < n_; ++j) {
      roots.get(square, chirp_[j], chirp_[n_ + j]);
      square += 2 * j + 1;  // j^2 modulo 2n
      if (square >= 2 * n_) square -= 2 * n_;
    }
    fourier_arrays<T> x(reinterpret_cast<T*>(work), m);
    std::fill_n(x.re, 2 * m, T(0));
    for (std::int64_t j = 0; j < n_; ++j) {
      const std::int64_t mirrored = j == 0 ? 0 : m - j;
      x.re[j] = x.re[mirrored] = chirp_[j] / static_cast<T>(m);
      x.im[j] = x.im[mirrored] = -chirp_[n_ + j] / static_cast<T>(m);
    }
    run_passes<T>(plan_, factors_, x);
    std::copy_n(x.re, m, spectrum_);
    std::copy_n(x.im, m, spectrum_ + m);
  }
  // load(re, im) writes the n elements into two arrays, and store(re, im) reads the results from two arrays.
  template <class Load, class Store> void run(double* work, const Load& load, const Store& store) const {
    const std::int64_t m = plan_.n;
    fourier_arrays<T> x(reinterpret_cast<T*>(work), m);
    load(x.re, x.im);
    multiply_complex(x.re, x.im, chirp_, chirp_ + n_, n_);
    std::fill_n(x.re + n_, m - n_, T(0));
    std::fill_n(x.im + n_, m - n_, T(0));
    run_passes<T>(plan_, factors_, x);
    multiply_complex(x.re, x.im, spectrum_, spectrum_ + m, m);
    x.exchange_parts();
    run_passes<T>(plan_, factors_, x);
    x.exchange_parts();
    multiply_complex(x.re, x.im, chirp_, chirp_ + n_, n_);
    store(x.re, x.im);
  }

private:
  std::int64_t n_;
  fourier_plan plan_;
  T *chirp_ = nullptr, *spectrum_ = nullptr, *factors_ = nullptr;  // arrays of real parts, then of imaginary parts
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
