#pragma once
// The parts that loops and branches share: code that converts between the caller's handles and a flat list of handles, and code
// that makes the nodes and is independent of types.

#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/graph.hpp>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of a loop.
struct while_options {
  std::string_view name = {};                        // the name of the loop; empty: `while`
  std::int64_t parallel_iterations = 10;             // the largest number of iterations that may overlap
  std::optional<std::int64_t> maximum_iterations{};  // the largest number of iterations; empty: no limit
  // The shapes of all loop variables, in order, if iterations may change the shapes. fg::any is an extent that changes; if the
  // rank changes, the shape is shape::unknown(). If empty, each variable keeps its initial shape.
  std::vector<shape> shapes = {};
  bool back_prop = true;     // false: no gradient passes through the loop, as if its results were constants
  bool swap_memory = false;  // without effect: values for gradients are always in the host's memory
  std::source_location location = std::source_location::current();  // the line that the loop's nodes belong to
};

namespace detail {

// ---- Handles in the caller's form: a handle, a list of handles, or a tuple of handles and lists.

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
    out_list<T> outputs;
    for (const out<T>& one : like) outputs.push_back(carried_form<out<T>>::rebuild(one, at));
    return outputs;
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
// True if a function returned the expected types. A variable counts as the handle of its value.
template <class H, class Expected> constexpr bool is_carried_as() {
  if constexpr (carried_handles<H>) return std::is_same_v<carried_type<H>, Expected>;
  else return false;
}

template <class H> any_out_list flat(const H& handles) {
  any_out_list outputs;
  carried_form<H>::flatten(handles, outputs);
  return outputs;
}
// Returns the handles of `from`, in order, in the form of `like`.
template <class H> auto in_form_of(const H& like, const any_out_list& from) {
  const any_out* at = from.data();
  return carried_form<H>::rebuild(like, at);
}
template <class H, class F> decltype(auto) call_with(F& f, const H& handles) {
  if constexpr (requires { std::tuple_size<H>::value; }) return std::apply(f, handles);
  else return f(handles);
}

// ---- The nodes.

// The caller's functions, which add nodes to the graph. Each is called once, in this order.
class loop_parts {
public:
  virtual any_out condition(const any_out_list& variables) = 0;
  virtual any_out_list body(const any_out_list& variables) = 0;

protected:
  ~loop_parts() = default;
};
// Adds a loop and returns the final values of its variables.
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
// Adds several branches. The branch with number `index` runs, or the last branch if there is no such number.
built_branches build_case(any_out index, std::span<branch_parts* const> branches, const site& s);

}  // namespace detail

}  // namespace flowgraph
