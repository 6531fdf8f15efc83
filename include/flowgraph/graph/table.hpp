#pragma once
// The table of an op for given element types: made once at compile time, pointed at by nodes and held by registries.

#include <flowgraph/graph/fit.hpp>
#include <flowgraph/graph/handle.hpp>
#include <flowgraph/graph/stored_tables.hpp>
#include <flowgraph/op/make_table.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// One call of an op's gradient: what has arrived at each output goes in, what goes on to each input comes out.
class loop_map;
struct loop_gradient_request;
struct gradient_call {
  const node* at = nullptr;
  std::span<const gradient_list> arrived;                // per output: the contributions of its consumers
  gradient_list result;                                  // per input
  std::vector<std::pair<std::uint32_t, any_grad>> more;  // (input, gradient) where an input gets several
  const loop_map* loops = nullptr;                       // null in a graph where nothing that led here is in a loop or a branch
  loop_gradient_request* loop =
      nullptr;  // of an Exit, which stands for its whole loop: what else there is to know, and to answer
};

// Defined with the ops: sums contributions, dense or sliced; zeros of the output's shape if there are none.
template <class T> any_grad accumulate(std::span<const any_grad> contributions);
template <class T> out<T> dense_gradient(const any_grad& g);
template <class T> out<T> zeros_of(out<T> like);

// The gradient that arrived at an output; zeros when nothing did.
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
// Of a list of mixed types: which one, the node says.
template <class... Any> any_grad sum_of_any(dtype type, std::span<const any_grad> arrived, type_list<Any...>) {
  if (arrived.size() < 2) return arrived.empty() ? any_grad() : arrived.front();
  any_grad made;
  ((type == dtype_of<Any> ? void(made = accumulate<Any>(arrived)) : void()), ...);
  return made;
}
template <class Any>
  requires std::is_same_v<Any, any_out> gradient_list arrived_at(const gradient_call& c, const std::vector<Any>& ys) {
  gradient_list list;
  for (const any_out& y : ys)
    list.push_back(sum_of_any(y.type(), c.arrived[y.port], joined<differentiable_numbers, type_list<variant>>{}));
  return list;
}
// What an op's gradient returned, side by side.
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

template <class Op, class... Ts> struct gradient_thunk {
  using signature = signature_of<Op>;

  template <std::size_t K> static constexpr argument at = signature::arguments::all[K];

  template <std::size_t K> static constexpr auto element_of() {
    if constexpr (at<K>.type_parameter >= 0)
      return type_tag<std::tuple_element_t<static_cast<std::size_t>(at<K>.type_parameter), std::tuple<Ts...>>>{};
    else if constexpr (at<K>.kind == argument::form::mixed_list) return type_tag<float>{};
    else return type_tag<typename number_type<at<K>.fixed>::of>{};
  }

  // The handle, or list of handles, of argument K.
  template <std::size_t K, class T>
  static auto handle(type_tag<T>, const node& n, std::uint32_t& input, std::uint32_t& output, std::uint32_t& list) {
    std::uint32_t& port = at<K>.is_output ? output : input;
    auto one = [&]() -> any_out {
      if (at<K>.is_output) return {const_cast<node*>(&n), port++};
      const edge e = n.inputs[port++];
      return {e.from, e.port};
    };
    if constexpr (at<K>.kind == argument::form::single) {
      const any_out o = one();
      return out<T>{o.source, o.port};
    } else {
      constexpr std::uint32_t singles = parameter_maker<signature>::template singles<at<K>.is_output>();
      const auto present = static_cast<std::uint32_t>(at<K>.is_output ? n.outputs.size() : n.inputs.size());
      std::uint32_t size = n.list_sizes ? n.list_sizes[list++] : present - singles;
      if constexpr (at<K>.kind == argument::form::mixed_list) {
        any_out_list handles;
        for (; size > 0; --size) handles.push_back(one());
        return handles;
      } else {
        out_list<T> handles;
        for (; size > 0; --size) {
          const any_out o = one();
          handles.push_back({o.source, o.port});
        }
        return handles;
      }
    }
  }

  FLOWGRAPH_COLD static void run(const void* op, gradient_call& c) {
    std::uint32_t input = 0, output = 0, list = 0;
    auto make = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      return handle<K>(element_of<K>(), *c.at, input, output, list);
    };
    // The outputs are gone through again, for what has arrived at them.
    std::uint32_t again = 0, output_list = signature::input_count - parameter_maker<signature>::template singles<false>();
    auto arrived = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      return arrived_at(c, handle<K>(element_of<K>(), *c.at, input, again, output_list));
    };
    [&]<std::size_t... K, std::size_t... J>(std::index_sequence<K...>, std::index_sequence<J...>) {
      ordered_call{[&](const auto&... all) {
                     const Op& self = *static_cast<const Op*>(op);
                     if constexpr (sizeof...(Ts) == 0) keep(c.result, self.gradient(all...));
                     else keep(c.result, self.template gradient<Ts...>(all...));
                   },
                   make(std::integral_constant<std::size_t, K>{})...,
                   arrived(std::integral_constant<std::size_t, signature::input_count + J>{})...};
    }(std::make_index_sequence<signature::arguments::size>{}, std::make_index_sequence<signature::output_count>{});
  }
};

