#pragma once
// A loop inside the graph.
//
//     auto [i, a] = fg::while_loop(std::tuple{zero, a0}, [&](auto i, auto)   { return i < n; },
//                                                        [&](auto i, auto a) { return std::tuple{i + 1, fg::matmul(a, w)}; });
//
// Each function is called once, with handles of the loop variables. Handles of nodes outside the loop have the same value in all
// iterations. Side effects of the body, such as the assignment of a variable, happen in every iteration, in order. See
// docs/control_flow.md.

#include <flowgraph/ops/control_flow/body.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class State, class Condition, class Body> class typed_loop final : public loop_parts {
public:
  typed_loop(const State& like, Condition& condition, Body& body) : like_(like), condition_(condition), body_(body) {}

  any_out condition(const any_out_list& variables) override { return call_with(condition_, in_form_of(like_, variables)); }
  any_out_list body(const any_out_list& variables) override { return flat(call_with(body_, in_form_of(like_, variables))); }

private:
  const State& like_;
  Condition& condition_;
  Body& body_;
};

// The type that the caller's function returns for the variables of an iteration.
template <class F, class State>
using answer_to = std::remove_cvref_t<decltype(call_with(std::declval<F&>(), std::declval<const carried_type<State>&>()))>;

}  // namespace detail

// Repeats `body` while `condition` is true, and returns the final values of the loop variables. `initial` is a handle, a list of
// handles, or a tuple of both. The functions take and return values of the same form; the elements of a tuple are passed as
// separate arguments.
template <class State, class Condition, class Body>
auto while_loop(const State& initial, Condition&& condition, Body&& body, const while_options& o = {}) {
  constexpr bool begins = detail::carried_form<State>::exists;
  static_assert(begins, "flowgraph: a while_loop begins with a handle, a list of them, or a tuple of both");
  if constexpr (!begins) {
    return initial;
  } else {
    using values = detail::carried_type<State>;
    constexpr bool asks = detail::is_carried_as<detail::answer_to<Condition, State>, out<bool>>();
    constexpr bool fits = detail::is_carried_as<detail::answer_to<Body, State>, values>();
    static_assert(asks, "flowgraph: the condition of a while_loop is an out<bool>");
    static_assert(fits, "flowgraph: the body of a while_loop returns other element types than it is given");
    if constexpr (asks && fits) {
      detail::typed_loop<State, Condition, Body> parts(initial, condition, body);
      return detail::in_form_of(initial, detail::build_while(detail::flat(initial), parts, o));
    } else {
      return values();
    }
  }
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/control_flow/impl/while_loop.hpp>
#endif
