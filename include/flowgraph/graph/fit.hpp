#pragma once
// Decides at compile time whether handles fit the inputs of an op. The compiler's message names the input that does not fit.

#include <flowgraph/graph/handle.hpp>
#include <flowgraph/op/facts_of.hpp>
#include <flowgraph/op/signature.hpp>

#include <tuple>
#include <type_traits>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The properties of a handle: its element type (void: any type) and whether it is a list.
template <class H> struct handle_traits {
  static constexpr bool is_handle = false, is_list = false;
  using type = void;
};
template <class T> struct handle_traits<out<T>> {
  static constexpr bool is_handle = true, is_list = false;
  using type = T;
};
template <class T> struct handle_traits<variable<T>> : handle_traits<out<T>> {};
template <class T> struct handle_traits<grad<T>> : handle_traits<out<T>> {};
template <class T> struct handle_traits<out_list<T>> {
  static constexpr bool is_handle = true, is_list = true;
  using type = T;
};
template <> struct handle_traits<any_out_list> {
  static constexpr bool is_handle = true, is_list = true;
  using type = void;
};

template <class Op, class... Ts>
concept has_gradient = requires { &Op::template gradient<Ts...>; } || (sizeof...(Ts) == 0 && requires { &Op::gradient; });
template <class Op, class... Ts> concept says_how_it_differentiates = has_gradient<Op, Ts...> || facts_of<Op>.not_differentiable;

// Names that appear in the compiler's message. They are never defined.
template <std::size_t I> struct input;
template <class Types> struct list;
struct list_of_any;
template <std::size_t N> struct inputs;
template <class What> struct expected;
template <class What> struct found;
struct type_not_given;
struct gradient_or_not_differentiable;
struct flag_counts_runs_instead_of_random;
template <fixed_string Name> struct fact_declared_twice;
struct host_inputs_and_outputs_of_the_signature;
struct kernel_with_cpu_first_and_a_type_parameter_per_type_attribute;
struct shape_rule;

struct fit {};
template <class Op, class... What> struct misfit {};

template <class List> struct attributes_of;
template <class... A> struct attributes_of<type_attrs<A...>> {
  template <std::size_t P> using at = std::tuple_element_t<P, std::tuple<A...>>;
};
template <class Op, std::size_t P> using type_attribute = typename attributes_of<types_of<Op>>::template at<P>;

// The inputs of one application of Op, and its type attributes if they are specified.
template <class Op, class Given, class... H> struct application {
  static constexpr bool has_given_types = false;
  static constexpr std::size_t count = sizeof...(H);

  template <std::size_t I> using handle = std::tuple_element_t<I, std::tuple<H...>>;
  template <std::size_t I> using element_of = typename handle_traits<handle<I>>::type;

  // The first input whose element type is type attribute P.
  static constexpr std::size_t first_of(int p) {
    std::size_t i = 0;
    while (i < count && i < signature_of<Op>::input_count && signature_of<Op>::input(i).type_parameter != p) ++i;
    return i < signature_of<Op>::input_count ? i : count;
  }
  // The element type of type attribute P, or void if no input determines it.
  template <std::size_t P> static constexpr auto type_at() {
    constexpr std::size_t first = first_of(static_cast<int>(P));
    if constexpr (first < count) return std::type_identity<element_of<first>>{};
    else return std::type_identity<void>{};
  }
};
template <class Op, class... T, class... H>
  requires(sizeof...(T) > 0) struct application<Op, type_list<T...>, H...> : application<Op, type_list<>, H...> {
  static constexpr bool has_given_types = true;
  template <std::size_t P> static constexpr auto type_at() {
    return std::type_identity<std::tuple_element_t<P, std::tuple<T...>>>{};
  }
};

template <class A, std::size_t P> using given_type = typename decltype(A::template type_at<P>())::type;

