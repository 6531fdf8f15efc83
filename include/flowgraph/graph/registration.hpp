#pragma once
// Puts ops into a registry, for every combination of the element types that they exist for.

#include <flowgraph/graph/table.hpp>
#include <flowgraph/op/registry.hpp>

#include <array>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// A kernel that is constrained says for which combinations the op exists.
template <class Op, class... Ts>
inline constexpr bool exists_for = parameters_for<Op, Ts...>::has_kernel || !generic_parameters<Op>::has_kernel;

template <class Op, class Chosen, class... Attrs> struct each_table;
template <class Op, class... Ts> struct each_table<Op, type_list<Ts...>> {
  template <class F> static constexpr void visit([[maybe_unused]] F&& f) {
    if constexpr (exists_for<Op, Ts...>) f(table_of<Op, Ts...>);
  }
};
template <class Op, class... Ts, fixed_string Name, class... Types, class... Rest>
struct each_table<Op, type_list<Ts...>, type_attr<Name, type_list<Types...>>, Rest...> {
  template <class F> static constexpr void visit(F&& f) { (each_table<Op, type_list<Ts..., Types>, Rest...>::visit(f), ...); }
};

template <class Op, class Attrs> struct all_tables;
template <class Op, class... A> struct all_tables<Op, type_attrs<A...>> : each_table<Op, type_list<>, A...> {};

template <class Op> constexpr std::size_t count_tables() {
  std::size_t count = 0;
  all_tables<Op, types_of<Op>>::visit([&](const op_table&) { ++count; });
  return count;
}
template <class Op> constexpr auto list_tables() {
  std::array<const op_table*, count_tables<Op>()> list{};
  std::size_t at = 0;
  all_tables<Op, types_of<Op>>::visit([&](const op_table& t) { list[at++] = &t; });
  return list;
}

}  // namespace detail

// The tables of an op, one for each combination of element types: thousands for all ops, hence data that the compiler makes.
template <class Op> inline constexpr auto tables_of = detail::list_tables<Op>();

namespace detail {

constexpr op_table without_gradient(op_table t) {
  t.gradient = nullptr;
  t.sum = nullptr;
  return t;
}
template <class Op> constexpr auto list_forward_tables() {
  std::array<op_table, count_tables<Op>()> list{};
  std::size_t at = 0;
  all_tables<Op, types_of<Op>>::visit([&](const op_table& t) { list[at++] = without_gradient(t); });
  return list;
}

}  // namespace detail

// The table of an op without its gradient, and all of them: they link nothing but the op's own kernels.
template <class Op, class... Ts> inline constexpr op_table forward_table = detail::without_gradient(table_of<Op, Ts...>);
template <class Op> inline constexpr auto forward_tables_of = detail::list_forward_tables<Op>();

// Makes an op known by its name, for all its element types.
template <class Op> result<void> add_op(registry& r, std::source_location where = std::source_location::current()) {
  const std::span<const op_table* const> tables(tables_of<Op>);
  return r.add({&tables, 1}, where);
}

namespace detail {

template <class List> struct tables_in;
template <class... Op> struct tables_in<type_list<Op...>> {
  static constexpr std::array<std::span<const op_table* const>, sizeof...(Op)> all{tables_of<Op>...};
};

}  // namespace detail

// Makes all ops of a type_list known by their names.
template <class List> result<void> add_ops(registry& r, std::source_location where = std::source_location::current()) {
  return r.add(detail::tables_in<List>::all, where);
}

}
}  // namespace flowgraph
