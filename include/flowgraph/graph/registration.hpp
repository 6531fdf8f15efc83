#pragma once
// Puts ops into a registry, for every combination of the element types that they exist for.

#include <flowgraph/graph/table.hpp>
#include <flowgraph/op/registry.hpp>

#include <array>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

template <class Op> constexpr std::size_t count_tables() {
  std::size_t count = 0;
  for_each_combination<Op>([&](auto) { ++count; });
  return count;
}
template <class Op> constexpr auto list_tables() {
  std::array<const op_table*, count_tables<Op>()> list{};
  std::size_t at = 0;
  for_each_combination<Op>([&]<class... Ts>(type_list<Ts...>) { list[at++] = &table_of<Op, Ts...>; });
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
  for_each_combination<Op>([&]<class... Ts>(type_list<Ts...>) { list[at++] = without_gradient(make_table<Op, Ts...>()); });
  return list;
}

}  // namespace detail

// The table of an op without its gradient, and all of them: they link nothing but the op's own kernels.
template <class Op, class... Ts>
inline constexpr op_table forward_table = detail::without_gradient(detail::make_table<Op, Ts...>());
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
