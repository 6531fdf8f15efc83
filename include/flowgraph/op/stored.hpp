#pragma once
// The compiled parts of standard ops. The archives contain them, so that programs need not generate them again: kernels are in
// flowgraph::compiled, tables in flowgraph::by_name.

#include <flowgraph/op/signature.hpp>

#include <cstddef>
#include <type_traits>

// The build generates this file. A program that is compiled for the archive without the path to this file cannot be linked.
#if defined(FLOWGRAPH_COMPILED) && __has_include(<flowgraph/table_sources.hpp>)
#include <flowgraph/table_sources.hpp>
#else
namespace flowgraph::inline FLOWGRAPH_ABI {
namespace detail {
template <class Op> inline constexpr int table_source = 0;
}
}  // namespace flowgraph
#endif

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The index of a combination of element types in a list in which the last type attribute varies fastest.
template <class Attrs> struct type_grid;
template <fixed_string... Name, class... Types> struct type_grid<type_attrs<type_attr<Name, Types>...>> {
  static constexpr std::size_t size = (std::size_t{1} * ... * Types::size);
  template <class... Ts>
  static constexpr bool has = ((in_list<Ts, Types> || (std::is_same_v<Ts, any_index> && in_list<std::int32_t, Types>)) && ...);
  template <class... Ts> static constexpr std::size_t place() {
    std::size_t at = 0;
    ((at = at * Types::size + place_in<Ts>(Types{})), ...);
    return at;
  }

private:
  template <class T, class... U> static constexpr std::size_t place_in(type_list<U...>) {
    std::size_t at = 0, found = 0;
    ((found = std::is_same_v<T, U> ? at : found, ++at), ...);
    return found;
  }
};
template <class Op> using grid_of = type_grid<types_of<Op>>;

// All combinations of element types; the last type attribute varies fastest. Ops with equal attributes share the list.
template <class Chosen, class... Attrs> struct combinations_from;
template <class... Ts> struct combinations_from<type_list<Ts...>> {
  using list = type_list<type_list<Ts...>>;
};
template <class... Ts, fixed_string Name, class... Types, class... Rest>
struct combinations_from<type_list<Ts...>, type_attr<Name, type_list<Types...>>, Rest...> {
  using list = joined<typename combinations_from<type_list<Ts..., Types>, Rest...>::list...>;
};
template <class... Ts, fixed_string Name, class... Types>
struct combinations_from<type_list<Ts...>, type_attr<Name, type_list<Types...>>> {
  using list = type_list<type_list<Ts..., Types>...>;
};
template <class Attrs> struct combinations;
template <class... A> struct combinations<type_attrs<A...>> : combinations_from<type_list<>, A...> {};
template <class Op> using combinations_of = typename combinations<types_of<Op>>::list;

// Whether the archive contains the op for these types. If a program uses a standard op with other element types, its kernel and
// table are generated in the program.
template <class Op, class... Ts> concept is_stored = table_source<Op> != 0 && grid_of<Op>::template has<Ts...>;

}  // namespace flowgraph::detail
