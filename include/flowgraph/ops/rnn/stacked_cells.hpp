#pragma once
// Stacked cells: the output of each cell is the input of the next cell.
//
//     const fg::stacked_cells stack(fg::lstm_cell<float>(g, 16, 64, {.name = "cell_0/lstm_cell"}),
//                                   fg::lstm_cell<float>(g, 64, 32, {.name = "cell_1/lstm_cell"}));

#include <flowgraph/ops/rnn/cell.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Stacked cells, like TensorFlow's MultiRNNCell. The state is a tuple of the states of the cells, and the output is the output of
// the last cell.
template <recurrent_cell First, recurrent_cell... Rest> struct stacked_cells {
  using element = typename First::element;
  using state_type = std::tuple<typename First::state_type, typename Rest::state_type...>;

  std::tuple<First, Rest...> cells;  // the cells, from the first to the last

  explicit stacked_cells(First first, Rest... rest) : cells(std::move(first), std::move(rest)...) {}

  // Adds the nodes of one step, and returns its output and the next state.
  cell_step<element, state_type> operator()(const out<element>& x, const state_type& state, site s = {}) const {
    const detail::cell_call call(x, "multi_rnn_cell", s);
    cell_step<element, state_type> result{x, {}};
    step<0>(result, state, s.location);
    return result;
  }
  // Returns the initial state of a sequence: zeros.
  state_type zero_state(const out<std::int32_t>& batch) const {
    return std::apply([&](const auto&... cell) { return state_type{cell.zero_state(batch)...}; }, cells);
  }
  // Returns the size of the output.
  std::int64_t output_size() const { return std::get<sizeof...(Rest)>(cells).output_size(); }
  // Returns the cell for a batch in which each sequence is repeated `times` times.
  stacked_cells tiled(std::int32_t times) const {
    return std::apply([&](const auto&... cell) { return stacked_cells(tiled_cell(cell, times)...); }, cells);
  }

private:
  template <std::size_t I>
  void step(cell_step<element, state_type>& result, const state_type& state, const std::source_location& where) const {
    if constexpr (I <= sizeof...(Rest)) {
      auto [output, next] = std::get<I>(cells)(result.output, std::get<I>(state), site{message{"cell_", I}.string(), where});
      result.output = output;
      std::get<I>(result.state) = next;
      step<I + 1>(result, state, where);
    }
  }
};

}  // namespace flowgraph
