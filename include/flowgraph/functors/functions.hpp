#pragma once
// The element functions. Each is a struct, a functor, with one definition for packets of any level and for plain numbers.
// The headers of this folder contain them by family.
//
//   struct swish { template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return x * functions<P>::sigmoid(x); } };
//
// A functor does not belong to a level, so it must be force-inlined. Its constants are written P(0.5), never 0.5f. Facts about a
// functor are members:
//
//   static constexpr bool by_number = true;  it is called for plain numbers only: packets have no such function
//   static constexpr bool by_half = true;    it is also called for half types, instead of their values as float
//   static constexpr bool exact = true;      a number has the same bits as a lane of a packet, so one element needs no loop
//
// Each family ends with the list of its functors of packets: flowgraph::compiled contains their loops at every level. A functor of
// the library that is not in a list does not compile (ops/kernel/dispatch.hpp).

#include <flowgraph/config.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// An integer whose arithmetic wraps around: numbers.hpp.
template <class T> struct wrapping;

}  // namespace flowgraph::detail

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

// select, max, min and the elementary functions of P: ops/kernel/math.hpp defines them for packets, numbers.hpp for numbers.
template <class P> struct functions;

// The base of functors of two operands of the same shape; neither operand is ever a single number.
struct paired {};

// The forms of functors of packets.
template <class F> concept is_unary = requires(float x) { F::packet(x); };
template <class F> concept is_paired = bool(__is_base_of(paired, F));

template <class... Functors> struct functor_list {
  template <class F> static constexpr bool contains = (__is_same(F, Functors) || ...);
};

template <class... Lists> struct join_lists;
template <class... F> struct join_lists<functor_list<F...>> {
  using type = functor_list<F...>;
};
template <class... F, class... G, class... Lists>
struct join_lists<functor_list<F...>, functor_list<G...>, Lists...> : join_lists<functor_list<F..., G...>, Lists...> {};

// A constant that the element type of a packet cannot represent exactly; it is rounded.
template <class P> FLOWGRAPH_ALWAYS_INLINE constexpr P rounded(double x) {
  if constexpr (requires { typename P::value_type; }) return P(static_cast<typename P::value_type>(x));
  else return P(static_cast<P>(x));
}

}  // namespace flowgraph::functor
