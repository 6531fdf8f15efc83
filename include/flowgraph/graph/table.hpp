#pragma once
// The table of an op for certain element types. It is generated once, at compile time. Nodes and registries use it.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/fit.hpp>
#include <flowgraph/graph/handle.hpp>
#include <flowgraph/graph/stored_tables.hpp>
#include <flowgraph/op/make_table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// One call of an op's gradient: contains the gradients of the outputs and receives the gradients of the inputs.
class loop_map;
struct loop_gradient_request;
struct gradient_call {
  const node* at = nullptr;
  std::span<const gradient_list> arrived;             // for each output, the contributions of its consumers
  gradient_list result;                               // for each input, its gradient
  sequence<std::pair<std::uint32_t, any_grad>> more;  // pairs of input and gradient, for inputs that get several gradients
  const loop_map* loops = nullptr;                    // null if no node on the way from the loss is in a loop or a branch
  loop_gradient_request* loop = nullptr;  // for an Exit, which represents its whole loop: further inputs and results of the call
};

// Defined with the ops. `accumulate` sums contributions, dense or slices. If there are no contributions, the result is an absent
// gradient. `zeros_of` returns zeros in the shape of `like`.
template <class T> any_grad accumulate(std::span<const any_grad> contributions);
template <class T> out<T> dense_gradient(const any_grad& g);
template <class T> out<T> zeros_of(out<T> like);

// Returns the gradient that arrived at an output, or zeros if none arrived.
template <class T> out<T> arrived_at(const gradient_call& c, const out<T>& y) {
  if constexpr (!carries_gradient(dtype_of<T>)) {
    return {};
  } else {
    const gradient_list& parts = c.arrived[y.port];
    return parts.empty() ? zeros_of(y) : dense_gradient<T>(accumulate<T>({parts.data(), parts.size()}));
  }
}
template <class T> out_list<T> arrived_at(const gradient_call& c, const out_list<T>& ys) {
  out_list<T> list;
  for (const out<T>& y : ys) list.push_back(arrived_at(c, y));
  return list;
}
// Sums the gradients of an output in a list of mixed types. `type` is the type of this output, which the node determines.
template <class... Any> any_grad sum_of_any(dtype type, std::span<const any_grad> arrived, type_list<Any...>) {
  if (arrived.size() < 2) return arrived.empty() ? any_grad() : arrived.front();
  any_grad gradient;
  ((type == dtype_of<Any> ? void(gradient = accumulate<Any>(arrived)) : void()), ...);
  return gradient;
}
template <class Any>
  requires std::is_same_v<Any, any_out> gradient_list arrived_at(const gradient_call& c, const std::vector<Any>& ys) {
  gradient_list list;
  for (const any_out& y : ys)
    list.push_back(sum_of_any(y.type(), c.arrived[y.port], joined<differentiable_numbers, type_list<variant>>{}));
  return list;
}
// Appends the gradients that the gradient function of an op returned.
void keep(gradient_list& to, any_grad g);
void keep(gradient_list& to, const gradient_list& list);
template <class T> void keep(gradient_list& to, const out_list<T>& list) {
  for (const out<T>& o : list) keep(to, any_grad(o));
}
template <class T, std::size_t N> void keep(gradient_list& to, const gradients_of<T, N>& list) {
  for (const any_grad& g : list.parts) keep(to, g);
}
template <class... P> void keep(gradient_list& to, const std::tuple<P...>& parts) {
  std::apply([&](const auto&... p) { (keep(to, p), ...); }, parts);
}

