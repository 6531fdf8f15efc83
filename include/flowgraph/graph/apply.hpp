#pragma once
// Adds a node of an op struct to a graph. The element types are deduced from the handles and checked at compile time.
//
//     auto z = fg::apply(swish{.beta = 1.5f}, x);                  // element types deduced from the inputs
//     auto c = fg::apply_as<float, int>(cast_op{}, x);             // all type attributes given, in their order
//
// Code with a wrong element type or a wrong number of inputs does not compile, and the compiler's message names the op, the input
// and both types. flowgraph.hpp includes this header first, so that the include chain that compilers print stays short.

#include <flowgraph/graph/fit.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// ---- the results of apply

template <class Op, std::size_t J, class... Ts>
using output_handle = typename argument_for<Op, signature_of<Op>::input_count + J, Ts...>::handle;

// The position at which the handles of the next output begin.
struct output_cursor {
  node* at;
  std::uint32_t singles, list, port = 0;

  std::uint32_t next_list() {
    if (!at || at->is_poison()) return 0;
    return at->list_sizes ? at->list_sizes[list++] : static_cast<std::uint32_t>(at->outputs.size()) - singles;
  }
};

template <class H> H take_output(type_tag<H>, output_cursor& c) {
  if constexpr (handle_traits<H>::is_list) {
    H list;
    for (std::uint32_t size = c.next_list(); size > 0; --size) list.push_back({c.at, c.port++});
    return list;
  } else {
    return c.at ? H{c.at, c.port++} : H{};
  }
}

template <class Op, class... Ts> auto outputs_of(node* n) {
  using signature = signature_of<Op>;
  using maker = parameter_maker<typename signature::arguments>;
  constexpr auto input_lists = static_cast<std::uint32_t>(signature::input_count - maker::single_inputs);
  [[maybe_unused]] output_cursor c{n, maker::single_outputs, input_lists};
  if constexpr (signature::output_count == 0) {
    return target(n);
  } else if constexpr (signature::output_count == 1 && maker::single_outputs == 1) {
    return output_handle<Op, 0, Ts...>{n, 0};
  } else if constexpr (signature::output_count == 1) {
    return take_output(type_tag<output_handle<Op, 0, Ts...>>{}, c);
  } else {
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      return std::tuple{take_output(type_tag<output_handle<Op, J, Ts...>>{}, c)...};
    }(std::make_index_sequence<signature::output_count>{});
  }
}

// ---- adding the node

// The inputs in one list, and the lengths of the list arguments if there are several.
template <class Op> class flattened {
public:
  static constexpr std::size_t lists = [] {
    std::size_t n = 0;
    for (std::size_t i = 0; i < signature_of<Op>::input_count; ++i)
      n += signature_of<Op>::input(i).kind != argument::form::single;
    return n;
  }();

  template <class... In> explicit flattened(const In&... in) { (append(in), ...); }
  std::span<const any_out> inputs() const { return {handles_.data(), handles_.size()}; }
  std::span<const std::uint32_t> sizes() const { return {sizes_.data(), lists > 1 ? sizes_.size() : 0}; }

private:
  template <class T> void append(out<T> o) { handles_.push_back(o); }
  template <class H> void append(const std::vector<H>& list) {
    for (const H& h : list) handles_.push_back(h);
    sizes_.push_back(static_cast<std::uint32_t>(list.size()));
  }
  std::vector<any_out> handles_;
  std::vector<std::uint32_t> sizes_;
};

template <class Op, class... Ts>
node* add_to(graph_state& state, const Op& op, std::span<const any_out> inputs, std::span<const std::uint32_t> sizes,
             const site& s) {
  node_request r;
  r.table = &table_of<Op, Ts...>;
  r.op = &op;
  r.inputs = inputs;
  r.list_sizes = sizes;
  return add_node(state, r, s);
}

