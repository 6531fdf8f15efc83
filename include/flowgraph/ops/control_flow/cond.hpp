#pragma once
// Branches: several functions add nodes to the graph, and a run executes the nodes of one of them.
//
//     auto r = fg::cond(p, [&] { return x * 2.f; }, [&] { return x + 1.f; });
//     auto t = fg::case_of(i, [&] { return a; }, [&] { return b; }, [&] { return c; });
//
// Nodes outside the branches are computed in any case, even if only a branch reads them. Side effects of a branch, such as the
// assignment of a variable, happen only if the branch is taken. If the branches return no values, the result is a target.

#include <flowgraph/ops/control_flow/body.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class F> using branch_result = std::remove_cvref_t<std::invoke_result_t<F&>>;

// True if a branch returns no values. It may return void or a target.
template <class R> inline constexpr bool gives_nothing = std::is_void_v<R> || std::is_same_v<R, target>;
template <class R> struct branch_type {
  struct type {};  // the function returns something other than handles
};
template <class R>
  requires gives_nothing<R> struct branch_type<R> {
  using type = target;
};
template <carried_handles R> struct branch_type<R> {
  using type = carried_type<R>;
};
template <class F> using branch_value = typename branch_type<branch_result<F>>::type;

template <class F> class typed_branch final : public branch_parts {
public:
  explicit typed_branch(F& f) : f_(f) {}

  any_out_list build() override {
    using result = branch_result<F>;
    if constexpr (std::is_void_v<result>) {
      f_();
      return {};
    } else if constexpr (std::is_same_v<result, target>) {
      const target last = f_();
      if (last.source) note_effect(*last.source->graph, last.source, effect::changes);
      return {};
    } else {
      like.emplace(f_());
      return flat(*like);
    }
  }
  std::optional<std::conditional_t<gives_nothing<branch_result<F>>, target, branch_result<F>>> like;

private:
  F& f_;
};

template <class F> auto branches_as(const typed_branch<F>& first, const built_branches& result) {
  if constexpr (gives_nothing<branch_result<F>>) return result.done;
  else return first.like ? in_form_of(*first.like, result.results) : branch_value<F>();
}

// True if all branches return handles of the same types, or if none returns values.
template <class First, class... Rest>
inline constexpr bool is_one_type = (std::is_same_v<branch_value<First>, branch_value<Rest>> && ...) &&
                                    (gives_nothing<branch_result<First>> || carried_handles<branch_result<First>>);

}  // namespace detail

// Runs the nodes of the first function if the predicate is true, otherwise those of the second, and returns the values of the
// branch that ran.
template <class Then, class Else> auto cond(const out<bool>& predicate, Then&& when_true, Else&& when_false, site s = {}) {
  constexpr bool fits = detail::is_one_type<Then, Else>;
  static_assert(fits, "flowgraph: the branches of a cond return different element types, or no handles");
  if constexpr (fits) {
    detail::typed_branch<std::remove_reference_t<Then>> yes(when_true);
    detail::typed_branch<std::remove_reference_t<Else>> no(when_false);
    return detail::branches_as(yes, detail::build_cond(predicate, yes, no, s));
  } else {
    return detail::branch_value<Then>();
  }
}

// Runs the nodes of branch number `index` and returns the values of this branch. If there is no such branch, runs the last
// branch. The first argument may be a site.
template <class... Branches> auto case_of(site s, const out<std::int32_t>& index, Branches&&... branches) {
  constexpr bool fits = detail::is_one_type<Branches...>;
  static_assert(fits, "flowgraph: the branches of a case_of return different element types, or no handles");
  if constexpr (fits) {
    std::tuple<detail::typed_branch<std::remove_reference_t<Branches>>...> parts(branches...);
    return std::apply(
        [&](auto&... part) {
          detail::branch_parts* const all[]{&part...};
          return detail::branches_as(std::get<0>(parts), detail::build_case(index, all, s));
        },
        parts);
  } else {
    return detail::branch_value<std::tuple_element_t<0, std::tuple<Branches...>>>();
  }
}
namespace detail {

// A handle, and the source location of the call that it was passed to.
struct located_index {
  out<std::int32_t> handle;
  std::source_location location;
  located_index(out<std::int32_t> h, std::source_location l = std::source_location::current()) : handle(h), location(l) {}
  located_index(variable<std::int32_t> h, std::source_location l = std::source_location::current()) : handle(h), location(l) {}
};

}  // namespace detail

template <class... Branches> auto case_of(const detail::located_index& index, Branches&&... branches) {
  return case_of(site{{}, index.location}, index.handle, std::forward<Branches>(branches)...);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/control_flow/impl/cond.hpp>
#endif
