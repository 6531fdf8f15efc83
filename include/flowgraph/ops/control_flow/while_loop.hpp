#pragma once
// A loop inside of the graph.
//
//     auto [i, a] = fg::while_loop(std::tuple{zero, a0}, [&](auto i, auto)   { return i < n; },
//                                                        [&](auto i, auto a) { return std::tuple{i + 1, fg::matmul(a, w)}; });
//
// The functions are called once, with the values of an iteration; what they take from outside is the same in all of them. What a body
// does besides, such as assigning to a variable, happens in every iteration, one after the other. See docs/control_flow.md.

#include <flowgraph/ops/control_flow/body.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class State, class Condition, class Body>
class typed_loop final : public loop_parts {
public:
  typed_loop(const State& like, Condition& condition, Body& body) : like_(like), condition_(condition), body_(body) {}

  any_out condition(const any_out_list& variables) override {
    const carried_type<State> values = in_form_of(like_, variables);
    using answer = std::remove_cvref_t<decltype(call_with(condition_, values))>;
    constexpr bool is_bool = is_carried_as<answer, out<bool>>();
    static_assert(is_bool, "flowgraph: the condition of a while_loop is an out<bool>");
    if constexpr (is_bool) return call_with(condition_, values);
    else return {};
  }
  any_out_list body(const any_out_list& variables) override {
    const carried_type<State> values = in_form_of(like_, variables);
    using next = std::remove_cvref_t<decltype(call_with(body_, values))>;
    constexpr bool fits = is_carried_as<next, carried_type<State>>();
    static_assert(fits, "flowgraph: the body of a while_loop returns other element types than it is given");
    if constexpr (fits) return flat(call_with(body_, values));
    else return {};
  }

private:
  const State& like_;
  Condition& condition_;
  Body& body_;
};

}  // namespace detail

// `initial` is a handle, a list of them or a tuple of both; the functions take and return the same, a tuple's parts one by one.
template <detail::carried_handles State, class Condition, class Body>
detail::carried_type<State> while_loop(const State& initial, Condition&& condition, Body&& body, const while_options& o = {}) {
  detail::typed_loop<State, Condition, Body> parts(initial, condition, body);
  return detail::in_form_of(initial, detail::build_while(detail::flat(initial), parts, o));
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/impl/while_loop.hpp>
#endif
