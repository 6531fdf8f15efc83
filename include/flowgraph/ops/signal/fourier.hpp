#pragma once
// Fourier transforms of complex numbers along the last axis, or along the last two or three axes.
//
//   const auto spectrum = fg::fft(signal);                 // signal: {batch, n}, complex
//   const auto again = fg::ifft(spectrum);                 // the signal, up to rounding
//   const auto frequencies = fg::fft2d(images);            // images: {batch, rows, columns}

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape fourier_shape(shape_context& c, const shape& x, int axes);
std::size_t fourier_scratch(const shape& x, int axes);

template <int Axes, bool Inverse> struct fourier_form {
  using types = type_attrs<type_attr<"Tcomplex", complex_numbers>>;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return fourier_shape(c, x, Axes); }
  std::size_t scratch(const flowgraph::shape& x) const { return fourier_scratch(x, Axes); }
  template <class C> void operator()(cpu ctx, view<const C> x, view<C> y) const;
};

}  // namespace detail

// Returns the discrete Fourier transform along the last axis: y[k] is the sum of x[j] exp(-2 pi i j k / n) over j.
struct fft_op : detail::fourier_form<1, false> {
  static constexpr std::string_view name = "FFT";
  template <class C> out<C> gradient(out<C>, out<C>, out<C> dy) const { return conj(flowgraph::apply(fft_op{}, conj(dy))); }
};
// Returns the inverse of the discrete Fourier transform along the last axis.
struct ifft_op : detail::fourier_form<1, true> {
  static constexpr std::string_view name = "IFFT";
  template <class C> out<C> gradient(out<C>, out<C>, out<C> dy) const { return conj(flowgraph::apply(ifft_op{}, conj(dy))); }
};
// Returns the discrete Fourier transform along the last two axes.
struct fft2d_op : detail::fourier_form<2, false> {
  static constexpr std::string_view name = "FFT2D";
  template <class C> out<C> gradient(out<C>, out<C>, out<C> dy) const { return conj(flowgraph::apply(fft2d_op{}, conj(dy))); }
};
// Returns the inverse of the discrete Fourier transform along the last two axes.
struct ifft2d_op : detail::fourier_form<2, true> {
  static constexpr std::string_view name = "IFFT2D";
  template <class C> out<C> gradient(out<C>, out<C>, out<C> dy) const { return conj(flowgraph::apply(ifft2d_op{}, conj(dy))); }
};
// Returns the discrete Fourier transform along the last three axes.
struct fft3d_op : detail::fourier_form<3, false> {
  static constexpr std::string_view name = "FFT3D";
  template <class C> out<C> gradient(out<C>, out<C>, out<C> dy) const { return conj(flowgraph::apply(fft3d_op{}, conj(dy))); }
};
// Returns the inverse of the discrete Fourier transform along the last three axes.
struct ifft3d_op : detail::fourier_form<3, true> {
  static constexpr std::string_view name = "IFFT3D";
  template <class C> out<C> gradient(out<C>, out<C>, out<C> dy) const { return conj(flowgraph::apply(ifft3d_op{}, conj(dy))); }
};

// x may have further axes before the transformed axes: they are batches.
template <class C> out<C> fft(const out<C>& x, site s = {}) { return apply(fft_op{}, x, s); }
template <class C> out<C> ifft(const out<C>& x, site s = {}) { return apply(ifft_op{}, x, s); }
template <class C> out<C> fft2d(const out<C>& x, site s = {}) { return apply(fft2d_op{}, x, s); }
template <class C> out<C> ifft2d(const out<C>& x, site s = {}) { return apply(ifft2d_op{}, x, s); }
template <class C> out<C> fft3d(const out<C>& x, site s = {}) { return apply(fft3d_op{}, x, s); }
template <class C> out<C> ifft3d(const out<C>& x, site s = {}) { return apply(ifft3d_op{}, x, s); }

using fourier_ops = type_list<fft_op, ifft_op, fft2d_op, ifft2d_op, fft3d_op, ifft3d_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/signal/detail/fourier.hpp>
#endif
