#pragma once
// Functions on the states of cells. A state is a handle, a list of handles, an LSTM's state, or a tuple of these.

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/rnn/lstm_cell.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Computes a state from states of the same form: calls f(part, the same part of each other state) for each handle.
template <class F> struct part_by_part {
  F f;

  template <class T, class... Same> out<T> operator()(const out<T>& part, const Same&... others) const {
    return f(part, others...);
  }
  template <class T, class... Same> out_list<T> operator()(const out_list<T>& parts, const Same&... others) const {
    out_list<T> outputs;
    for (std::size_t i = 0; i < parts.size(); ++i) outputs.push_back((*this)(parts[i], others[i]...));
    return outputs;
  }
  template <class T, class... Same> lstm_state<T> operator()(const lstm_state<T>& state, const Same&... others) const {
    return {(*this)(state.c, others.c...), (*this)(state.h, others.h...)};
  }
  template <class... Part, class... Same>
  std::tuple<Part...> operator()(const std::tuple<Part...>& states, const Same&... others) const {
    return each(std::index_sequence_for<Part...>(), states, others...);
  }

private:
  template <std::size_t I, class... Same> auto one(const Same&... states) const { return (*this)(std::get<I>(states)...); }
  template <std::size_t... I, class States, class... Same>
  States each(std::index_sequence<I...>, const States& states, const Same&... others) const {
    return {one<I>(states, others...)...};
  }
};

// Returns the next state of sequences that continue, and the previous state of other sequences. If a part of the state is a
// scalar, it belongs to all sequences, and its next value is returned.
inline auto copied_past_end(const out<bool>& goes_on) {
  const auto chosen = [goes_on]<class T>(const out<T>& next, const out<T>& before) {
    if (before.shape().rank == 0) return next;
    shape column{-1};
    for (int axis = 1; axis < std::max(before.shape().rank, next.shape().rank); ++axis) column.push_back(1);
    return select(reshape(goes_on, column), next, before);
  };
  return part_by_part<decltype(chosen)>{chosen};
}

// Selects rows by index. A part that is a scalar belongs to all rows and is returned unchanged.
template <class State> State gathered_rows(const State& state, const out<std::int32_t>& rows) {
  const auto picked = [&]<class T>(const out<T>& part) { return part.shape().rank == 0 ? part : gather(part, rows); };
  return part_by_part<decltype(picked)>{picked}(state);
}

// Returns the shapes of loop variables: first `others`, then the shapes of the parts of a state. The number of rows may change in
// the loop unless `rows_stay` is set.
template <class State> std::vector<shape> shapes_of_loop(std::vector<shape> others, const State& state, bool rows_stay = false) {
  for (const any_out& part : flat(state)) {
    others.push_back(part.shape());
    if (!rows_stay && others.back().rank > 0) others.back()[0] = -1;
  }
  return others;
}

}  // namespace detail

// Repeats each row `times` times: {batch * times, ...}, for a tensor or for all parts of a state. It corresponds to TensorFlow's
// tile_batch.
template <detail::carried_handles State> detail::carried_type<State> tile_batch(const State& state, std::int32_t times) {
  const auto tiled = [&]<class T>(const out<T>& part) {
    if (part.shape().rank == 0) return part;
    const auto zero = detail::scalar_beside(part, 0), one = detail::scalar_beside(part, 1);
    return gather(part, range(zero, detail::extent_of(part, 0) * times, one) / times);
  };
  return detail::part_by_part<decltype(tiled)>{tiled}(detail::carried_type<State>(state));
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
