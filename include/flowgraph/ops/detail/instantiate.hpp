#pragma once
// Emits the kernels of a family of ops into flowgraph::compiled: for each op, for every combination of its element types.
//
//     #include <flowgraph/ops/math.hpp>
//     #include <flowgraph/ops/detail/math.hpp>
//     #include <flowgraph/ops/detail/instantiate.hpp>
//
//     [[gnu::used]] static constexpr auto& math_kernels = flowgraph::detail::emitted_family<flowgraph::math_ops>::all;
//
// Only sources of the archive include it. Nothing refers to the tables: with --gc-sections a program drops them, and keeps the
// kernels that it names.

#include <flowgraph/op/signature.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// `address` leads, directly or through tables, to the address of every kernel: so each is emitted.
template <class Op, class Chosen, class... Attrs>
struct emitted_kernels;

template <class Op, class... Ts>
struct emitted_kernels<Op, type_list<Ts...>> {
  static constexpr const void* address = nullptr;
};
template <class Op>
  requires(parameters_for<Op>::has_kernel)
struct emitted_kernels<Op, type_list<>> {
  static constexpr auto kernel = &Op::operator();
  static constexpr const void* address = &kernel;
};
template <class Op, class T, class... Ts>
  requires(parameters_for<Op, T, Ts...>::has_kernel)
struct emitted_kernels<Op, type_list<T, Ts...>> {
  static constexpr auto kernel = &Op::template operator()<T, Ts...>;
  static constexpr const void* address = &kernel;
};
template <class Op, class... Ts, fixed_string Name, class... Types, class... Rest>
struct emitted_kernels<Op, type_list<Ts...>, type_attr<Name, type_list<Types...>>, Rest...> {
  static constexpr const void* all[] = {emitted_kernels<Op, type_list<Ts..., Types>, Rest...>::address...};
  static constexpr const void* address = all;
};

template <class Op, class Attrs>
struct emitted_op;
template <class Op, class... A>
struct emitted_op<Op, type_attrs<A...>> : emitted_kernels<Op, type_list<>, A...> {};

template <class List>
struct emitted_family;
template <class... Op>
struct emitted_family<type_list<Op...>> {
  static constexpr const void* all[] = {emitted_op<Op, types_of<Op>>::address...};
};

}  // namespace detail

}  // namespace flowgraph
