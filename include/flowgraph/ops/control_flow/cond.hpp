#pragma once
// Branches: of several functions that build nodes, those of one run.
//
//     auto r = fg::cond(p, [&] { return x * 2.f; }, [&] { return x + 1.f; });
//     auto t = fg::case_of(i, [&] { return a; }, [&] { return b; }, [&] { return c; });
//
// What a branch takes from outside is computed in any case. What it does besides giving its values, such as assigning to a
// variable, happens when it is taken. Without values the whole gives a target.

#include <flowgraph/ops/control_flow/body.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

template <class F> using branch_result = std::remove_cvref_t<std::invoke_result_t<F&>>;

// What branches give: void stands for a target too.
template <class R> inline constexpr bool gives_nothing = std::is_void_v<R> || std::is_same_v<R, target>;
template <class R> struct branch_type {
  struct type {};  // no handles
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

template <class F> auto branches_as(const typed_branch<F>& first, const built_branches& made) {
  if constexpr (gives_nothing<branch_result<F>>) return made.done;
  else return first.like ? in_form_of(*first.like, made.results) : branch_value<F>();
}

// True when all branches give handles of the same types, or all of them none.
template <class First, class... Rest>
inline constexpr bool is_one_type = (std::is_same_v<branch_value<First>, branch_value<Rest>> && ...) &&
                                    (gives_nothing<branch_result<First>> || carried_handles<branch_result<First>>);

}  // namespace detail

// Runs the first function's nodes when the predicate is true, the second's when it is false, and gives what they return.
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

// The branch number `index`; the last one where there is no such. The site comes first, if at all.
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

// A handle, and where it was given.
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

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/control_flow/impl/cond.hpp>
#endif
