#pragma once
// Fourier transforms of real numbers. The transform of n real numbers is determined by its first n / 2 + 1 elements, and only
// these are computed.
//
//   const auto spectrum = fg::rfft(signal);                // {batch, n} -> {batch, n / 2 + 1}
//   const auto again = fg::irfft(spectrum, n);             // the signal, up to rounding
//   const auto longer = fg::rfft(signal, 2 * n);           // the signal is padded with zeros

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/complex.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/signal/fourier.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape real_fourier_shape(shape_context& c, const shape& x, const shape& length, int axes, bool inverse);
std::size_t real_fourier_scratch(const shape& x, int axes, bool inverse);

using real_fourier_types =
    type_attrs<type_attr<"Treal", type_list<float, double>>, type_attr<"Tcomplex", type_list<complex64, complex128>>>;

template <int Axes> struct real_fourier_form {
  using types = real_fourier_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& length) const {
    return real_fourier_shape(c, x, length, Axes, false);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&) const { return real_fourier_scratch(x, Axes, false); }
  template <class R, class C>
    requires complex_over<C, R> void operator()(cpu ctx, view<const R> x, view<const std::int32_t> length, view<C> y) const;
};
template <int Axes> struct inverse_real_fourier_form {
  using types = real_fourier_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& length) const {
    return real_fourier_shape(c, x, length, Axes, true);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&) const { return real_fourier_scratch(x, Axes, true); }
  template <class R, class C>
    requires complex_over<C, R> void operator()(cpu ctx, view<const C> x, view<const std::int32_t> length, view<R> y) const;
};

// Returns a mask for the last axis of a half spectrum: 1 for an element that occurs once in the whole spectrum, and 0 for an
// element whose conjugate occurs too.
template <class R> out<R> single_elements(const out<std::int32_t>& lengths, int axes) {
  const out<std::int32_t> n = reshape(slice(lengths, {axes - 1}, {1}), flowgraph::shape{}),
                          zero = constant_beside(n, tensor<std::int32_t>(0)), one = constant_beside(n, tensor<std::int32_t>(1)),
                          two = constant_beside(n, tensor<std::int32_t>(2));
  const out<std::int32_t> k = range(zero, n / two + one, one);
  return cast<R>(logical_or(equal(k, zero), equal(k * two, n)));
}
// Appends zeros to each axis of `part`, so that the result has the shape of x.
template <class T, class S> out<T> padded_to(const out<T>& part, const out<S>& x) {
  const flowgraph::shape known = x.shape();
  if (known.is_known() && known == part.shape()) return part;
  const out<std::int32_t> missing = shape_of(x) - shape_of(part);
  return pad(part, pack({zeros_like(missing), missing}, 1));
}
template <class R> out<std::complex<R>> as_complex(const out<R>& x) { return complex(x, scalar_beside(x, R(0))); }
// The product of the lengths, beside `x`.
template <class R> out<R> product_of(const out<std::int32_t>& lengths) { return prod(cast<R>(lengths), {0}); }

}  // namespace detail

// Returns the first n / 2 + 1 elements of the Fourier transform of real numbers along the last axis. n is the element of the
// second input; only the first n elements of x are used.
struct rfft_op : detail::real_fourier_form<1> {
  static constexpr std::string_view name = "RFFT";
  template <class R, class C> gradients_of<R, 2> gradient(out<R> x, out<std::int32_t> length, out<C> y, out<C> dy) const;
};
// Returns the n real numbers whose Fourier transform along the last axis begins with x. n is the element of the second input;
// only the first n / 2 + 1 elements of x are used.
struct irfft_op : detail::inverse_real_fourier_form<1> {
  static constexpr std::string_view name = "IRFFT";
  template <class R, class C> gradients_of<C, 2> gradient(out<C> x, out<std::int32_t> length, out<R> y, out<R> dy) const;
};
// Returns the Fourier transform of real numbers along the last two axes. The last axis has n / 2 + 1 elements, where n is the
// last length.
struct rfft2d_op : detail::real_fourier_form<2> {
  static constexpr std::string_view name = "RFFT2D";
  template <class R, class C> gradients_of<R, 2> gradient(out<R> x, out<std::int32_t> length, out<C> y, out<C> dy) const;
};
// Returns the real numbers whose Fourier transform along the last two axes begins with x.
struct irfft2d_op : detail::inverse_real_fourier_form<2> {
  static constexpr std::string_view name = "IRFFT2D";
  template <class R, class C> gradients_of<C, 2> gradient(out<C> x, out<std::int32_t> length, out<R> y, out<R> dy) const;
};
// Returns the Fourier transform of real numbers along the last three axes. The last axis has n / 2 + 1 elements, where n is the
// last length.
struct rfft3d_op : detail::real_fourier_form<3> {
  static constexpr std::string_view name = "RFFT3D";
  static constexpr op_facts facts{.not_differentiable = true};
};
// Returns the real numbers whose Fourier transform along the last three axes begins with x.
struct irfft3d_op : detail::inverse_real_fourier_form<3> {
  static constexpr std::string_view name = "IRFFT3D";
  static constexpr op_facts facts{.not_differentiable = true};
};

