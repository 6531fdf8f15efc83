#pragma once
// Decides for which element types an op exists, and which tables a program need not generate because the library
// flowgraph::by_name contains them.

#include <flowgraph/op/make_table.hpp>
#include <flowgraph/op/stored.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// If the kernel of an op has a constraint, the constraint determines the combinations of types that the op exists for.
template <class Op, class... Ts>
inline constexpr bool exists_for = parameters_for<Op, Ts...>::has_kernel || !generic_parameters<Op>::has_kernel;

// Defined with the table.
template <class Op, class... Ts> constexpr op_table make_table();
template <class Op, class... Ts> inline constexpr op_table made_table = make_table<Op, Ts...>();

#ifdef FLOWGRAPH_BY_NAME

// The number of the source file of flowgraph::by_name that is being compiled; -1 in programs.
#ifndef FLOWGRAPH_TABLE_SOURCE
#define FLOWGRAPH_TABLE_SOURCE -1
#endif

// All tables of an op are one object, since a section and a symbol for each table would be most of the archive. The gradients that
// are compiled in one source file refer to the tables of other source files, and do not generate them again.
template <class Op> using stored_list = std::array<op_table, grid_of<Op>::size>;
template <class Op, class... Ts> constexpr op_table table_at(type_list<Ts...>) {
  if constexpr (exists_for<Op, Ts...>) return make_table<Op, Ts...>();
  else return op_table{};
}
template <class Op, class... C> constexpr stored_list<Op> store_tables(type_list<C...>) { return {table_at<Op>(C{})...}; }
template <class Op> extern const stored_list<Op> stored_tables;
template <class Op> inline constexpr bool is_made_here = table_source<Op> == FLOWGRAPH_TABLE_SOURCE;
template <class Op>
  requires is_made_here<Op> inline constexpr stored_list<Op> stored_tables<Op> = store_tables<Op>(combinations_of<Op>{});
template <class Op> constexpr std::size_t count_made_tables() {
  std::size_t count = 0;
  for (const op_table& t : stored_tables<Op>) count += t.description ? 1 : 0;
  return count;
}

// No source file of the program defines these tables. This is intended, so the warning of clang is turned off.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <class Op, class... Ts> constexpr const op_table& find_table() {
  if constexpr (is_stored<Op, Ts...> && exists_for<Op, Ts...>) return stored_tables<Op>[grid_of<Op>::template place<Ts...>()];
  else return made_table<Op, Ts...>;
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

#else

template <class Op, class... Ts> constexpr const op_table& find_table() { return made_table<Op, Ts...>; }

#endif

}  // namespace flowgraph::detail