// The element types that input I may have: the op's fixed type, the type of an earlier input, or all types that the op exists
// for.
template <class Op, class A, std::size_t I> constexpr auto expected_at() {
  constexpr int p = signature_of<Op>::input(I).type_parameter;
  if constexpr (p < 0) {
    return type_list<typename number_type<signature_of<Op>::input(I).fixed>::of>{};
  } else {
    using allowed = typename type_attribute<Op, static_cast<std::size_t>(p)>::types;
    using given = given_type<A, static_cast<std::size_t>(p)>;
    if constexpr (in_list<given, allowed> && (A::has_given_types || A::first_of(p) < I)) return type_list<given>{};
    else return allowed{};
  }
}
template <class Op, class A, std::size_t I> constexpr auto describe_expected() {
  constexpr auto kind = signature_of<Op>::input(I).kind;
  if constexpr (kind == argument::form::mixed_list) return std::type_identity<list_of_any>{};
  else if constexpr (kind == argument::form::list) return std::type_identity<list<decltype(expected_at<Op, A, I>())>>{};
  else return std::type_identity<decltype(expected_at<Op, A, I>())>{};
}

template <class Op, class A, std::size_t I> constexpr bool fits_at() {
  constexpr auto kind = signature_of<Op>::input(I).kind;
  using given = handle_traits<typename A::template handle<I>>;
  if constexpr (!given::is_handle || given::is_list != (kind != argument::form::single)) return false;
  else if constexpr (kind == argument::form::mixed_list) return true;
  else return in_list<typename given::type, decltype(expected_at<Op, A, I>())>;
}

// The type attributes of an application. A missing type attribute is replaced by a valid type, so that the compiler does not
// report a second error.
template <class T, class First, class... Rest> constexpr auto or_first(type_list<First, Rest...>) {
  return std::type_identity<std::conditional_t<std::is_void_v<T>, First, T>>{};
}
template <class Op, class A, class Indices = std::make_index_sequence<types_of<Op>::size>> struct deduction;
template <class Op, class A, std::size_t... P> struct deduction<Op, A, std::index_sequence<P...>> {
  using types = type_list<typename decltype(or_first<given_type<A, P>>(typename type_attribute<Op, P>::types{}))::type...>;
};

template <class Op, class... Ts>
concept lacks_shape_rule = generic_parameters<Op>::has_kernel && signature_of<Op>::has_sized_outputs && !has_shape_rule<Op> &&
                           !has_typed_shape_rule<Op, Ts...>;
template <class Op> constexpr auto name_of_fact_declared_twice() {
  constexpr std::string_view found = facts_of<Op>.declared_twice;
  char name[found.size() + 1]{};
  found.copy(name, found.size());
  return fixed_string(name);
}
template <class Op, class... Ts> constexpr auto check_gradient(type_list<Ts...>) {
  if constexpr (has_old_flag<Op>) return misfit<Op, expected<flag_counts_runs_instead_of_random>>{};
  else if constexpr (facts_of<Op>.declared_twice != nullptr)
    return misfit<Op, fact_declared_twice<name_of_fact_declared_twice<Op>()>>{};
  else if constexpr (!are_host_arguments_there<Op>) return misfit<Op, expected<host_inputs_and_outputs_of_the_signature>>{};
  else if constexpr (lacks_shape_rule<Op, Ts...>) return misfit<Op, expected<shape_rule>>{};
  else if constexpr (says_how_it_differentiates<Op, Ts...>) return fit{};
  else return misfit<Op, expected<gradient_or_not_differentiable>>{};
}
template <class Op, class A, std::size_t P = 0> constexpr auto check_types() {
  if constexpr (P == types_of<Op>::size) {
    return check_gradient<Op>(typename deduction<Op, A>::types{});
  } else {
    using attribute = type_attribute<Op, P>;
    using given = given_type<A, P>;
    if constexpr (std::is_void_v<given>) return misfit<Op, attribute, type_not_given>{};
    else if constexpr (!in_list<given, typename attribute::types>) return misfit<Op, expected<attribute>, found<given>>{};
    else return check_types<Op, A, P + 1>();
  }
}
template <class Op, class A, std::size_t I = 0> constexpr auto check_inputs() {
  constexpr std::size_t count = signature_of<Op>::input_count;
  if constexpr (A::count != count) return misfit<Op, expected<inputs<count>>, found<inputs<A::count>>>{};
  else if constexpr (I == count) return check_types<Op, A>();
  else if constexpr (fits_at<Op, A, I>()) return check_inputs<Op, A, I + 1>();
  else
    return misfit<Op, input<I>, expected<typename decltype(describe_expected<Op, A, I>())::type>,
                  found<typename A::template handle<I>>>{};
}

