#pragma once
// What loops and branches share: the handles that go in and come out, as the caller wrote them and side by side, and the making
// of the nodes, which knows no types.

#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/graph.hpp>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// How a loop runs; where it was written.
struct while_options {
  std::string_view name = {};                        // empty: "while"
  std::int64_t parallel_iterations = 10;             // that may overlap at most
  std::optional<std::int64_t> maximum_iterations{};  // the loop ends then whatever its condition says
  // Shapes of the variables, in their order, where iterations may change them: fg::any for an extent, shape::unknown() for all.
  // Empty: each variable keeps the shape that it enters with.
  std::vector<shape> shapes = {};
  bool back_prop = true;     // false: gradients end at the loop, as if its results were constants
  bool swap_memory = false;  // TensorFlow moves what gradients need to the host's memory; here it is there
  std::source_location location = std::source_location::current();
};

namespace detail {

// ---- handles in the caller's form: a handle, a list of them, or a tuple of both

template <class H> struct carried_form {
  static constexpr bool exists = false;
};
template <class T> struct carried_form<out<T>> {
  static constexpr bool exists = true;
  using type = out<T>;
  static void flatten(out<T> from, any_out_list& to) { to.push_back(from); }
  static out<T> rebuild(const out<T>&, const any_out*& at) {
    const any_out o = *at++;
    return {o.source, o.port};
  }
};
template <class T> struct carried_form<variable<T>> : carried_form<out<T>> {};
template <class T> struct carried_form<grad<T>> : carried_form<out<T>> {};
template <class T> struct carried_form<out_list<T>> {
  static constexpr bool exists = true;
  using type = out_list<T>;
  static void flatten(const out_list<T>& from, any_out_list& to) { to.insert(to.end(), from.begin(), from.end()); }
  static out_list<T> rebuild(const out_list<T>& like, const any_out*& at) {
    out_list<T> made;
    for (const out<T>& one : like) made.push_back(carried_form<out<T>>::rebuild(one, at));
    return made;
  }
};
template <class... H>
  requires(carried_form<H>::exists && ...) struct carried_form<std::tuple<H...>> {
  static constexpr bool exists = true;
  using type = std::tuple<typename carried_form<H>::type...>;
  static void flatten(const std::tuple<H...>& from, any_out_list& to) {
    std::apply([&](const H&... h) { (carried_form<H>::flatten(h, to), ...); }, from);
  }
  static type rebuild(const std::tuple<H...>& like, [[maybe_unused]] const any_out*& at) {
    return std::apply([&](const H&... h) { return type{carried_form<H>::rebuild(h, at)...}; }, like);
  }
};

template <class H> concept carried_handles = carried_form<std::remove_cvref_t<H>>::exists;
template <class H> using carried_type = typename carried_form<std::remove_cvref_t<H>>::type;
// What a function gives is what is expected, but for variables, which stand for their values.
template <class H, class Expected> constexpr bool is_carried_as() {
  if constexpr (carried_handles<H>) return std::is_same_v<carried_type<H>, Expected>;
  else return false;
}

template <class H> any_out_list flat(const H& handles) {
  any_out_list made;
  carried_form<H>::flatten(handles, made);
  return made;
}
// Handles as in `like`, one after the other from `from`.
template <class H> auto in_form_of(const H& like, const any_out_list& from) {
  const any_out* at = from.data();
  return carried_form<H>::rebuild(like, at);
}
template <class H, class F> decltype(auto) call_with(F& f, const H& handles) {
  if constexpr (requires { std::tuple_size<H>::value; }) return std::apply(f, handles);
  else return f(handles);
}

// ---- the nodes

// What the caller's functions add to the graph, called once each, in this order.
class loop_parts {
public:
  virtual any_out condition(const any_out_list& variables) = 0;
  virtual any_out_list body(const any_out_list& variables) = 0;

protected:
  ~loop_parts() = default;
};
// The values of the variables when the loop has ended.
any_out_list build_while(const any_out_list& initial, loop_parts& parts, const while_options& o);

class branch_parts {
public:
  virtual any_out_list build() = 0;

protected:
  ~branch_parts() = default;
};
struct built_branches {
  any_out_list results;
  target done;  // runs after the branch that was taken
};
built_branches build_cond(any_out predicate, branch_parts& when_true, branch_parts& when_false, const site& s);
// One of several; the last one when there is no such.
built_branches build_case(any_out index, std::span<branch_parts* const> branches, const site& s);

}  // namespace detail

}
}  // namespace flowgraph