// The output of an application that does not compile. It converts to any type, so that the compiler reports no further errors.
template <class H> struct unusable : H {
  template <class Any> operator Any() const;
};
template <class H> struct handle_traits<unusable<H>> : handle_traits<H> {};
template <class H> unusable<H> without_meaning(type_tag<H>);
template <class... H> std::tuple<H...> without_meaning(type_tag<std::tuple<H...>>);

// The element types of an application, and a placeholder type for inputs that do not fit.
template <class... Ts> struct unfit_types {};
template <bool IsFit, class Types> struct types_to_apply {
  using list = Types;
};
template <class... Ts> struct types_to_apply<false, type_list<Ts...>> {
  using list = unfit_types<Ts...>;
};
template <class Op, class... In>
using deduced_for = typename types_to_apply<is_fit<fit_of<Op, In...>>, deduced_types<Op, In...>>::list;
template <class Op, class Types, class... In>
using given_for = typename types_to_apply<is_fit<fit_as<Op, Types, In...>>, Types>::list;

// A program contains one instance of this function for each op and set of element types.
template <class Op, class... Ts, class... In> auto apply_typed(const site& s, const Op& op, type_list<Ts...>, const In&... in) {
  using maker = parameter_maker<typename signature_of<Op>::arguments>;
  constexpr bool has_one_output = signature_of<Op>::output_count == 1 && maker::single_outputs == 1;
  if constexpr ((handle_traits<In>::is_list || ... || false)) {
    const flattened<Op> flat(in...);
    return outputs_of<Op, Ts...>(add_beside(table_of<Op, Ts...>, &op, flat.inputs(), flat.sizes(), s));
  } else if constexpr (has_one_output && sizeof...(In) > 0) {
    const any_out inputs[]{any_out(in)...};
    return output_handle<Op, 0, Ts...>{add_beside(table_of<Op, Ts...>, &op, inputs, {}, s), 0};
  } else {
    const std::array<any_out, sizeof...(In)> inputs{any_out(in)...};
    return outputs_of<Op, Ts...>(add_beside(table_of<Op, Ts...>, &op, {inputs.data(), inputs.size()}, {}, s));
  }
}
template <class Op, class... Ts, class... In> auto apply_typed(const site&, const Op&, unfit_types<Ts...>, const In&...) {
  return decltype(without_meaning(type_tag<decltype(outputs_of<Op, Ts...>(nullptr))>{}))();
}

// Like apply, for callers that have already checked that the inputs fit.
template <class Op, class... In> auto apply_deduced(const site& s, const Op& op, const In&... in) {
  return apply_typed(s, op, deduced_for<Op, In...>{}, in...);
}

template <class Op> concept op_struct = !std::is_same_v<Op, site>;

}  // namespace detail

// Each overload contains the check itself, so that the compiler prints as few lines as possible for a mistyped edge.

// Adds a node of an op to the graph of its inputs. Returns the outputs of the node: a handle, a list of handles, or a tuple of
// handles and lists.
template <detail::op_struct Op, class A> auto apply(const Op& op, const A& a, site s = {}) {
  static_assert(is_fit<fit_of<Op, A>>, "flowgraph: the op and its inputs do not fit; misfit<...> says why");
  return detail::apply_typed(s, op, detail::deduced_for<Op, A>{}, a);
}
template <detail::op_struct Op, class A, class B> auto apply(const Op& op, const A& a, const B& b, site s = {}) {
  static_assert(is_fit<fit_of<Op, A, B>>, "flowgraph: the op and its inputs do not fit; misfit<...> says why");
  return detail::apply_typed(s, op, detail::deduced_for<Op, A, B>{}, a, b);
}
template <detail::op_struct Op, class A, class B, class C>
auto apply(const Op& op, const A& a, const B& b, const C& c, site s = {}) {
  static_assert(is_fit<fit_of<Op, A, B, C>>, "flowgraph: the op and its inputs do not fit; misfit<...> says why");
  return detail::apply_typed(s, op, detail::deduced_for<Op, A, B, C>{}, a, b, c);
}
template <detail::op_struct Op, class A, class B, class C, class D>
auto apply(const Op& op, const A& a, const B& b, const C& c, const D& d, site s = {}) {
  static_assert(is_fit<fit_of<Op, A, B, C, D>>, "flowgraph: the op and its inputs do not fit; misfit<...> says why");
  return detail::apply_typed(s, op, detail::deduced_for<Op, A, B, C, D>{}, a, b, c, d);
}
// As above, for any number of inputs. The site is the first parameter.
template <detail::op_struct Op, class... In> auto apply(site s, const Op& op, const In&... in) {
  static_assert(is_fit<fit_of<Op, In...>>, "flowgraph: the op and its inputs do not fit; misfit<...> says why");
  return detail::apply_typed(s, op, detail::deduced_for<Op, In...>{}, in...);
}

