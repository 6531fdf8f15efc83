#pragma once
// Dropout around a cell, with new random zeros in each step (Zaremba et al., 2014). For inference, use the inner cell without
// dropout: both cells have the same weights.
//
//     const fg::gru_cell<float> cell(g, 16, 32);
//     const fg::dropout_cell noisy(cell, {.keep_output = 0.8f});

#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/ops/rnn/lstm_cell.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The probabilities with which elements are kept.
struct keep_probabilities {
  float keep_input = 1, keep_output = 1, keep_state = 1;  // the probabilities for inputs, outputs and states
  std::optional<std::int64_t> seed = {};                  // combined with the graph's seed; each dropout gets a different seed
};

namespace detail {

// Applies dropout several times, each time with a different seed.
struct dropouts {
  std::optional<std::int64_t> seed;

  template <class T> out<T> operator()(const out<T>& x, float keep) {
    if (seed) ++*seed;
    return keep < 1 ? dropout(x, 1 - keep, seed) : x;
  }
  // As in TensorFlow, dropout is not applied to the memory of an LSTM.
  template <class T> lstm_state<T> operator()(const lstm_state<T>& state, float keep) {
    return {state.c, (*this)(state.h, keep)};
  }
  template <class... State> std::tuple<State...> operator()(const std::tuple<State...>& states, float keep) {
    return std::apply([&](const State&... state) { return std::tuple<State...>{(*this)(state, keep)...}; }, states);
  }
};

}  // namespace detail

// A cell with dropout, like TensorFlow's DropoutWrapper.
template <recurrent_cell Cell> struct dropout_cell {
  using element = typename Cell::element;
  using state_type = typename Cell::state_type;

  Cell cell;                // the inner cell
  keep_probabilities keep;  // the probabilities with which elements are kept

  dropout_cell(Cell inner, const keep_probabilities& k) : cell(std::move(inner)), keep(k) {}

  // Adds the nodes of one step, and returns its output and the next state.
  cell_step<element, state_type> operator()(const out<element>& x, const state_type& state, site s = {}) const {
    const detail::inherited_location here(x.source ? x.source->graph : nullptr, s.location);
    detail::dropouts drop{keep.seed};
    const out<element> seen = drop(x, keep.keep_input);
    auto [output, next] = cell(seen, state, s);
    const out<element> shown = drop(output, keep.keep_output);
    return {shown, drop(next, keep.keep_state)};
  }
  // Returns the initial state of a sequence: zeros.
  state_type zero_state(const out<std::int32_t>& batch) const { return cell.zero_state(batch); }
  // Returns the size of the output.
  std::int64_t output_size() const { return cell.output_size(); }
  // Returns the cell for a batch in which each sequence is repeated `times` times.
  dropout_cell tiled(std::int32_t times) const { return {tiled_cell(cell, times), keep}; }
};

}  // namespace flowgraph
