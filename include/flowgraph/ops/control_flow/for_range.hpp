#pragma once
// A loop over a range of numbers.
//
//     auto sum = fg::for_range(0, n, g.constant(0.f), [&](auto i, auto sum) { return sum + fg::cast<float>(i); });

#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/operators.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The elements of a tuple as separate arguments.
template <class State> auto parts_of(const State& state) {
  if constexpr (requires { std::tuple_size<State>::value; }) return state;
  else return std::tuple<State>(state);
}

template <class T, class State, class Body>
carried_type<State> build_range(const out<T>& first, const out<T>& last, const State& initial, Body& body,
                                const while_options& o) {
  const auto result = while_loop(
      std::tuple_cat(std::tuple<out<T>>(first), std::tuple<State>(initial)),
      [&](const out<T>& i, const auto&) {
        return less<T>(i, last, {{}, o.location});
      },
      [&](const out<T>& i, const auto& state) {
        auto next = std::apply([&](const auto&... part) { return body(i, part...); }, parts_of(state));
        const out<T> one = constant_beside(i, tensor<T>(T(1)), {{}, o.location});
        return std::tuple<out<T>, decltype(next)>(apply(add_v2_op{}, i, one, site{{}, o.location}), std::move(next));
      },
      o);
  return std::get<1>(result);
}

}  // namespace detail

// Loops over a range of numbers: state = body(i, state...) for i = first, first + 1, ... while i < last. One of the two limits
// may be a plain number. The option `shapes` contains the shapes of the state.
template <class T, detail::carried_handles State, class Body>
detail::carried_type<State> for_range(std::type_identity_t<operand<T>> first, const out<T>& last, const State& initial,
                                      Body&& body, while_options o = {}) {
  if (!o.shapes.empty()) o.shapes.insert(o.shapes.begin(), shape{});
  if (o.name.empty()) o.name = "for";
  const operand<T> beside(last, o.location);
  first.location = o.location;
  return detail::build_range(detail::handle_of(first, beside, "first"), last, initial, body, o);
}
template <class T, detail::carried_handles State, class Body>
detail::carried_type<State> for_range(const out<T>& first, std::type_identity_t<T> last, const State& initial, Body&& body,
                                      while_options o = {}) {
  return for_range<T>(first, detail::constant_beside(first, tensor<T>(last), {"last", o.location}), initial, body, std::move(o));
}

}  // namespace flowgraph