// Like `apply`, but all type attributes are given as template arguments, in the order of the op's `types`.
template <class... Ts, class Op, class... In> auto apply_as(site s, const Op& op, const In&... in) {
  using types = type_list<Ts...>;
  static_assert(is_fit<fit_as<Op, types, In...>>, "flowgraph: the op and its inputs do not fit; misfit<...> says why");
  return detail::apply_typed(s, op, detail::given_for<Op, types, In...>{}, in...);
}
// Adds a node of an op without inputs.
template <class... Ts, class Op> auto apply_in(const graph& g, const Op& op, site s = {}) {
  using types = type_list<Ts...>;
  static_assert(is_fit<fit_as<Op, types>>, "flowgraph: the op and its element types do not fit; misfit<...> says why");
  if constexpr (is_fit<fit_as<Op, types>>)
    return detail::outputs_of<Op, Ts...>(detail::add_to<Op, Ts...>(g.state(), op, {}, {}, s));
  else return detail::apply_typed(s, op, detail::given_for<Op, types>{});
}

namespace detail {

template <class B, class A> concept other_than = !std::is_same_v<A, B>;

}  // namespace detail

// Operators do not mix element types. These overloads are chosen for operands of different types and give a short compiler error.
template <class A, detail::other_than<A> B> out<A> operator+(const out<A>&, const out<B>&) {
  static_assert(std::is_same_v<A, B>, "flowgraph: the operands have different element types");
  return {};
}
template <class A, detail::other_than<A> B> out<A> operator-(const out<A>&, const out<B>&) {
  static_assert(std::is_same_v<A, B>, "flowgraph: the operands have different element types");
  return {};
}
template <class A, detail::other_than<A> B> out<A> operator*(const out<A>&, const out<B>&) {
  static_assert(std::is_same_v<A, B>, "flowgraph: the operands have different element types");
  return {};
}
template <class A, detail::other_than<A> B> out<A> operator/(const out<A>&, const out<B>&) {
  static_assert(std::is_same_v<A, B>, "flowgraph: the operands have different element types");
  return {};
}
template <class A, detail::other_than<A> B> out<bool> operator<(const out<A>&, const out<B>&) {
  static_assert(std::is_same_v<A, B>, "flowgraph: the operands have different element types");
  return {};
}
template <class A, detail::other_than<A> B> out<bool> operator>(const out<A>&, const out<B>&) {
  static_assert(std::is_same_v<A, B>, "flowgraph: the operands have different element types");
  return {};
}
template <class A, detail::other_than<A> B> out<bool> operator<=(const out<A>&, const out<B>&) {
  static_assert(std::is_same_v<A, B>, "flowgraph: the operands have different element types");
  return {};
}
template <class A, detail::other_than<A> B> out<bool> operator>=(const out<A>&, const out<B>&) {
  static_assert(std::is_same_v<A, B>, "flowgraph: the operands have different element types");
  return {};
}

}  // namespace flowgraph
