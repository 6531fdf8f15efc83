#pragma once
// Puts an op struct into a graph: types are deduced from the handles, checked at compile time, and the node is added.
//
//     auto z = fg::apply(swish{.beta = 1.5f}, x);                  // element types deduced from the inputs
//     auto c = fg::apply_as<float, int>(cast_op{}, x);             // all type attributes given, in their order
//
// A wrong element type or number of inputs does not compile.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// What a handle offers: its element type (void: of any type) and whether it is a list.
template <class H>
struct handle_traits {
  static constexpr bool is_handle = false;
};
template <class T>
struct handle_traits<out<T>> {
  static constexpr bool is_handle = true, is_list = false;
  using type = T;
};
template <class T>
struct handle_traits<variable<T>> : handle_traits<out<T>> {};
template <class T>
struct handle_traits<out_list<T>> {
  static constexpr bool is_handle = true, is_list = true;
  using type = T;
};
template <>
struct handle_traits<any_out_list> {
  static constexpr bool is_handle = true, is_list = true;
  using type = void;
};

template <class T, class Op, std::size_t Input>
constexpr bool fits_argument() {
  constexpr argument a = signature_of<Op>::input(Input);
  using handle = handle_traits<T>;
  if constexpr (!handle::is_handle) return false;
  else if constexpr ((a.kind != argument::form::single) != handle::is_list) return false;
  else if constexpr (a.kind == argument::form::mixed_list) return true;
  else if constexpr (a.type_parameter < 0) return dtype_of<typename handle::type> == a.fixed;
  else return element<typename handle::type>;
}

// The element type that the inputs give to type attribute P; void when none does.
template <class Op, std::size_t P, std::size_t I, class... In>
struct deduced {
  using type = void;
};
template <class H>
struct element_of_handle {
  using type = void;
};
template <class H>
  requires(handle_traits<H>::is_handle)
struct element_of_handle<H> {
  using type = typename handle_traits<H>::type;
};
template <class Op, std::size_t P, std::size_t I, class First, class... Rest>
struct deduced<Op, P, I, First, Rest...>
    : std::conditional_t<signature_of<Op>::input(I).type_parameter == static_cast<int>(P), element_of_handle<First>,
                         deduced<Op, P, I + 1, Rest...>> {};

template <class T, class List>
struct allowed;
template <class T, fixed_string Name, class Types>
struct allowed<T, type_attr<Name, Types>> : std::bool_constant<in_list<T, Types>> {};

template <class Op, class Attrs, class... Ts>
struct types_allowed;
template <class Op, class... A, class... Ts>
struct types_allowed<Op, type_attrs<A...>, Ts...> : std::bool_constant<(allowed<Ts, A>::value && ...)> {};

// Every input of the type that its argument's type attribute is bound to.
template <class Op, class Types, class... In>
struct inputs_agree;
template <class Op, class... Ts, class... In>
struct inputs_agree<Op, type_list<Ts...>, In...> {
  template <std::size_t I, class H>
  static constexpr bool one() {
    constexpr int p = signature_of<Op>::input(I).type_parameter;
    if constexpr (p < 0) return true;
    else return std::is_same_v<typename handle_traits<H>::type, std::tuple_element_t<static_cast<std::size_t>(p), std::tuple<Ts...>>>;
  }
  static constexpr bool value = []<std::size_t... I>(std::index_sequence<I...>) {
    return (one<I, In>() && ...);
  }(std::index_sequence_for<In...>{});
};

template <class Op, class... In>
struct deduction {
  static constexpr std::size_t count = types_of<Op>::size;
  static constexpr bool arity = sizeof...(In) == signature_of<Op>::input_count;
  static constexpr bool arguments = []<std::size_t... I>(std::index_sequence<I...>) {
    if constexpr (arity) return (fits_argument<In, Op, I>() && ...);
    else return false;
  }(std::index_sequence_for<In...>{});