// ---- A quick check that instantiates no template per input. It accepts most handles that fit; others get the full check.

template <class List> inline constexpr std::uint64_t set_of_types = 0;
template <class... T>
inline constexpr std::uint64_t set_of_types<type_list<T...>> =
    (std::uint64_t{0} | ... | (std::uint64_t{1} << static_cast<int>(dtype_of<T>)));
template <class Attrs> struct allowed_types;
template <fixed_string... Name, class... Types> struct allowed_types<type_attrs<type_attr<Name, Types>...>> {
  static constexpr std::uint64_t all[] = {set_of_types<Types>..., 0};
};
struct given_input {
  bool is_handle, is_list;
  dtype type;
};
constexpr bool are_surely_fit(const argument* inputs, const given_input* given, std::size_t count, const dtype* types,
                              const std::uint64_t* allowed, std::size_t attributes, bool has_given_types) {
  std::uint64_t said = 0;  // the type attributes that inputs determine
  for (std::size_t i = 0; i < count; ++i) {
    const argument& a = inputs[i];
    if (!given[i].is_handle || given[i].is_list != (a.kind != argument::form::single)) return false;
    if (a.kind == argument::form::mixed_list) continue;
    if (given[i].type == dtype::invalid || given[i].type != (a.type_parameter < 0 ? a.fixed : types[a.type_parameter]))
      return false;
    if (a.type_parameter >= 0) said |= std::uint64_t{1} << a.type_parameter;
  }
  for (std::size_t p = 0; p < attributes; ++p)
    if (types[p] == dtype::invalid || (allowed[p] >> static_cast<int>(types[p]) & 1) == 0 || !(has_given_types || said >> p & 1))
      return false;
  return true;
}
template <class Op, class A, class Types> inline constexpr bool is_surely_fit = false;
template <class Op, class Given, class... H, class... T>
inline constexpr bool is_surely_fit<Op, application<Op, Given, H...>, type_list<T...>> = [] {
  if constexpr (sizeof...(H) != signature_of<Op>::input_count) {
    return false;
  } else {
    constexpr given_input given[] = {
        {handle_traits<H>::is_handle, handle_traits<H>::is_list, dtype_of<typename handle_traits<H>::type>}..., {}};
    constexpr dtype types[] = {dtype_of<T>..., dtype::invalid};
    return are_surely_fit(signature_of<Op>::arguments::all.data(), given, sizeof...(H), types, allowed_types<types_of<Op>>::all,
                          sizeof...(T), application<Op, Given, H...>::has_given_types);
  }
}();

template <class Op, class A> constexpr auto check_application() {
  if constexpr (!has_signature<Op>) {
    return misfit<Op, expected<kernel_with_cpu_first_and_a_type_parameter_per_type_attribute>>{};
  } else {
    using types = typename deduction<Op, A>::types;
    if constexpr (is_surely_fit<Op, A, types>) return check_gradient<Op>(types{});
    else return check_inputs<Op, A>();
  }
}

template <class Op, class... In> using deduced_types = typename deduction<Op, application<Op, type_list<>, In...>>::types;

}  // namespace detail

// detail::fit if the inputs fit the op; otherwise a type whose name states the fault: the number of inputs, the first input with a
// wrong element type, a type attribute that no input determines, or a member that the op lacks.
template <class Op, class... In>
using fit_of = decltype(detail::check_application<Op, detail::application<Op, type_list<>, In...>>());
// Like fit_of, with all type attributes specified.
template <class Op, class Types, class... In>
using fit_as = decltype(detail::check_application<Op, detail::application<Op, Types, In...>>());

template <class Verdict> inline constexpr bool is_fit = false;
template <> inline constexpr bool is_fit<detail::fit> = true;

}  // namespace flowgraph
