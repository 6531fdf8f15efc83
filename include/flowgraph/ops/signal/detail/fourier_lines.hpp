#pragma once
// Fourier transforms of the lines of a tensor along an axis.

#include <flowgraph/ops/signal/detail/fourier_plan.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The transform of lines of one length. Lines that are not contiguous are processed in tiles of `side` neighbours.
template <class T> class line_transform {
public:
  static constexpr std::int64_t tile = kernel::fourier_pass::wide;
  using complex = std::complex<T>;

  line_transform(std::int64_t n, std::int64_t side, bool halved)
      : n_(n), length_(halved && n % 2 == 0 ? n / 2 : n), plan_(length_, side), convolved_(length_) {}

  void prepare(double* tables, double* work, bool halved) {
    if (halved) {
      half_re_ = reinterpret_cast<T*>(tables);
      half_im_ = half_re_ + length_;
      if (length_ < n_) {
        const roots_of_unity roots(n_, work);
        for (std::int64_t k = 0; k < length_; ++k) roots.get(k, half_re_[k], half_im_[k]);
      }
      tables += n_ + fourier_room::slack;
    }
    if (!plan_.is_direct) return convolved_.prepare(tables, work);
    factors_ = reinterpret_cast<T*>(tables);
    make_factors(plan_, roots_of_unity(length_, work), factors_);
  }

  // Transforms a line of complex numbers. y may be x.
  void run(double* work, const complex* x, complex* y, bool inverse) const {
    if (!plan_.is_direct) return convolve_line(work, x, y, 1, inverse);
    fourier_arrays<T> parts(reinterpret_cast<T*>(work), n_);
    split(x, parts.re, parts.im, n_);
    transform(parts, inverse);
    join(parts.re, parts.im, inverse ? T(1) / static_cast<T>(n_) : T(1), y, n_);
  }
  // Transforms `count` neighbouring lines whose elements are `step` apart. y may be x.
  void run_tile(double* work, const complex* x, complex* y, std::int64_t step, std::int64_t count, bool inverse) const {
    if (!plan_.is_direct) {
      for (std::int64_t i = 0; i < count; ++i) convolve_line(work, x + i, y + i, step, inverse);
      return;
    }
    fourier_arrays<T> parts(reinterpret_cast<T*>(work), n_ * tile);
    if (count < tile) std::fill_n(parts.re, 2 * n_ * tile, T(0));
    for (std::int64_t i = 0; i < n_; ++i) split(x + i * step, parts.re + i * tile, parts.im + i * tile, count);
    transform(parts, inverse);
    const T factor = inverse ? T(1) / static_cast<T>(n_) : T(1);
    for (std::int64_t i = 0; i < n_; ++i) join(parts.re + i * tile, parts.im + i * tile, factor, y + i * step, count);
  }
  // Computes the first n / 2 + 1 results for a line of n real numbers.
  void run_real(double* work, const T* x, complex* y) const {
    if (length_ < n_) {
      fourier_arrays<T> parts = half_arrays(work);
      split(reinterpret_cast<const complex*>(x), parts.re, parts.im, length_);
      transform_half(work, parts, false);
      const auto whole = kernel::dispatch([]<class L>(L) { return &L::template half_to_real<T>; });
      whole(parts.re, parts.im, half_re_, half_im_, reinterpret_cast<T*>(y), length_);
      return;
    }
    const std::int64_t kept = n_ / 2 + 1;
    if (!plan_.is_direct) {
      const auto load = [&](T* re, T* im) {
        std::copy_n(x, n_, re);
        std::fill_n(im, n_, T(0));
      };
      return convolved_.run(work, load, [&](const T* re, const T* im) { join(re, im, T(1), y, kept); });
    }
    fourier_arrays<T> parts(reinterpret_cast<T*>(work), n_);
    std::copy_n(x, n_, parts.re);
    std::fill_n(parts.im, n_, T(0));
    transform(parts, false);
    join(parts.re, parts.im, T(1), y, kept);
  }
  // Computes n real numbers from the first n / 2 + 1 elements of their transform.
  void run_inverse_real(double* work, const complex* x, T* y) const {
    if (length_ < n_) {
      fourier_arrays<T> parts = half_arrays(work);
      const auto half = kernel::dispatch([]<class L>(L) { return &L::template real_to_half<T>; });
      half(reinterpret_cast<const T*>(x), half_re_, half_im_, parts.re, parts.im, length_);
      transform_half(work, parts, true);
      return join(parts.re, parts.im, T(1) / static_cast<T>(length_), reinterpret_cast<complex*>(y), length_);
    }
    const auto load = [&](T* re, T* im) {
      re[0] = x[0].real();
      im[0] = T(0);
      for (std::int64_t j = 1; j <= n_ / 2; ++j) {
        re[j] = re[n_ - j] = x[j].real();
        im[j] = x[j].imag();
        im[n_ - j] = -im[j];
      }
    };
    const auto store = [&](const T* re) {
      for (std::int64_t j = 0; j < n_; ++j) y[j] = re[j] / static_cast<T>(n_);
    };
    if (!plan_.is_direct)
      return convolved_.run(
          work, [&](T* re, T* im) { load(im, re); }, [&](const T*, const T* im) { store(im); });
    fourier_arrays<T> parts(reinterpret_cast<T*>(work), n_);
    load(parts.re, parts.im);
    transform(parts, true);
    store(parts.re);
  }

private:
  static void split(const complex* x, T* re, T* im, std::int64_t n) {
    kernel::dispatch([]<class L>(L) { return &L::template split_pairs<T>; })(reinterpret_cast<const T*>(x), re, im, n);
  }
  static void join(const T* re, const T* im, T factor, complex* y, std::int64_t n) {
    kernel::dispatch([]<class L>(L) { return &L::template join_pairs<T>; })(re, im, factor, reinterpret_cast<T*>(y), n);
  }
  void transform(fourier_arrays<T>& parts, bool inverse) const {
    if (inverse) parts.exchange_parts();
    run_passes<T>(plan_, factors_, parts);
    if (inverse) parts.exchange_parts();
  }
  // A convolution uses the beginning of the work. The numbers that it transforms come after it.
  fourier_arrays<T> half_arrays(double* work) const {
    const std::int64_t before = plan_.is_direct ? 0 : 4 * convolution_length(length_) + fourier_room::slack;
    fourier_arrays<T> result(reinterpret_cast<T*>(work + before), length_);
    if (!plan_.is_direct) result.other_re = result.other_im = nullptr;
    return result;
  }
  void transform_half(double* work, fourier_arrays<T>& parts, bool inverse) const {
    if (plan_.is_direct) return transform(parts, inverse);
    T *re = parts.re, *im = parts.im;
    if (inverse) std::swap(re, im);
    const auto load = [&](T* r, T* i) {
      std::copy_n(re, length_, r);
      std::copy_n(im, length_, i);
    };
    convolved_.run(work, load, [&](const T* r, const T* i) {
      std::copy_n(r, length_, re);
      std::copy_n(i, length_, im);
    });
  }
  void convolve_line(double* work, const complex* x, complex* y, std::int64_t step, bool inverse) const {
    const auto load = [&](T* re, T* im) {
      if (inverse) std::swap(re, im);
      if (step == 1) return split(x, re, im, n_);
      for (std::int64_t j = 0; j < n_; ++j) {
        re[j] = x[j * step].real();
        im[j] = x[j * step].imag();
      }
    };
    const T factor = inverse ? T(1) / static_cast<T>(n_) : T(1);
    convolved_.run(work, load, [&](const T* re, const T* im) {
      if (inverse) std::swap(re, im);
      if (step == 1) return join(re, im, factor, y, n_);
      for (std::int64_t k = 0; k < n_; ++k) y[k * step] = {re[k] * factor, im[k] * factor};
    });
  }

  std::int64_t n_, length_;
  fourier_plan plan_;
  convolved_transform<T> convolved_;
  T *half_re_ = nullptr, *half_im_ = nullptr, *factors_ = nullptr;
};

