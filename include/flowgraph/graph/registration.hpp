#pragma once
// Adds ops to a registry, for each combination of element types that they exist for.

#include <flowgraph/graph/table.hpp>
#include <flowgraph/op/registry.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns 1 if the op exists for this combination of element types, otherwise 0.
template <class Op, class... Ts> constexpr std::size_t count_if_exists(type_list<Ts...>) { return exists_for<Op, Ts...> ? 1 : 0; }
template <class Op, class... C> constexpr std::size_t count_tables(type_list<C...>) {
  return (std::size_t{0} + ... + count_if_exists<Op>(C{}));
}
template <class Op, class... Ts> constexpr const op_table* table_if_exists(type_list<Ts...>) {
  if constexpr (exists_for<Op, Ts...>) return &table_of<Op, Ts...>;
  else return nullptr;
}
template <class Op, class... C> constexpr auto list_tables([[maybe_unused]] type_list<C...> all) {
#ifdef FLOWGRAPH_BY_NAME
  if constexpr (is_made_here<Op>) {
    constexpr auto count = count_made_tables<Op>();
    std::array<const op_table*, count> list{};
    std::size_t at = 0;
    for (const op_table& t : stored_tables<Op>)
      if (t.description) list[at++] = &t;
    return list;
  } else
#endif
  {
    std::array<const op_table*, count_tables<Op>(all)> list{};
    std::size_t at = 0;
    for (const op_table* t : {table_if_exists<Op>(C{})...})
      if (t) list[at++] = t;
    return list;
  }
}

}  // namespace detail

// The tables of an op, one for each combination of element types. All ops together have thousands of tables, so the tables are
// constants that the compiler generates.
template <class Op> inline constexpr auto tables_of = detail::list_tables<Op>(detail::combinations_of<Op>{});

namespace detail {

constexpr op_table without_gradient(op_table t) {
  t.gradient = nullptr;
  t.sum = nullptr;
  return t;
}
template <class Op, class... Ts> constexpr void add_forward_table(op_table*& at, type_list<Ts...>) {
  if constexpr (exists_for<Op, Ts...>) *at++ = without_gradient(make_table<Op, Ts...>());
}
template <class Op, class... C> constexpr auto list_forward_tables(type_list<C...> all) {
  std::array<op_table, count_tables<Op>(all)> list{};
  op_table* at = list.data();
  (add_forward_table<Op>(at, C{}), ...);
  return list;
}

}  // namespace detail

// `forward_table` is the table of an op without its gradient, and `forward_tables_of` are all such tables of the op. These tables
// link only the kernels of the op.
template <class Op, class... Ts>
inline constexpr op_table forward_table = detail::without_gradient(detail::make_table<Op, Ts...>());
template <class Op> inline constexpr auto forward_tables_of = detail::list_forward_tables<Op>(detail::combinations_of<Op>{});

// Adds an op to the registry under its name, for all its element types.
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

// Adds all ops of a type_list to the registry under their names.
template <class List> result<void> add_ops(registry& r, std::source_location where = std::source_location::current()) {
  return r.add(detail::tables_in<List>::all, where);
}

}  // namespace flowgraph
