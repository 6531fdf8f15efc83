#pragma once
// Inputs and outputs of a run: feeds, fetches, and the results of typed fetches.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/graph/handle.hpp>

#include <array>
#include <string>
#include <string_view>
#include <tuple>

namespace flowgraph::inline FLOWGRAPH_ABI {

// An edge, given by its handle or by its name "scope/op:1", and the tensor that replaces its value.
struct fed {
  any_out where;          // the edge, if it is given by a handle
  any_tensor value;       // the tensor
  std::string name = {};  // name of the edge, if it is not given by a handle

  template <class T> fed(const out<T>& edge, const std::type_identity_t<tensor<T>>& t) : where(edge), value(t.erased()) {}
  template <class T> fed(const out<T>& edge, std::type_identity_t<tensor<T>>&& t) : where(edge), value(std::move(t).erased()) {}
  fed(any_out edge, any_tensor t) : where(edge), value(std::move(t)) {}
  template <class Name, class T>
    requires std::is_convertible_v<const Name&, std::string_view>
  fed(const Name& edge, const tensor<T>& t) : value(t.erased()), name(std::string_view(edge)) {}
  template <class Name>
    requires std::is_convertible_v<const Name&, std::string_view>
  fed(const Name& edge, any_tensor t) : value(std::move(t)), name(std::string_view(edge)) {}
  // This overload is chosen for a tensor whose element type differs from that of the edge. It gives a short compiler error.
  template <class T, class U>
    requires(!std::is_same_v<T, U>) fed(const out<T>& edge, const tensor<U>&) : where(edge) {
    static_assert(std::is_same_v<tensor<U>, tensor<T>>, "flowgraph: an edge is fed a tensor of another element type");
  }
};

// A typed list of the edges to feed: fg::feed(x, t).
template <class... T> struct feed_list {
  std::array<any_out, sizeof...(T)> edges;  // the edges to feed
};
// A typed list of the edges to fetch: fg::fetch(loss, p).
template <class... T> struct fetch_list {
  std::array<any_out, sizeof...(T)> edges;  // the edges to fetch
};
// Lists the edges that are fed to a prepared step, in the order of the step's arguments.
template <class... T> feed_list<T...> feed(const out<T>&... edges) { return {{any_out(edges)...}}; }
// Lists the edges whose tensors a run or a prepared step returns, in this order.
template <class... T> fetch_list<T...> fetch(out<T>... edges) { return {{any_out(edges)...}}; }

// A list of edges that is known only at run time. A run returns a std::vector of their tensors. T is any_tensor if the edges have
// different types.
template <class T> struct fetch_vector {
  any_out_list edges;  // the edges to fetch
};
// Lists the edges to fetch, from a std::vector, std::array or std::span of handles, variables or gradients.
template <detail::handles List> auto fetch(const List& list) {
  using handle = typename List::value_type;
  if constexpr (detail::typed_handles<List>) return fetch_vector<typename handle::element_type>{{list.begin(), list.end()}};
  else return fetch_vector<any_tensor>{{list.begin(), list.end()}};
}

// An edge, given by its handle or by its name "scope/op:1".
struct edge_or_name {
  any_out edge;      // the edge, if it is given by a handle
  std::string name;  // its name, otherwise

  edge_or_name(any_out e) : edge(e) {}
  template <class T> edge_or_name(const out<T>& e) : edge(e) {}
  template <class Name>
    requires std::is_convertible_v<const Name&, std::string_view> edge_or_name(const Name& n) : name(std::string_view(n)) {}
};
// A node to run, given by a handle or by its name.
struct target_or_name {
  target node;       // the node, if it is given by a handle
  std::string name;  // its name, otherwise

  template <class Target>
    requires std::is_convertible_v<const Target&, target> target_or_name(const Target& t) : node(t) {}
  template <class Name>
    requires std::is_convertible_v<const Name&, std::string_view> target_or_name(const Name& n) : name(std::string_view(n)) {}
};

// Typed lists of edges that are given by name: fg::feed<float>("x:0"), fg::fetch<float, std::int32_t>("loss", "count:0"). Names
// are looked up and types are checked when the list is prepared or run.
template <class... T> struct named_feed_list {
  std::array<edge_or_name, sizeof...(T)> edges;  // the edges to feed
};
// Edges to fetch by name, with their expected element types.
template <class... T> struct named_fetch_list {
  std::array<edge_or_name, sizeof...(T)> edges;  // the edges to fetch
};

namespace detail {

template <class T> struct edge_for {
  using type = edge_or_name;
};

template <class... Edges> inline constexpr bool are_typed = false;

// The element types of a typed list.
template <class... T> [[gnu::visibility("hidden")]] inline constexpr std::array<dtype, sizeof...(T)> listed_types{dtype_of<T>...};

}  // namespace detail

template <class... T>
  requires(sizeof...(T) > 0) named_feed_list<T...> feed(const typename detail::edge_for<T>::type&... edges) {
  return {{edges...}};
}
template <class... T>
  requires(sizeof...(T) > 0) named_fetch_list<T...> fetch(const typename detail::edge_for<T>::type&... edges) {
  return {{edges...}};
}

// These overloads are chosen for handles and names without a known type. They give a short compiler error.
template <class... Edges>
  requires((std::is_same_v<Edges, any_out> || std::is_convertible_v<const Edges&, std::string_view>) || ...)
feed_list<> feed(const Edges&...) {
  static_assert(detail::are_typed<Edges...>, "flowgraph: the element types are not known: write fg::feed<float>(edge, ...)");
  return {};
}
template <class... Edges>
  requires((std::is_same_v<Edges, any_out> || std::is_convertible_v<const Edges&, std::string_view>) || ...)
fetch_list<> fetch(const Edges&...) {
  static_assert(detail::are_typed<Edges...>, "flowgraph: the element types are not known: write fg::fetch<float>(edge, ...)");
  return {};
}

// The result of one fetch: a tensor, which `auto [t] = ...` can also unpack.
template <class T> struct fetched : tensor<T> {
  fetched() = default;
  fetched(tensor<T> t) : tensor<T>(std::move(t)) {}
};

namespace detail {

template <class... T> struct results_of {
  using type = std::tuple<tensor<T>...>;
};
template <class T> struct results_of<T> {
  using type = fetched<T>;
};

// Precondition: the tensors have these types. Plans compare the types of typed lists with those of the fetched edges.
template <class... T> typename results_of<T...>::type typed_results(std::span<any_tensor> erased) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return typename results_of<T...>::type{*tensor<T>::from(std::move(erased[I]))...};
  }(std::index_sequence_for<T...>{});
}

}  // namespace detail

template <class... T> using results = typename detail::results_of<T...>::type;
// The tensors of a list of fetches.
template <class T> using listed_results = std::vector<std::conditional_t<std::is_same_v<T, any_tensor>, any_tensor, tensor<T>>>;

template <std::size_t I, class T> tensor<T> get(const fetched<T>& f) {
  static_assert(I == 0);
  return f;
}

}  // namespace flowgraph

template <class T> struct std::tuple_size<flowgraph::fetched<T>> : std::integral_constant<std::size_t, 1> {};
template <class T> struct std::tuple_element<0, flowgraph::fetched<T>> {
  using type = flowgraph::tensor<T>;
};
