#pragma once
// Emits the kernels of a family of ops into flowgraph::compiled: for each op, for every combination of its element types that has
// one of its own.
//
//     #include <flowgraph/ops/math/math.hpp>
//     #include <flowgraph/ops/math/detail/math.hpp>
//     #include <flowgraph/ops/shared/detail/instantiate.hpp>
//
//     [[gnu::used]] static constexpr detail::emitted_family<math_ops> math_kernels{};
//
// Only sources of the archive include it. Nothing refers to the object, which holds the kernels' addresses: with --gc-sections a
// program drops it, and keeps the kernels that it names.

#include <flowgraph/op/make_table.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

template <class Op, class Chosen, class... Attrs> struct emitted_kernels;

template <class Op, class... Ts> struct emitted_kernels<Op, type_list<Ts...>> {};
template <class Op>
  requires(parameters_for<Op>::has_kernel) struct emitted_kernels<Op, type_list<>> {
  decltype(&Op::operator()) kernel = &Op::operator();
};
template <class Op, class T, class... Ts>
  requires(parameters_for<Op, T, Ts...>::has_kernel && std::is_same_v<kernel_types<Op, T, Ts...>, type_list<T, Ts...>>)
struct emitted_kernels<Op, type_list<T, Ts...>> {
  decltype(&Op::template operator()<T, Ts...>) kernel = &Op::template operator()<T, Ts...>;
};
template <class Op, class... Ts, fixed_string Name, class... Types, class... Rest>
struct emitted_kernels<Op, type_list<Ts...>, type_attr<Name, type_list<Types...>>, Rest...>
    : emitted_kernels<Op, type_list<Ts..., Types>, Rest...>... {};

template <class Op, class Attrs> struct emitted_op;
template <class Op, class... A> struct emitted_op<Op, type_attrs<A...>> : emitted_kernels<Op, type_list<>, A...> {};

template <class List> struct emitted_family;
template <class... Op> struct emitted_family<type_list<Op...>> : emitted_op<Op, types_of<Op>>... {};

}  // namespace detail

}
}  // namespace flowgraph
