#pragma once
// What goes into a run and what comes out: feeds, fetches, and the results of typed fetches.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/graph/handle.hpp>

#include <array>
#include <string>
#include <tuple>

namespace flowgraph::inline FLOWGRAPH_ABI {

// One edge and the tensor that takes its place.
struct fed {
  any_out where;
  any_tensor value;

  template <class T>
  fed(const out<T>& edge, const std::type_identity_t<tensor<T>>& t) : where(edge), value(t.erased()) {}
  template <class T>
  fed(const out<T>& edge, std::type_identity_t<tensor<T>>&& t) : where(edge), value(std::move(t).erased()) {}
  fed(any_out edge, any_tensor t) : where(edge), value(std::move(t)) {}
  // Chosen for a tensor of another element type, to say so in few lines.
  template <class T, class U>
    requires(!std::is_same_v<T, U>)
  fed(const out<T>& edge, const tensor<U>&) : where(edge) {
    static_assert(std::is_same_v<tensor<U>, tensor<T>>, "flowgraph: an edge is fed a tensor of another element type");
  }
};

// Typed lists of edges: fg::feed(x, t), fg::fetch(loss, p).
template <class... T>
struct feed_list {
  std::array<any_out, sizeof...(T)> edges;
};
// The edges that `fetch` names.
template <class... T>
struct fetch_list {
  std::array<any_out, sizeof...(T)> edges;
};
// The edges that a prepared step is fed, in the order of its arguments.
template <class... T>
feed_list<T...> feed(const out<T>&... edges) {
  return {{any_out(edges)...}};
}
// The edges whose tensors a run or a prepared step gives back, in their order.
template <class... T>
fetch_list<T...> fetch(const out<T>&... edges) {
  return {{any_out(edges)...}};
}

// One fetch: a tensor, which `auto [t] = ...` can unpack as well.
template <class T>
struct fetched : tensor<T> {
  fetched() = default;
  fetched(tensor<T> t) : tensor<T>(std::move(t)) {}
};

namespace detail {

template <class... T>
struct results_of {
  using type = std::tuple<tensor<T>...>;
};
template <class T>
struct results_of<T> {
  using type = fetched<T>;
};

// Precondition: the tensors have these types, as the edges they were fetched from do.
template <class... T>
typename results_of<T...>::type typed_results(std::span<any_tensor> erased) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return typename results_of<T...>::type{*tensor<T>::from(std::move(erased[I]))...};
  }(std::index_sequence_for<T...>{});
}

}  // namespace detail

template <class... T>
using results = typename detail::results_of<T...>::type;

template <std::size_t I, class T>
tensor<T> get(const fetched<T>& f) {
  static_assert(I == 0);
  return f;
}

}  // namespace flowgraph

template <class T>
struct std::tuple_size<flowgraph::fetched<T>> : std::integral_constant<std::size_t, 1> {};
template <class T>
struct std::tuple_element<0, flowgraph::fetched<T>> {
  using type = flowgraph::tensor<T>;
};
