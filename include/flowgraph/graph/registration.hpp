#pragma once
// Puts ops into a registry, for every combination of the element types that they exist for.

#include <flowgraph/graph/table.hpp>
#include <flowgraph/op/registry.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A kernel that is constrained says for which combinations the op exists.
template <class Op, class... Ts>
inline constexpr bool exists_for = parameters_for<Op, Ts...>::has_kernel || !generic_parameters<Op>::has_kernel;

template <class Op, class Chosen, class... Attrs>
struct each_table;
template <class Op, class... Ts>
struct each_table<Op, type_list<Ts...>> {
  template <class F>
  static void visit([[maybe_unused]] F&& f) {
    if constexpr (exists_for<Op, Ts...>) f(table_of<Op, Ts...>);
  }
};
template <class Op, class... Ts, fixed_string Name, class... Types, class... Rest>
struct each_table<Op, type_list<Ts...>, type_attr<Name, type_list<Types...>>, Rest...> {
  template <class F>
  static void visit(F&& f) {
    (each_table<Op, type_list<Ts..., Types>, Rest...>::visit(f), ...);
  }
};

template <class Op, class Attrs>
struct all_tables;
template <class Op, class... A>
struct all_tables<Op, type_attrs<A...>> : each_table<Op, type_list<>, A...> {};

}  // namespace detail

// Calls f(const op_table&) for each combination of element types of Op.
template <class Op, class F>
void for_each_table(F&& f) {
  detail::all_tables<Op, detail::types_of<Op>>::visit(f);
}

template <class Op>
result<void> add_op(registry& r, std::source_location where = std::source_location::current()) {
  result<void> verdict;
  for_each_table<Op>([&](const op_table& t) {
    if (auto added = r.add(t, where); !added && verdict) verdict = added;
  });
  return verdict;
}

namespace detail {

template <class List>
struct list_adder;
template <class... Op>
struct list_adder<type_list<Op...>> {
  static result<void> add([[maybe_unused]] registry& r, [[maybe_unused]] std::source_location where) {
    result<void> verdict;
    [[maybe_unused]] auto one = [&](result<void> added) {
      if (!added && verdict) verdict = added;
    };
    (one(add_op<Op>(r, where)), ...);
    return verdict;
  }
};

}  // namespace detail

template <class List>
result<void> add_ops(registry& r, std::source_location where = std::source_location::current()) {
  return detail::list_adder<List>::add(r, where);
}

}  // namespace flowgraph