// The element type of an argument for types Ts: the type of its type attribute, or its fixed type. A list of mixed types has no
// element type; float is used instead.
template <int Parameter, dtype Fixed, class... Ts> struct element_of_argument {
  using type = std::tuple_element_t<static_cast<std::size_t>(Parameter), std::tuple<Ts...>>;
};
template <dtype Fixed, class... Ts> struct element_of_argument<-1, Fixed, Ts...> {
  using type = typename number_type<Fixed>::of;
};
template <class... Ts> struct element_of_argument<-1, dtype::invalid, Ts...> {
  using type = float;
};
// The C++ type of an argument: a handle, a list of handles, or a list of handles of mixed types.
template <argument::form Kind, class T> struct handle_of_argument {
  using type = out<T>;
};
template <class T> struct handle_of_argument<argument::form::list, T> {
  using type = out_list<T>;
};
template <class T> struct handle_of_argument<argument::form::mixed_list, T> {
  using type = any_out_list;
};
template <class Op, std::size_t K, class... Ts> struct argument_for {
  static constexpr argument facts = signature_of<Op>::arguments::all[K];
  using element = typename element_of_argument<facts.type_parameter, facts.fixed, Ts...>::type;
  using handle = typename handle_of_argument<facts.kind, element>::type;
};

// Returns the handles of one argument of a node.
template <class T> out<T> handles_at(type_tag<out<T>>, const node& n, bool is_output, parameter_place p) {
  const any_out o = handle_at(n, is_output, p.first);
  return {o.source, o.port};
}
template <class H> std::vector<H> handles_at(type_tag<std::vector<H>>, const node& n, bool is_output, parameter_place p) {
  std::vector<H> list;
  for (std::uint32_t port = p.first; port < p.first + p.count; ++port) {
    const any_out o = handle_at(n, is_output, port);
    list.push_back({o.source, o.port});
  }
  return list;
}

// Calls the gradient of an op with the handles of a node and the gradients that arrived at its outputs. A large library has
// thousands of these functions. So each of them is one function with a short name, and the functions that it calls depend only on
// element types.
template <class Op, class Arguments, class Outputs, class... Ts> struct gradient_caller;
template <class Op, std::size_t... K, std::size_t... J, class... Ts>
struct gradient_caller<Op, std::index_sequence<K...>, std::index_sequence<J...>, Ts...> {
  using signature = signature_of<Op>;
  using maker = parameter_maker<typename signature::arguments>;
  template <std::size_t At> using handle_tag = type_tag<typename argument_for<Op, At, Ts...>::handle>;
  template <std::size_t At> using output_tag = handle_tag<signature::input_count + At>;

  FLOWGRAPH_ALWAYS_INLINE static void run(const void* op, gradient_call& c) {
    const Op& self = *static_cast<const Op*>(op);
    const node& n = *c.at;
    [[maybe_unused]] const auto& places =
        maker::places(n.list_sizes, static_cast<std::uint32_t>(n.inputs.size()), static_cast<std::uint32_t>(n.outputs.size()));
    if constexpr (sizeof...(J) > 1) {  // gradients are summed in the order of the outputs
      ordered_call{[&](const auto&... arrived) { keep(c.result, differentiate(self, n, places, arrived...)); },
                   arrived_at(c, handles_at(output_tag<J>{}, n, true, places[signature::input_count + J]))...};
    } else if constexpr (sizeof...(Ts) == 0) {
      keep(c.result, self.gradient(handles_at(handle_tag<K>{}, n, K >= signature::input_count, places[K])...,
                                   arrived_at(c, handles_at(output_tag<J>{}, n, true, places[signature::input_count + J]))...));
    } else {
      keep(c.result, self.template gradient<Ts...>(
                         handles_at(handle_tag<K>{}, n, K >= signature::input_count, places[K])...,
                         arrived_at(c, handles_at(output_tag<J>{}, n, true, places[signature::input_count + J]))...));
    }
  }

private:
  template <class... H>
  static auto differentiate(const Op& op, const node& n, const typename maker::place_list& places, const H&... arrived) {
    if constexpr (sizeof...(Ts) == 0)
      return op.gradient(handles_at(handle_tag<K>{}, n, K >= signature::input_count, places[K])..., arrived...);
    else
      return op.template gradient<Ts...>(handles_at(handle_tag<K>{}, n, K >= signature::input_count, places[K])..., arrived...);
  }
};
template <class Op, class... Ts> struct gradient_thunk {
  FLOWGRAPH_COLD static void run(const void* op, gradient_call& c) {
    gradient_caller<Op, std::make_index_sequence<signature_of<Op>::arguments::size>,
                    std::make_index_sequence<signature_of<Op>::output_count>, Ts...>::run(op, c);
  }
};

