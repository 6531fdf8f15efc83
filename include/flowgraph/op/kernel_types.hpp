#pragma once
// Determines the element types for which the kernel of an op is compiled. Element types that make no difference to the kernel
// share one compiled kernel, so many tables share code.

#include <flowgraph/op/signature.hpp>

#include <tuple>
#include <type_traits>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Whether T and U are interchangeable for kernels that only move elements.
template <class T, class U>
inline constexpr bool has_layout_of =
    std::is_same_v<T, U> || (sizeof(T) == sizeof(U) && std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<U>);

// Returns the index of the first type in a list that represents T, preferring integers. If no type represents T, returns the
// length of the list.
template <class T, class... U> constexpr std::size_t find_stand_in(type_list<U...>) {
  constexpr bool stands[] = {has_layout_of<T, U>...}, is_whole[] = {std::is_integral_v<U> && !std::is_same_v<U, bool>...};
  for (std::size_t i = 0; i < sizeof...(U); ++i)
    if (stands[i] && is_whole[i]) return i;
  std::size_t first = 0;
  while (first < sizeof...(U) && !stands[first]) ++first;
  return first;
}
template <class T, class List> struct stand_in;
template <class T, class... U> struct stand_in<T, type_list<U...>> {
  using type = std::tuple_element_t<find_stand_in<T>(type_list<U...>{}), std::tuple<U..., T>>;
};

template <class Op> inline constexpr std::size_t moved_types_of = 0;
template <class Op>
  requires requires { Op::moved_types; } inline constexpr std::size_t moved_types_of<Op> = Op::moved_types;

// The type attributes that are only used for indices, as bits. The kernel reads indices with any width.
template <class Op>
inline constexpr std::uint64_t index_attributes_of = [] {
  std::uint64_t of_indices = 0, of_others = 0;
  for (const argument& a : signature_of<Op>::arguments::all)
    if (a.type_parameter >= 0) (a.is_index ? of_indices : of_others) |= std::uint64_t{1} << a.type_parameter;
  return of_indices & ~of_others;
}();

// The element types of the kernel that also serves Ts. An op may declare that, for a number of its first type attributes, only
// the memory layout of the types matters to its kernel and its shape rule. index_view declares this for indices.
template <class Op, class Attrs, class Indices, class... Ts> struct types_of_kernel {
  using list = type_list<Ts...>;
};
template <class Op, class... Attr, std::size_t... I, class... Ts>
  requires(moved_types_of<Op> > 0 || index_attributes_of<Op> != 0)
struct types_of_kernel<Op, type_attrs<Attr...>, std::index_sequence<I...>, Ts...> {
  template <bool Moved, bool Index, class T, class List> struct chosen {
    using type = T;
  };
  template <class T, class List> struct chosen<true, false, T, List> : stand_in<T, List> {};
  template <bool Moved, class T, class List>
    requires(in_list<T, type_list<std::int16_t, std::int32_t, std::int64_t>> && in_list<std::int32_t, List>)
  struct chosen<Moved, true, T, List> {
    using type = any_index;
  };
  using list = type_list<
      typename chosen<(I < moved_types_of<Op>), (index_attributes_of<Op> >> I & 1) != 0, Ts, typename Attr::types>::type...>;
};
template <class Op, class... Ts>
using kernel_types = typename types_of_kernel<Op, types_of<Op>, std::index_sequence_for<Ts...>, Ts...>::list;

}  // namespace flowgraph::detail