namespace detail {

// Returns x, with zeros appended to those of the last axes whose extents are less than `least`.
template <class T> out<T> with_room(const out<T>& x, const shape& least, const site& s) {
  const shape known = x.shape();
  if (known.has_rank() && known.rank < least.rank) return x;  // the transform reports the error
  bool fits = known.has_rank();
  for (int i = 0; fits && i < least.rank; ++i) {
    const std::int64_t extent = known[known.rank - least.rank + i];
    fits = extent == 0 || extent >= least[i];
  }
  if (fits) return x;
  tensor<std::int32_t> wanted(shape{least.rank});
  for (int i = 0; i < least.rank; ++i) wanted.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(least[i]);
  const site here{{}, s.location};
  const out<std::int32_t> extents = shape_of(x, here), rank = shape_of(extents, here);
  const out<std::int32_t> inner = constant_beside(x, tensor<std::int32_t>({1}, {least.rank})), outer = rank - inner;
  const out<std::int32_t> missing =
      maximum(constant_beside(x, wanted) - slice(extents, outer, inner, here), constant_beside(x, tensor<std::int32_t>(0)));
  const out<std::int32_t> after = concat({fill(outer, constant_beside(x, tensor<std::int32_t>(0))), missing}, 0);
  return pad(x, pack({zeros_like(after), after}, 1), here);
}

template <class T> out<std::int32_t> lengths_beside(const out<T>& x, const shape& lengths, const site& s) {
  tensor<std::int32_t> result(shape{lengths.rank});
  for (int i = 0; i < lengths.rank; ++i) result.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(lengths[i]);
  return constant_beside(x, result, part_of(s, "fft_length"));
}
// The extents of the last axes. With `halved`, the last extent is that of a half spectrum of even length.
template <class T> out<std::int32_t> lengths_of(const out<T>& x, int axes, bool halved, const site& s) {
  const shape known = x.shape();
  if (known.has_rank() && known.rank >= axes) {
    shape lengths = shape::of(known.dims + known.rank - axes, axes);
    if (lengths.is_known()) {
      if (halved) lengths[axes - 1] = std::max<std::int64_t>(0, 2 * (lengths[axes - 1] - 1));
      return lengths_beside(x, lengths, s);
    }
  }
  const site here{{}, s.location};
  const out<std::int32_t> extents = shape_of(x, here), inner = constant_beside(x, tensor<std::int32_t>({1}, {axes}));
  const out<std::int32_t> last = slice(extents, shape_of(extents, here) - inner, inner, here);
  if (!halved) return last;
  tensor<std::int32_t> less(shape{axes}), times(shape{axes});
  for (std::size_t i = 0; i < static_cast<std::size_t>(axes); ++i) {
    less.writable()[i] = static_cast<std::int32_t>(i) == axes - 1;
    times.writable()[i] = static_cast<std::int32_t>(i) == axes - 1 ? 2 : 1;
  }
  return maximum((last - constant_beside(x, less)) * constant_beside(x, times), constant_beside(x, tensor<std::int32_t>(0)));
}
inline shape half_of(shape lengths) {
  lengths[lengths.rank - 1] = lengths[lengths.rank - 1] / 2 + 1;
  return lengths;
}

template <class Op, class R> out<std::complex<R>> real_transform(const out<R>& x, int axes, site s) {
  return apply_as<R, std::complex<R>>(s, Op{}, x, lengths_of(x, axes, false, s));
}
template <class Op, class R> out<std::complex<R>> real_transform(const out<R>& x, const shape& lengths, site s) {
  return apply_as<R, std::complex<R>>(s, Op{}, with_room(x, lengths, s), lengths_beside(x, lengths, s));
}
template <class Op, class R> out<R> inverse_real_transform(const out<std::complex<R>>& x, int axes, site s) {
  return apply_as<R, std::complex<R>>(s, Op{}, x, lengths_of(x, axes, true, s));
}
template <class Op, class R> out<R> inverse_real_transform(const out<std::complex<R>>& x, const shape& lengths, site s) {
  return apply_as<R, std::complex<R>>(s, Op{}, with_room(x, half_of(lengths), s), lengths_beside(x, lengths, s));
}

}  // namespace detail

