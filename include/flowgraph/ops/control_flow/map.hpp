#pragma once
// Functions that are applied to the rows of tensors: to each row by itself, or to each row and the result of the previous row.
//
//     auto squares = fg::map_fn([](auto row) { return row * row; }, x);
//     auto sums = fg::scan([](auto total, auto row) { return total + row; }, x, g.constant(0.f));      // all partial sums

#include <flowgraph/ops/control_flow/fold.hpp>
#include <flowgraph/ops/data_flow/tensor_array.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> std::tuple<out<T>> as_tuple(const out<T>& x) { return {x}; }
template <class... T> std::tuple<out<T>...> as_tuple(const std::tuple<out<T>...>& x) { return x; }
template <class R> concept row_handles = requires(const R& r) { as_tuple(r); };

// Collects the rows of results: a tensor array for each handle.
template <class Handles> class collected_rows;
template <class... T> class collected_rows<std::tuple<out<T>...>> {
public:
  collected_rows(const out<std::int32_t>& count, const site& s) : arrays_(tensor_array<T>(count, {}, s)...), site_(s) {}

  out_list<float> flows() const {
    return std::apply([](const auto&... array) { return out_list<float>{array.flow...}; }, arrays_);
  }
  // Writes a row of results. It is called in the body of the loop, where the arrays are represented by their flows.
  out_list<float> written(const out<std::int32_t>& i, const std::tuple<out<T>...>& row, const out_list<float>& flows) {
    return each(flows, [&]<std::size_t K>(auto& array, const out<float>& flow, std::integral_constant<std::size_t, K>) {
      array.element_shape = std::get<K>(row).shape();
      return with(array, flow).write(i, std::get<K>(row), site_).flow;
    });
  }
  std::tuple<out<T>...> stacked(const out_list<float>& flows) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple<out<T>...>{with(std::get<K>(arrays_), flows[K]).stack(site_)...};
    }(std::index_sequence_for<T...>());
  }

private:
  template <class U> static tensor_array<U> with(tensor_array<U> array, const out<float>& flow) {
    array.flow = flow;
    return array;
  }
  template <class F> out_list<float> each(const out_list<float>& flows, F&& f) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return out_list<float>{f(std::get<K>(arrays_), flows[K], std::integral_constant<std::size_t, K>())...};
    }(std::index_sequence_for<T...>());
  }

  std::tuple<tensor_array<T>...> arrays_;
  site site_;
};

template <class Result, class... T> Result in_form_of_rows(const std::tuple<out<T>...>& result) {
  if constexpr (std::is_same_v<Result, std::tuple<out<T>...>>) return result;
  else return std::get<0>(result);
}

}  // namespace detail

// Calls a function for each row and stacks its results. `f` returns a handle or a tuple of handles, and the result has the same
// form. Iterations are independent: the option `parallel_iterations` is the largest number of iterations that run at the same
// time.
template <class F, detail::carried_handles Elements> auto map_fn(F&& f, const Elements& rows, while_options o = {}) {
  const detail::carried_type<Elements> values(rows);
  const site here{{}, o.location};
  using result = std::remove_cvref_t<decltype(f(detail::rows_of(values, out<std::int32_t>(), here)))>;
  constexpr bool fits = detail::row_handles<result>;
  static_assert(fits, "flowgraph: the function of a map_fn returns a handle or a tuple of handles");
  if constexpr (fits) {
    if (o.name.empty()) o.name = "map";
    const out<std::int32_t> count = detail::row_count(values, "map_fn", o.location);
    detail::collected_rows<decltype(detail::as_tuple(std::declval<const result&>()))> outcome(count, here);
    const out_list<float> flows = for_range(
        0, count, outcome.flows(),
        [&](const out<std::int32_t>& i, const out_list<float>& before) {
          return outcome.written(i, detail::as_tuple(f(detail::rows_of(values, i, here))), before);
        },
        o);
    return detail::in_form_of_rows<detail::carried_type<result>>(outcome.stacked(flows));
  }
}

// Computes state = f(state, row) from row to row, and returns the states after all rows, stacked along a new first axis.
template <class F, detail::carried_handles Elements, detail::carried_handles State>
auto scan(F&& f, const Elements& rows, const State& initial, while_options o = {}) {
  using state_type = detail::carried_type<State>;
  constexpr bool fits = detail::row_handles<state_type>;
  static_assert(fits, "flowgraph: the state of a scan is a handle or a tuple of handles");
  if constexpr (fits) {
    const detail::carried_type<Elements> values(rows);
    const site here{{}, o.location};
    if (o.name.empty()) o.name = "scan";
    const out<std::int32_t> count = detail::row_count(values, "scan", o.location);
    detail::collected_rows<decltype(detail::as_tuple(std::declval<const state_type&>()))> result(count, here);
    const auto last = for_range(
        0, count, std::tuple{state_type(initial), result.flows()},
        [&](const out<std::int32_t>& i, const state_type& state, const out_list<float>& before) {
          const state_type next = f(state, detail::rows_of(values, i, here));
          return std::tuple{next, result.written(i, detail::as_tuple(next), before)};
        },
        o);
    return detail::in_form_of_rows<state_type>(result.stacked(std::get<1>(last)));
  }
}

}  // namespace flowgraph