  template <class Indices>
  struct bind;
  template <std::size_t... P>
  struct bind<std::index_sequence<P...>> {
    using types = type_list<typename deduced<Op, P, 0, In...>::type...>;
    static constexpr bool complete = (!std::is_void_v<typename deduced<Op, P, 0, In...>::type> && ...);
    static constexpr bool allowed = types_allowed<Op, types_of<Op>, typename deduced<Op, P, 0, In...>::type...>::value;
  };

  // 0: fits. The others name what is wrong, in the order in which a reader would look.
  static constexpr int verdict() {
    if constexpr (!arity) return 1;
    else if constexpr (!arguments) return 2;
    else {
      using bound = bind<std::make_index_sequence<count>>;
      if constexpr (!bound::complete) return 3;
      else if constexpr (!bound::allowed) return 4;
      else if constexpr (!inputs_agree<Op, typename bound::types, In...>::value) return 5;
      else return 0;
    }
  }
};

template <class Op, class... In>
inline constexpr int verdict = deduction<Op, In...>::verdict();

// ---- what apply returns

template <class Op, std::size_t J, class... Ts>
constexpr auto output_handle() {
  constexpr argument a = signature_of<Op>::output(J);
  if constexpr (a.kind == argument::form::mixed_list) return type_tag<any_out_list>{};
  else if constexpr (a.type_parameter >= 0) {
    using T = std::tuple_element_t<static_cast<std::size_t>(a.type_parameter), std::tuple<Ts...>>;
    if constexpr (a.kind == argument::form::list) return type_tag<out_list<T>>{};
    else return type_tag<out<T>>{};
  } else {
    using T = typename number_type<a.fixed>::of;
    if constexpr (a.kind == argument::form::list) return type_tag<out_list<T>>{};
    else return type_tag<out<T>>{};
  }
}

template <class H>
H take_output(type_tag<H>, node* n, std::uint32_t& port, [[maybe_unused]] std::uint32_t singles) {
  if constexpr (handle_traits<H>::is_list) {
    H list;
    const std::uint32_t size = n->is_poison() ? 0 : static_cast<std::uint32_t>(n->outputs.size()) - singles;
    for (std::uint32_t i = 0; i < size; ++i) list.push_back({n, port++});
    return list;
  } else {
    return H{n, port++};
  }
}

template <class Op, class... Ts>
auto outputs_of(node* n) {
  using signature = signature_of<Op>;
  constexpr std::uint32_t singles = parameter_maker<signature>::template singles<true>();
  [[maybe_unused]] std::uint32_t port = 0;
  if constexpr (signature::output_count == 0) {
    return target(n);
  } else if constexpr (signature::output_count == 1) {
    return take_output(output_handle<Op, 0, Ts...>(), n, port, singles);
  } else {
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      return std::tuple{take_output(output_handle<Op, J, Ts...>(), n, port, singles)...};
    }(std::make_index_sequence<signature::output_count>{});
  }
}

// ---- adding the node

// Inputs side by side, and the sizes of the lists when there are several.
template <class Op>
class flattened {
public:
  static constexpr std::size_t lists = [] {
    std::size_t n = 0;
    for (std::size_t i = 0; i < signature_of<Op>::input_count; ++i) n += signature_of<Op>::input(i).kind != argument::form::single;
    return n;
  }();

  template <class... In>
  explicit flattened(const In&... in) {
    (append(in), ...);
  }
  std::span<const any_out> inputs() const { return {handles_.data(), handles_.size()}; }
  std::span<const std::uint32_t> sizes() const { return lists > 1 ? std::span<const std::uint32_t>(sizes_) : std::span<const std::uint32_t>(); }

private:
  template <class T>
  void append(const out<T>& o) {
    handles_.push_back(o);
  }
  template <class H>
  void append(const std::vector<H>& list) {
    for (const H& h : list) handles_.push_back(h);
    sizes_.push_back(static_cast<std::uint32_t>(list.size()));
  }
  std::vector<any_out> handles_;
  std::vector<std::uint32_t> sizes_;
};

