#pragma once
// The plain recurrent cell (Elman, 1990): output = state = tanh(kernel * [x, state] + bias).

#include <flowgraph/ops/rnn/cell.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A plain recurrent cell, like TensorFlow's BasicRNNCell. Its variables are "basic_rnn_cell/kernel" and "basic_rnn_cell/bias".
template <class T> struct basic_rnn_cell {
  using element = T;
  using state_type = out<T>;

  std::int64_t units = 0;                           // the size of the state
  detail::dense_weights<T> weights;                 // the variables
  std::function<out<T>(const out<T>&)> activation;  // the activation function

  basic_rnn_cell(const graph& g, std::int64_t inputs, std::int64_t width, const cell_options<T>& o = {})
      : units(width), weights(g, o.name.empty() ? "basic_rnn_cell" : o.name, inputs + width, width, o, 0),
        activation(o.activation) {}

  // Adds the nodes of one step, and returns its output and the next state.
  cell_step<T, out<T>> operator()(const out<T>& x, const out<T>& state, site s = {}) const {
    const detail::cell_call call(x, "basic_rnn_cell", s);
    const out<T> next = activation(weights(x, state));
    return {next, next};
  }
  // Returns the initial state of a sequence: zeros.
  out<T> zero_state(const out<std::int32_t>& batch) const { return detail::zero_rows<T>(batch, units); }
  // Returns the size of the output.
  std::int64_t output_size() const { return units; }
};

}  // namespace flowgraph