// The element types of the outputs that can carry a gradient, without duplicates.
template <class Found, class... T> struct carried_types {
  using list = Found;
};
template <class... F, class T, class... Rest>
struct carried_types<type_list<F...>, T, Rest...>
    : carried_types<
          std::conditional_t<carries_gradient(dtype_of<T>) && !in_list<T, type_list<F...>>, type_list<F..., T>, type_list<F...>>,
          Rest...> {};
template <class Op, class Outputs, class... Ts> struct carried_by;
template <class Op, std::size_t... J, class... Ts>
struct carried_by<Op, std::index_sequence<J...>, Ts...>
    : carried_types<type_list<>, typename argument_for<Op, signature_of<Op>::input_count + J, Ts...>::element...> {};

// Sums the gradients that arrived at an output of one of these types; if no gradient arrived, the result is zeros. This function
// depends only on types, so ops share it.
template <class... T>
FLOWGRAPH_COLD void sum_arrived(const node& n, std::uint32_t port, std::span<const any_grad> arrived, any_grad& result) {
  const auto when = [&]<class U>(type_tag<U>) {
    if (n.outputs[port].type == dtype_of<U>)
      result = arrived.empty() ? any_grad(zeros_of(out<U>{const_cast<node*>(&n), port})) : accumulate<U>(arrived);
  };
  (when(type_tag<T>{}), ...);
}
template <class List> inline constexpr op_table::sum_function sum_of_types = nullptr;
template <class... T>
  requires(sizeof...(T) > 0) inline constexpr op_table::sum_function sum_of_types<type_list<T...>> = &sum_arrived<T...>;

// Returns whether the op has a gradient for these element types. An op that only passes variants on differentiates them like
// numbers. An op that reads or makes variants and exists for all element types also differentiates lists of lists. Any other op
// whose gradient is valid for variants declares the fact `differentiates_variants`.
template <class Op, class... Ts> constexpr bool has_gradient_of_types() {
  constexpr bool has_variants = (std::is_same_v<Ts, variant> || ...);
  constexpr const op_facts& facts = facts_of<Op>;
  if constexpr (!has_variants || facts.differentiates_variants || facts.alias || facts.passes_value ||
                facts.engine.control != control_flow::none) {
    return true;
  } else {
    for (const argument& a : signature_of<Op>::arguments::all)
      if (a.type_parameter < 0 && a.fixed == dtype::variant) return true;
    return false;
  }
}

template <class Op, class... Ts> constexpr op_table make_table() {
  static_assert(says_how_it_differentiates<Op, Ts...>, "flowgraph: an op declares `gradient` or the fact `not_differentiable`");
  static_assert(sizeof...(Ts) <= op_table::most_types, "flowgraph: an op has at most eight type attributes");
  op_table t = description_without_types<Op>;
  t.bound_types = {dtype_of<Ts>...};
  bind_kernel<Op>(t, kernel_types<Op, Ts...>{});
#ifndef FLOWGRAPH_INFERENCE
  using carried_list = typename carried_by<Op, std::make_index_sequence<signature_of<Op>::output_count>, Ts...>::list;
  t.sum = sum_of_types<carried_list>;
  if constexpr (has_gradient<Op, Ts...> && !std::is_same_v<carried_list, type_list<>> && has_gradient_of_types<Op, Ts...>())
    t.gradient = &gradient_thunk<Op, Ts...>::run;
  // An op can define its gradient as a function of the whole call, since gradients are not only numbers.
  if constexpr (facts_of<Op>.engine.gradient_by_call != nullptr) t.gradient = facts_of<Op>.engine.gradient_by_call;
#endif
  return t;
}

}  // namespace detail

// The table of an op for these element types. With flowgraph::by_name, the tables of standard ops are not constants: the compiler
// knows only their addresses.
template <class Op, class... Ts> inline constexpr const op_table& table_of = detail::find_table<Op, Ts...>();

}  // namespace flowgraph
