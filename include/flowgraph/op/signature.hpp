#pragma once
// The signature of an op, derived from the parameters of its kernel: inputs, outputs and their types.

#include <flowgraph/op/host_arguments.hpp>
#include <flowgraph/op/kernel.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A name as a template argument.
template <std::size_t N> struct fixed_string {
  char text[N]{};
  constexpr fixed_string(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

// A type attribute: its name in files, and its allowed element types.
template <fixed_string Name, class Types> struct type_attr {
  static constexpr std::string_view name = Name.view();
  using types = Types;
};

// The type attributes of an op that has several: `using types = fg::type_attrs<fg::type_attr<"T", fg::numbers>,
// fg::type_attr<"Tidx", ...>>`. The attributes are in the order of the kernel's template parameters. A plain type list means a
// single attribute "T".
template <class... Attr> struct type_attrs {
  static constexpr std::size_t size = sizeof...(Attr);
};

// A declared input or output.
struct argument {
  enum class form : std::uint8_t { single, list, mixed_list };
  form kind = form::single;         // a single edge or a list of edges
  std::int8_t type_parameter = -1;  // index of the type attribute of its elements; -1: the type is `fixed`
  dtype fixed = dtype::invalid;     // element type, if it is not a type attribute
  bool is_output = false;           // true: an output
  bool is_reference = false;        // the edge carries the variable itself
  bool is_unsized = false;          // the shape is known only after the kernel has run
  bool writes = false;              // the kernel changes the variable
  bool is_handle = false;           // a resource handle of a variable
  bool is_index = false;            // integers that the kernel reads with any width
  bool is_on_host = false;          // in host memory on every device, by declaration or because of its fixed type
};

// Returns whether an argument with elements of this type is in host memory on every device.
constexpr bool is_on_host(const argument& a, dtype element) { return a.is_on_host || !is_plain(element); }

namespace detail {

// Represents type attribute I while a signature is derived.
template <std::size_t I> struct type_parameter {
  static constexpr std::size_t index = I;
};

template <class T> struct type_slot {
  static constexpr std::int8_t parameter = -1;
  static constexpr dtype fixed = dtype_of<T>;
};
template <std::size_t I> struct type_slot<type_parameter<I>> {
  static constexpr std::int8_t parameter = static_cast<std::int8_t>(I);
  static constexpr dtype fixed = dtype::invalid;
};

template <class T> constexpr argument argument_of_type(argument::form kind, bool output) {
  argument a;
  a.kind = kind;
  a.type_parameter = type_slot<std::remove_const_t<T>>::parameter;
  a.fixed = type_slot<std::remove_const_t<T>>::fixed;
  a.is_output = output;
  return a;
}

template <class T> struct type_tag {
  using type = T;
};

// Each overload describes one kind of kernel parameter.
template <class T> constexpr argument describe(type_tag<view<T>>) {
  return argument_of_type<T>(argument::form::single, !std::is_const_v<T>);
}
template <class I> constexpr argument describe(type_tag<index_view<I>>) {
  argument a = argument_of_type<I>(argument::form::single, false);
  a.is_index = true;
  return a;
}
template <class T> constexpr argument describe(type_tag<view_list<T>>) {
  return argument_of_type<T>(argument::form::list, !std::is_const_v<T>);
}
template <class T> constexpr argument describe(type_tag<unsized<T>>) {
  argument a = argument_of_type<T>(argument::form::single, true);
  a.is_unsized = true;
  return a;
}
template <class T> constexpr argument describe(type_tag<unsized_list<T>>) {
  argument a = argument_of_type<T>(argument::form::list, true);
  a.is_unsized = true;
  return a;
}
constexpr argument describe(type_tag<any_list>) {
  argument a;
  a.kind = argument::form::mixed_list;
  return a;
}
constexpr argument describe(type_tag<any_output_list>) {
  argument a;
  a.kind = argument::form::mixed_list;
  a.is_output = a.is_unsized = true;
  return a;
}
template <class T> constexpr argument describe(type_tag<reference<T>>) {
  argument a = argument_of_type<T>(argument::form::single, false);
  a.is_reference = a.writes = true;
  return a;
}
template <class T> constexpr argument describe(type_tag<reference_in<T>>) {
  argument a = argument_of_type<T>(argument::form::single, false);
  a.is_reference = true;
  return a;
}
template <class T> constexpr argument describe(type_tag<reference_list<T>>) {
  argument a = argument_of_type<T>(argument::form::list, false);
  a.is_reference = true;
  return a;
}
template <class T> constexpr argument describe(type_tag<reference_out<T>>) {
  argument a = argument_of_type<T>(argument::form::single, true);
  a.is_reference = a.is_unsized = true;
  return a;
}
template <class T> constexpr argument describe(type_tag<variable_handle<T>>) {
  argument a;
  a.fixed = dtype::resource;
  a.is_handle = a.writes = true;
  return a;
}

template <class... P> struct parameter_list {
  static constexpr std::size_t size = sizeof...(P);
  static constexpr bool asynchronous = (std::is_same_v<P, done> || ... || false);
};

// The parameters of a kernel. Empty if F is not a kernel.
template <class F> struct kernel_parameters {};
template <class C, class... P> struct kernel_parameters<void (C::*)(cpu, P...) const> {
  using list = parameter_list<P...>;
};
template <class C, class... P> struct kernel_parameters<void (C::*)(cpu, P...)> {
  using list = parameter_list<P...>;
};
template <class... P> struct kernel_parameters<void(P...)> {
  using list = parameter_list<P...>;
};

// The kernel's parameters for types Ts: from `signature` if the op declares one (it then has no CPU kernel), otherwise from
// operator().
template <class Op, class... Ts> struct parameters_for {
  static constexpr bool has_kernel = false;
};
template <class Op, class... Ts>
  requires requires { typename Op::template signature<Ts...>; }
struct parameters_for<Op, Ts...> : kernel_parameters<typename Op::template signature<Ts...>> {
  static constexpr bool has_kernel = false;
};
template <class Op>
  requires requires { typename Op::signature; } struct parameters_for<Op> : kernel_parameters<typename Op::signature> {
  static constexpr bool has_kernel = false;
};
template <class Op, class T, class... Ts>
  requires requires { typename kernel_parameters<decltype(&Op::template operator()<T, Ts...>)>::list; }
struct parameters_for<Op, T, Ts...> : kernel_parameters<decltype(&Op::template operator()<T, Ts...>)> {
  static constexpr bool has_kernel = true;
};
template <class Op>
  requires requires { typename kernel_parameters<decltype(&Op::operator())>::list; }
struct parameters_for<Op> : kernel_parameters<decltype(&Op::operator())> {
  static constexpr bool has_kernel = true;
};

// The op's type attributes as a list of type_attr.
template <class Op> struct declared_types {
  using list = type_attrs<>;
};
template <class... T> struct wrap_types;
template <class... T> struct wrap_types<type_list<T...>> {
  using list = type_attrs<type_attr<"T", type_list<T...>>>;
};
template <class... A> struct wrap_types<type_attrs<A...>> {
  using list = type_attrs<A...>;
};
template <class Op>
  requires requires { typename Op::types; } struct declared_types<Op> {
  using list = typename wrap_types<typename Op::types>::list;
};
template <class Op> using types_of = typename declared_types<Op>::list;

template <class Op, class Indices = std::make_index_sequence<types_of<Op>::size>> struct generic_parameters;
template <class Op, std::size_t... I>
struct generic_parameters<Op, std::index_sequence<I...>> : parameters_for<Op, type_parameter<I>...> {};

// Whether each parameter of a kernel has a type that a kernel may have.
template <class P> concept describable = std::is_same_v<P, done> || requires { describe(type_tag<P>{}); };
template <class List> inline constexpr bool are_describable = false;
template <class... P> inline constexpr bool are_describable<parameter_list<P...>> = (describable<P> && ...);

// An op without a kernel or a signature has no parameters, so that the compiler reports only the missing kernel.
template <class Op>
concept has_signature =
    requires { typename generic_parameters<Op>::list; } && are_describable<typename generic_parameters<Op>::list>;
template <class Op> struct parameters_of {
  using list = parameter_list<>;
};
template <has_signature Op> struct parameters_of<Op> {
  using list = typename generic_parameters<Op>::list;
};

template <class Op> concept has_shape_rule = requires { &Op::shape; };
// A rule that depends on the element types is a template over them.
template <class Op, class... Ts> concept has_typed_shape_rule = sizeof...(Ts) > 0 && requires { &Op::template shape<Ts...>; };

// The arguments of an op, derived from the parameters of its kernel. Ops with equal parameters share them, unless the ops declare
// different host arguments. HostInputs and HostOutputs contain these declarations as bits.
template <class List, std::uint64_t HostInputs = 0, std::uint64_t HostOutputs = 0> struct arguments_from;
template <class... P, std::uint64_t HostInputs, std::uint64_t HostOutputs>
struct arguments_from<parameter_list<P...>, HostInputs, HostOutputs> {
  static constexpr std::size_t size = sizeof...(P) - ((std::is_same_v<P, done> ? 1u : 0u) + ... + 0u);
  static constexpr auto make() {
    std::array<argument, size> result{};
    std::size_t n = 0;
    (void)n;
    (
        [&] {
          if constexpr (!std::is_same_v<P, done>) result[n++] = describe(type_tag<P>{});
        }(),
        ...);
    std::size_t number[2] = {0, 0};
    for (argument& a : result) {
      const std::size_t i = number[a.is_output]++;
      const bool is_declared = i < argument_numbers::most && ((a.is_output ? HostOutputs : HostInputs) >> i & 1) != 0;
      a.is_on_host = is_on_host(a, a.fixed) || is_declared;
    }
    return result;
  }
  static constexpr auto all = make();
  static constexpr std::size_t inputs = [] {
    std::size_t n = 0;
    for (const argument& a : all) n += a.is_output ? 0 : 1;
    return n;
  }();
  static constexpr bool ordered = [] {
    for (std::size_t i = 0; i < size; ++i)
      if (all[i].is_output != (i >= inputs)) return false;
    return true;
  }();
};

template <class Op> struct signature_of {
  using arguments = arguments_from<typename parameters_of<Op>::list, host_inputs_of<Op>().bits(), host_outputs_of<Op>().bits()>;
  static_assert(arguments::ordered, "flowgraph: a kernel takes its inputs first and its outputs last");
  static constexpr std::size_t input_count = arguments::inputs;
  static constexpr std::size_t output_count = arguments::size - arguments::inputs;
  static constexpr const argument& input(std::size_t i) { return arguments::all[i]; }
  static constexpr const argument& output(std::size_t i) { return arguments::all[input_count + i]; }
  static constexpr bool asynchronous = parameters_of<Op>::list::asynchronous;
  // Whether the engine allocates an output before the kernel runs.
  static constexpr bool has_sized_outputs = [] {
    for (const argument& a : arguments::all)
      if (a.is_output && !a.is_unsized && !a.is_reference) return true;
    return false;
  }();
};

// Whether the signature contains all host arguments that the op declares.
template <class Op>
inline constexpr bool are_host_arguments_there =
    are_host_lists_of_their_kind<Op>() && host_inputs_of<Op>().are_below(signature_of<Op>::input_count) &&
    host_outputs_of<Op>().are_below(signature_of<Op>::output_count);

}  // namespace detail

}  // namespace flowgraph