// The element types of the outputs that can carry a gradient, each once.
template <class Found, class... T> struct carried_types {
  using list = Found;
};
template <class... F, class T, class... Rest>
struct carried_types<type_list<F...>, T, Rest...>
    : carried_types<
          std::conditional_t<carries_gradient(dtype_of<T>) && !in_list<T, type_list<F...>>, type_list<F..., T>, type_list<F...>>,
          Rest...> {};
template <class Thunk, std::size_t... J>
auto carried_by(std::index_sequence<J...>)
    -> carried_types<type_list<>, typename decltype(Thunk::template element_of<Thunk::signature::input_count + J>())::type...>;

// The sum of the gradients that arrived at an output of one of these types; zeros if none did. Depends on types alone, so that ops share it.
template <class... T>
FLOWGRAPH_COLD void sum_arrived(const node& n, std::uint32_t port, std::span<const any_grad> arrived, any_grad& made) {
  const auto when = [&]<class U>(type_tag<U>) {
    if (n.outputs[port].type == dtype_of<U>)
      made = arrived.empty() ? any_grad(zeros_of(out<U>{const_cast<node*>(&n), port})) : accumulate<U>(arrived);
  };
  (when(type_tag<T>{}), ...);
}
template <class List> inline constexpr op_table::sum_function sum_of_types = nullptr;
template <class... T>
  requires(sizeof...(T) > 0) inline constexpr op_table::sum_function sum_of_types<type_list<T...>> = &sum_arrived<T...>;

// Ops that hand variants on differentiate them as they do numbers, and those that take or make variants for all element types do so for
// lists of lists. Another op whose gradient holds for variants says `static constexpr bool differentiates_variants = true`.
template <class Op, class... Ts> constexpr bool has_gradient_of_types() {
  constexpr bool has_variants = (std::is_same_v<Ts, variant> || ...);
  if constexpr (
      !has_variants || requires { Op::differentiates_variants; } || requires { Op::alias; } || requires { Op::passes_value; } ||
      requires { Op::control; }) {
    return true;
  } else {
    for (const argument& a : signature_of<Op>::arguments::all)
      if (a.type_parameter < 0 && a.fixed == dtype::variant) return true;
    return false;
  }
}

template <class Op, class... Ts> constexpr op_table make_table() {
  static_assert(says_how_it_differentiates<Op, Ts...>,
                "flowgraph: an op declares `gradient` or `static constexpr bool not_differentiable = true`");
  op_table t = describe_op<Op>();
  bind_types<Op, Ts...>(t);
#ifndef FLOWGRAPH_INFERENCE
  using thunk = gradient_thunk<Op, Ts...>;
  using carried_list = typename decltype(carried_by<thunk>(std::make_index_sequence<thunk::signature::output_count>{}))::list;
  t.sum = sum_of_types<carried_list>;
  if constexpr (has_gradient<Op, Ts...> && !std::is_same_v<carried_list, type_list<>> && has_gradient_of_types<Op, Ts...>())
    t.gradient = &thunk::run;
  // An op may want to see the whole call: numbers are not all that a gradient goes through.
  if constexpr (requires { Op::gradient_by_call; }) t.gradient = Op::gradient_by_call;
#endif
  return t;
}

template <class Op, class... Ts> inline constexpr op_table made_table = make_table<Op, Ts...>();

template <class Op, class... Ts> constexpr const op_table& find_table() {
#ifdef FLOWGRAPH_BY_NAME
  if constexpr (is_stored<Op, Ts...> && exists_for<Op, Ts...>) return stored_table<Op, Ts...>();
  else
#endif
    return made_table<Op, Ts...>;
}

}  // namespace detail

// With flowgraph::by_name the tables of standard ops are not constants: the compiler knows their addresses alone.
template <class Op, class... Ts> inline constexpr const op_table& table_of = detail::find_table<Op, Ts...>();

}
}  // namespace flowgraph
