#pragma once
// The list of kernels for special functions, bits of integers, and resizing of images, as in list.hpp.

#include <cuda/kernels/maps.hpp>
#include <cuda/kernels/resizes.hpp>
#include <cuda/kernels/table.hpp>

#include <flowgraph/functors/bessel.hpp>
#include <flowgraph/functors/gamma.hpp>
#include <flowgraph/functors/integrals.hpp>
#include <flowgraph/functors/special.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// The functions of bits. Shifts by less than 0 or by at least the number of bits are those by the nearest number.
struct bits_of_both {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return static_cast<P>(a & b); }
};
struct bits_of_either {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return static_cast<P>(a | b); }
};
struct bits_of_one {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return static_cast<P>(a ^ b); }
};
struct inverted_bits {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a) { return static_cast<P>(~a); }
};
template <class P> FLOWGRAPH_FUNCTION int shift_of(P b) {
  constexpr int most = 8 * static_cast<int>(sizeof(P)) - 1;
  return b < P(0) ? 0 : b > P(most) ? most : static_cast<int>(b);
}
struct shifted_left {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) {
    return static_cast<P>(static_cast<std::uint64_t>(a) << shift_of(b));
  }
};
struct shifted_right {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return static_cast<P>(a >> shift_of(b)); }
};

template <class Make> class special_list : private kernel_records {
public:
  // Returns the records of all parts, or of one.
  template <int Part = all_parts> std::vector<kernel_record> make() {
    constexpr auto has = [](int part) { return Part == all_parts || Part == part; };
    if constexpr (has(0)) add_gamma();
    if constexpr (has(1)) add_integrals();
    if constexpr (has(2)) add_bits();
    if constexpr (has(2)) add_resizes();
    return take();
  }

private:
  using form = kernel_form;

  template <class Body, class Arguments> static const void* function() { return Make::template function<Body, Arguments>(); }

  template <class F, class Types> void unary(std::string_view op) {
    each_type(Types(), [&]<class T>(std::type_identity<T>) {
      add(op, form::unary, {dtype_of<T>}, function<unary_map<F, T, T>, map_arguments>());
    });
  }
  template <class F, class Types> void binary(std::string_view op) {
    each_type(Types(), [&]<class T>(std::type_identity<T>) {
      add(op, form::binary, {dtype_of<T>}, function<binary_map<F, T, T>, map_arguments>(),
          function<broadcast_map<F, T, T>, broadcast_arguments>());
    });
  }

  void add_gamma();
  void add_integrals();
  void add_bits();
  void add_resizes();
};

template <class Make> void special_list<Make>::add_gamma() {
  unary<functor::lgamma, reals>("Lgamma");
  unary<functor::digamma, reals>("Digamma");
  unary<functor::erfinv, full_reals>("Erfinv");
  unary<functor::ndtri, full_reals>("Ndtri");
  binary<functor::polygamma, full_reals>("Polygamma");
  binary<functor::zeta, full_reals>("Zeta");
  binary<functor::igamma, full_reals>("Igamma");
  binary<functor::igammac, full_reals>("Igammac");
  binary<functor::igamma_grad_a, full_reals>("IgammaGradA");
  each_type(full_reals(), [&]<class T>(std::type_identity<T>) {
    add("Betainc", form::clip, {dtype_of<T>}, function<ternary_map<functor::betainc, T>, broadcast_arguments>());
  });
}

template <class Make> void special_list<Make>::add_integrals() {
  unary<functor::dawsn, full_reals>("Dawsn");
  unary<functor::expint, full_reals>("Expint");
  unary<functor::fresnel_cos, full_reals>("FresnelCos");
  unary<functor::fresnel_sin, full_reals>("FresnelSin");
  unary<functor::spence, full_reals>("Spence");
  unary<functor::bessel_i0, reals>("BesselI0");
  unary<functor::bessel_i0e, reals>("BesselI0e");
  unary<functor::bessel_i1, reals>("BesselI1");
  unary<functor::bessel_i1e, reals>("BesselI1e");
  unary<functor::bessel_j0, reals>("BesselJ0");
  unary<functor::bessel_j1, reals>("BesselJ1");
  unary<functor::bessel_k0, reals>("BesselK0");
  unary<functor::bessel_k0e, reals>("BesselK0e");
  unary<functor::bessel_k1, reals>("BesselK1");
  unary<functor::bessel_k1e, reals>("BesselK1e");
  unary<functor::bessel_y0, reals>("BesselY0");
  unary<functor::bessel_y1, reals>("BesselY1");
  binary<functor::next_after, full_reals>("NextAfter");
  binary<functor::truncate_div, full_reals>("TruncateDiv");
  binary<functor::truncate_mod, full_reals>("TruncateMod");
}

template <class Make> void special_list<Make>::add_bits() {
  using all_integers =
      type_list<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
  binary<bits_of_both, all_integers>("BitwiseAnd");
  binary<bits_of_either, all_integers>("BitwiseOr");
  binary<bits_of_one, all_integers>("BitwiseXor");
  unary<inverted_bits, all_integers>("Invert");
  binary<shifted_left, all_integers>("LeftShift");
  binary<shifted_right, all_integers>("RightShift");
}

template <class Make> void special_list<Make>::add_resizes() {
  each_type(type_list<float, double, half, std::uint8_t, std::int32_t, std::int64_t>(), [&]<class T>(std::type_identity<T>) {
    add("ResizeNearestNeighbor", form::resize, {dtype_of<T>}, function<resize_nearest<sizeof(T)>, resize_arguments>());
    add("ResizeNearestNeighborGrad", form::resize, {dtype_of<T>}, function<resize_nearest_gradient<T>, resize_arguments>());
    add("ResizeBilinear", form::resize, {dtype_of<T>}, function<resize_linear<T>, resize_arguments>());
  });
  each_type(reals(), [&]<class T>(std::type_identity<T>) {
    add("ResizeBilinearGrad", form::resize, {dtype_of<T>}, function<resize_linear_gradient<T>, resize_arguments>());
  });
}

}
}
}  // namespace flowgraph::cuda