// Without a length, all elements of x are used. With a length, x is cropped or padded with zeros to this length.
template <class R> out<std::complex<R>> rfft(const out<R>& x, site s = {}) { return detail::real_transform<rfft_op>(x, 1, s); }
template <class R> out<std::complex<R>> rfft(const out<R>& x, std::int64_t length, site s = {}) {
  return detail::real_transform<rfft_op>(x, shape{length}, s);
}
// Without a length, the last axis of the result has 2 (m - 1) elements, where m is the last extent of x. If the number of
// elements is odd, pass it as the length.
template <class R> out<R> irfft(const out<std::complex<R>>& x, site s = {}) {
  return detail::inverse_real_transform<irfft_op>(x, 1, s);
}
template <class R> out<R> irfft(const out<std::complex<R>>& x, std::int64_t length, site s = {}) {
  return detail::inverse_real_transform<irfft_op>(x, shape{length}, s);
}
// With lengths, x is cropped or padded with zeros to these lengths along the last two axes.
template <class R> out<std::complex<R>> rfft2d(const out<R>& x, site s = {}) {
  return detail::real_transform<rfft2d_op>(x, 2, s);
}
template <class R> out<std::complex<R>> rfft2d(const out<R>& x, const shape& lengths, site s = {}) {
  return detail::real_transform<rfft2d_op>(x, lengths, s);
}
// Without lengths, the last axis of the result has 2 (m - 1) elements, where m is the last extent of x.
template <class R> out<R> irfft2d(const out<std::complex<R>>& x, site s = {}) {
  return detail::inverse_real_transform<irfft2d_op>(x, 2, s);
}
template <class R> out<R> irfft2d(const out<std::complex<R>>& x, const shape& lengths, site s = {}) {
  return detail::inverse_real_transform<irfft2d_op>(x, lengths, s);
}
// With lengths, x is cropped or padded with zeros to these lengths along the last three axes.
template <class R> out<std::complex<R>> rfft3d(const out<R>& x, site s = {}) {
  return detail::real_transform<rfft3d_op>(x, 3, s);
}
template <class R> out<std::complex<R>> rfft3d(const out<R>& x, const shape& lengths, site s = {}) {
  return detail::real_transform<rfft3d_op>(x, lengths, s);
}
// Without lengths, the last axis of the result has 2 (m - 1) elements, where m is the last extent of x.
template <class R> out<R> irfft3d(const out<std::complex<R>>& x, site s = {}) {
  return detail::inverse_real_transform<irfft3d_op>(x, 3, s);
}
template <class R> out<R> irfft3d(const out<std::complex<R>>& x, const shape& lengths, site s = {}) {
  return detail::inverse_real_transform<irfft3d_op>(x, lengths, s);
}

using real_fourier_ops = type_list<rfft_op, irfft_op, rfft2d_op, irfft2d_op, rfft3d_op, irfft3d_op>;

namespace detail {

// The inverse transform adds an element and its conjugate, so elements with a conjugate are halved before.
template <class Inverse, int Axes, class R, class C>
gradients_of<R, 2> real_fourier_gradient(const out<R>& x, const out<std::int32_t>& lengths, const out<C>& dy) {
  if constexpr (complex_over<C, R>) {
    const out<R> one = single_elements<R>(lengths, Axes);
    const out<R> weights = (one + scalar_beside(one, R(1))) * scalar_beside(one, R(0.5f));
    const out<R> part = apply_as<R, C>(site{}, Inverse{}, dy * as_complex(weights), lengths);
    return {{padded_to(part * product_of<R>(lengths), x), none}};
  } else return {{none, none}};
}
template <class Forward, int Axes, class R, class C>
gradients_of<C, 2> inverse_real_fourier_gradient(const out<C>& x, const out<std::int32_t>& lengths, const out<R>& dy) {
  if constexpr (complex_over<C, R>) {
    const out<R> one = single_elements<R>(lengths, Axes);
    const out<R> weights = (scalar_beside(one, R(2)) - one) / product_of<R>(lengths);
    return {{padded_to(apply_as<R, C>(site{}, Forward{}, dy, lengths) * as_complex(weights), x), none}};
  } else return {{none, none}};
}

}  // namespace detail

template <class R, class C> gradients_of<R, 2> rfft_op::gradient(out<R> x, out<std::int32_t> length, out<C>, out<C> dy) const {
  return detail::real_fourier_gradient<irfft_op, 1>(x, length, dy);
}
template <class R, class C> gradients_of<C, 2> irfft_op::gradient(out<C> x, out<std::int32_t> length, out<R>, out<R> dy) const {
  return detail::inverse_real_fourier_gradient<rfft_op, 1>(x, length, dy);
}
template <class R, class C> gradients_of<R, 2> rfft2d_op::gradient(out<R> x, out<std::int32_t> length, out<C>, out<C> dy) const {
  return detail::real_fourier_gradient<irfft2d_op, 2>(x, length, dy);
}
template <class R, class C> gradients_of<C, 2> irfft2d_op::gradient(out<C> x, out<std::int32_t> length, out<R>, out<R> dy) const {
  return detail::inverse_real_fourier_gradient<rfft2d_op, 2>(x, length, dy);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/signal/detail/real_fourier.hpp>
#endif