// The lines along one axis: `outer` times `inner` lines of n elements.
struct fourier_axis {
  static constexpr std::int64_t most_blocks = 16, work_per_block = 1 << 14;  // elements

  std::int64_t outer, n, inner;
  bool halved = false;

  std::int64_t side() const { return inner == 1 ? 1 : kernel::fourier_pass::wide; }
  std::int64_t tiles() const { return (inner + side() - 1) / side(); }
  std::int64_t count() const { return outer * tiles(); }
  std::int64_t blocks() const {
    return std::clamp<std::int64_t>(count() * n * side() / work_per_block, 1,
                                    std::min(most_blocks, std::max<std::int64_t>(1, count())));
  }
  fourier_room room() const { return fourier_room::of(n, side(), halved); }
  // Numbers of doubles.
  std::int64_t memory() const { return room().tables + blocks() * room().work; }
  std::int64_t memory_for_any() const {
    const fourier_room most = fourier_room::of_any(n, side());
    return std::max(memory(), most.tables + most.work);
  }
};
// The axis of a transform of complex numbers of shape `x`: axis i, counted from the last one.
inline fourier_axis complex_axis(const shape& x, int i) {
  const int at = x.rank - 1 - i;
  return {shape::of(x.dims, at).size(), x[at], shape::of(x.dims + at + 1, i).size()};
}

// Prepares a transform of the lines, and calls run(transform, work, first, last) for ranges of lines or tiles.
template <class T, class Run>
void transform_lines(cpu ctx, const fourier_axis& axis, double* memory, std::int64_t size, const Run& run) {
  const fourier_room room = axis.room();
  const std::int64_t count = axis.count();
  if (count == 0 || axis.n == 0) return;
  line_transform<T> lines(axis.n, axis.side(), axis.halved);
  lines.prepare(memory, memory + room.tables, axis.halved);
  const std::int64_t blocks = std::clamp<std::int64_t>((size - room.tables) / room.work, 1, axis.blocks());
  const std::int64_t grain = (count + blocks - 1) / blocks;
  ctx.parallel_ranges(count, grain, [&](std::int64_t first, std::int64_t last) {
    run(lines, memory + room.tables + first / grain * room.work, first, last);
  });
}

// Transforms along an axis. y may be x.
template <class T>
void transform_axis(cpu ctx, const fourier_axis& axis, const std::complex<T>* x, std::complex<T>* y, bool inverse, double* memory,
                    std::int64_t size) {
  transform_lines<T>(ctx, axis, memory, size, [&](const auto& lines, double* work, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      if (axis.inner == 1) {
        lines.run(work, x + i * axis.n, y + i * axis.n, inverse);
        continue;
      }
      const std::int64_t column = i % axis.tiles() * axis.side(), at = i / axis.tiles() * axis.n * axis.inner + column;
      lines.run_tile(work, x + at, y + at, axis.inner, std::min(axis.side(), axis.inner - column), inverse);
    }
  });
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