template <class Op, class... Ts>
node* add_to(graph_state& state, const Op& op, std::span<const any_out> inputs, std::span<const std::uint32_t> sizes, const site& s) {
  node_request r;
  r.table = &table_of<Op, Ts...>;
  r.op = &op;
  r.inputs = inputs;
  r.list_sizes = sizes;
  if constexpr (requires { op.output_count(); }) r.list_outputs = static_cast<std::uint32_t>(op.output_count());
  std::vector<dtype> types;
  if constexpr (requires { op.output_types(); }) {
    types = op.output_types();
    r.mixed_output_types = types;
  }
  return add_node(state, r, s);
}

template <class Op, class... Ts, class... In>
auto apply_typed(const site& s, const Op& op, type_list<Ts...>, const In&... in) {
  if constexpr ((handle_traits<In>::is_list || ... || false)) {
    const flattened<Op> flat(in...);
    return outputs_of<Op, Ts...>(add_to<Op, Ts...>(*graph_of_inputs(flat.inputs()), op, flat.inputs(), flat.sizes(), s));
  } else {
    const std::array<any_out, sizeof...(In)> inputs{any_out(in)...};
    return outputs_of<Op, Ts...>(add_to<Op, Ts...>(*graph_of_inputs(inputs), op, inputs, {}, s));
  }
}

// Its name and arguments are what the compiler prints for a mistyped edge.
template <class Op, int Verdict, class... Found>
struct mistyped_edge {
  static_assert(Verdict != 1, "flowgraph: wrong number of inputs for this op");
  static_assert(Verdict != 2, "flowgraph: an input of this op has the wrong element type, or is no handle");
  static_assert(Verdict != 3, "flowgraph: the inputs do not say all element types of this op; use apply_as<Types...>");
  static_assert(Verdict != 4, "flowgraph: this op does not exist for an element type among its inputs; see its `types`");
  static_assert(Verdict != 5, "flowgraph: inputs of this op that must have one element type have different ones");
};

template <class Op, class... In>
auto apply_deduced(const site& s, const Op& op, const In&... in) {
  if constexpr (constexpr int v = verdict<Op, In...>; v == 0) {
    using bound = typename deduction<Op, In...>::template bind<std::make_index_sequence<types_of<Op>::size>>;
    return apply_typed(s, op, typename bound::types{}, in...);
  } else {
    (void)sizeof(mistyped_edge<Op, v, In...>);
  }
}

}  // namespace detail

template <class Op, class A>
auto apply(const Op& op, const A& a, site s = {}) {
  return detail::apply_deduced(s, op, a);
}
template <class Op, class A, class B>
auto apply(const Op& op, const A& a, const B& b, site s = {}) {
  return detail::apply_deduced(s, op, a, b);
}
template <class Op, class A, class B, class C>
auto apply(const Op& op, const A& a, const B& b, const C& c, site s = {}) {
  return detail::apply_deduced(s, op, a, b, c);
}
template <class Op, class A, class B, class C, class D>
auto apply(const Op& op, const A& a, const B& b, const C& c, const D& d, site s = {}) {
  return detail::apply_deduced(s, op, a, b, c, d);
}
// Any number of inputs: the site comes first.
template <class Op, class... In>
auto apply(site s, const Op& op, const In&... in) {
  return detail::apply_deduced(s, op, in...);
}

// All type attributes given, in the order of the op's `types`.
template <class... Ts, class Op, class... In>
auto apply_as(site s, const Op& op, const In&... in) {
  static_assert(detail::types_allowed<Op, detail::types_of<Op>, Ts...>::value, "flowgraph: this op does not exist for these element types");
  static_assert(detail::inputs_agree<Op, type_list<Ts...>, In...>::value, "flowgraph: an input has another element type than given");
  return detail::apply_typed(s, op, type_list<Ts...>{}, in...);
}
// An op without inputs.
template <class... Ts, class Op>
auto apply_in(const graph& g, const Op& op, site s = {}) {
  return detail::outputs_of<Op, Ts...>(detail::add_to<Op, Ts...>(g.state(), op, {}, {}, s));
}

}  // namespace flowgraph
