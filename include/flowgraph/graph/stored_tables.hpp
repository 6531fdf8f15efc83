#pragma once
// For which element types an op exists, and which tables a program need not make, because flowgraph::by_name has them.

#include <flowgraph/op/make_table.hpp>
#include <flowgraph/op/stored.hpp>

#include <array>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// A kernel that is constrained says for which combinations the op exists.
template <class Op, class... Ts>
inline constexpr bool exists_for = parameters_for<Op, Ts...>::has_kernel || !generic_parameters<Op>::has_kernel;

// Calls `f` with a type_list for each combination of element types that an op exists for; the last type attribute runs fastest.
template <class Op, class Chosen, class... Attrs> struct each_combination;
template <class Op, class... Ts> struct each_combination<Op, type_list<Ts...>> {
  template <class F> static constexpr void visit([[maybe_unused]] F&& f) {
    if constexpr (exists_for<Op, Ts...>) f(type_list<Ts...>{});
  }
};
template <class Op, class... Ts, fixed_string Name, class... Types, class... Rest>
struct each_combination<Op, type_list<Ts...>, type_attr<Name, type_list<Types...>>, Rest...> {
  template <class F> static constexpr void visit(F&& f) {
    (each_combination<Op, type_list<Ts..., Types>, Rest...>::visit(f), ...);
  }
};
template <class Op, class Attrs> struct combinations;
template <class Op, class... A> struct combinations<Op, type_attrs<A...>> : each_combination<Op, type_list<>, A...> {};
template <class Op, class F> constexpr void for_each_combination(F&& f) { combinations<Op, types_of<Op>>::visit(f); }

#ifdef FLOWGRAPH_BY_NAME

// Which source of flowgraph::by_name is compiled; programs are none.
#ifndef FLOWGRAPH_TABLE_SOURCE
#define FLOWGRAPH_TABLE_SOURCE -1
#endif

template <class Op, class... Ts> constexpr op_table make_table();

// One object per op: a section and a symbol per table would be most of the archive. The bodies of gradients that a source compiles
// name the tables of other sources, and do not make them again.
template <class Op> using stored_list = std::array<op_table, grid_of<Op>::size>;
template <class Op> constexpr stored_list<Op> store_tables() {
  stored_list<Op> made{};
  for_each_combination<Op>(
      [&]<class... Ts>(type_list<Ts...>) { made[grid_of<Op>::template place<Ts...>()] = make_table<Op, Ts...>(); });
  return made;
}
template <class Op> extern const stored_list<Op> stored_tables;
template <class Op>
  requires(table_source<Op> == FLOWGRAPH_TABLE_SOURCE) inline constexpr stored_list<Op> stored_tables<Op> = store_tables<Op>();

// That no source of the program has a definition is the purpose, about which clang warns otherwise.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <class Op, class... Ts> constexpr const op_table& stored_table() {
  return stored_tables<Op>[grid_of<Op>::template place<Ts...>()];
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

#endif

}  // namespace detail

}
}  // namespace flowgraph
