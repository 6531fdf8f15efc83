#pragma once
// Reductions of the rows of tensors with a function, from the first row to the last or from the last to the first.
//
//     auto longest = fg::foldl([](auto best, auto row) { return fg::maximum(best, fg::sum(row)); }, x, g.constant(0.f));

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/control_flow/for_range.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns row `i` of each tensor.
template <class T> out<T> rows_of(const out<T>& x, const out<std::int32_t>& i, const site& s) { return gather(x, i, 0, s); }
template <class T> out_list<T> rows_of(const out_list<T>& list, const out<std::int32_t>& i, const site& s) {
  out_list<T> made;
  for (const out<T>& x : list) made.push_back(rows_of(x, i, s));
  return made;
}
template <class... H> auto rows_of(const std::tuple<H...>& all, const out<std::int32_t>& i, const site& s) {
  return std::apply([&](const auto&... x) { return std::tuple{rows_of(x, i, s)...}; }, all);
}

template <class T> out<std::int32_t> row_count(const out<T>& x, const site& s) { return extent_of(x, 0, s); }
template <class T> out<std::int32_t> row_count(const out_list<T>& list, const site& s) { return row_count(list.at(0), s); }
template <class H, class... Rest> out<std::int32_t> row_count(const std::tuple<H, Rest...>& all, const site& s) {
  return row_count(std::get<0>(all), s);
}

// Computes state = f(state, row) for the iterations `first`, `first` + 1, ...; `row_at` maps an iteration to its row.
template <class F, class Elements, class State, class RowAt>
carried_type<State> fold(F& f, const Elements& rows, const out<std::int32_t>& count, const State& initial, std::int32_t first,
                         RowAt&& row_at, const while_options& o) {
  return for_range(
      first, count, initial,
      [&](const out<std::int32_t>& i, const auto&... part) {
        const auto row = rows_of(rows, row_at(i), {{}, o.location});
        if constexpr (requires { std::tuple_size<State>::value; }) return f(carried_type<State>(part...), row);
        else return f(part..., row);
      },
      o);
}
template <class F, class Elements, class State>
carried_type<State> fold_from_last(F& f, const Elements& rows, const out<std::int32_t>& count, const State& initial,
                                   std::int32_t first, const while_options& o) {
  const site here{{}, o.location};
  const out<std::int32_t> last = apply(sub_op{}, count, constant_beside(count, tensor<std::int32_t>(1), here), here);
  return fold(
      f, rows, count, initial, first, [&](const out<std::int32_t>& i) { return apply(sub_op{}, last, i, here); }, o);
}

}  // namespace detail

// Folds rows from the first to the last: f(... f(f(initial, row 0), row 1) ..., last row). The rows are those of a tensor, or of
// a list or tuple of tensors with the same number of rows. `f` takes and returns the state in the same form as `initial`. Without
// `initial`, the first row is the initial state, and there must be at least one row.
template <class F, detail::carried_handles Elements, detail::carried_handles State>
detail::carried_type<State> foldl(F&& f, const Elements& rows, const State& initial, while_options o = {}) {
  const detail::carried_type<Elements> values(rows);
  if (o.name.empty()) o.name = "foldl";
  const auto count = detail::row_count(values, {{}, o.location});
  return detail::fold(
      f, values, count, initial, 0, [](const auto& i) { return i; }, o);
}
template <class F, detail::carried_handles Elements>
detail::carried_type<Elements> foldl(F&& f, const Elements& rows, while_options o = {}) {
  const detail::carried_type<Elements> values(rows);
  const site here{{}, o.location};
  if (o.name.empty()) o.name = "foldl";
  const out<std::int32_t> count = detail::row_count(values, here);
  const auto first = detail::rows_of(values, detail::constant_beside(count, tensor<std::int32_t>(0), here), here);
  return detail::fold(
      f, values, count, first, 1, [](const auto& i) { return i; }, o);
}

// Folds rows from the last to the first: f(... f(f(initial, last row), ...) ..., row 0).
template <class F, detail::carried_handles Elements, detail::carried_handles State>
detail::carried_type<State> foldr(F&& f, const Elements& rows, const State& initial, while_options o = {}) {
  const detail::carried_type<Elements> values(rows);
  if (o.name.empty()) o.name = "foldr";
  return detail::fold_from_last(f, values, detail::row_count(values, {{}, o.location}), initial, 0, o);
}
template <class F, detail::carried_handles Elements>
detail::carried_type<Elements> foldr(F&& f, const Elements& rows, while_options o = {}) {
  const detail::carried_type<Elements> values(rows);
  const site here{{}, o.location};
  if (o.name.empty()) o.name = "foldr";
  const out<std::int32_t> count = detail::row_count(values, here);
  const auto last = apply(sub_op{}, count, detail::constant_beside(count, tensor<std::int32_t>(1), here), here);
  return detail::fold_from_last(f, values, count, detail::rows_of(values, last, here), 1, o);
}

}  // namespace flowgraph
