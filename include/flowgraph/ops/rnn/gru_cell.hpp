#pragma once
// The gated recurrent unit (Cho et al., 2014). Gate u determines how much of the state is kept. Gate r determines how much of the
// state the candidate uses.
//
//     r, u = sigmoid(gates * [x, state])
//     candidate = tanh(weights * [x, r * state])        state = u * state + (1 - u) * candidate

#include <flowgraph/ops/rnn/cell.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A GRU, like TensorFlow's GRUCell. Its variables are "gru_cell/gates/kernel", "gru_cell/gates/bias", "gru_cell/candidate/kernel"
// and "gru_cell/candidate/bias". The bias of the gates is initialized to ones.
template <class T> struct gru_cell {
  using element = T;
  using state_type = out<T>;

  std::int64_t units = 0;                           // the size of the state
  detail::dense_weights<T> gates, candidate;        // the variables
  std::function<out<T>(const out<T>&)> activation;  // the activation function of the candidate

  gru_cell(const graph& g, std::int64_t inputs, std::int64_t width, const cell_options<T>& o = {})
      : units(width), gates(g, scope(o, "/gates"), inputs + width, 2 * width, o, 1),
        candidate(g, scope(o, "/candidate"), inputs + width, width, o, 0), activation(o.activation) {}

  // Adds the nodes of one step, and returns its output and the next state.
  cell_step<T, out<T>> operator()(const out<T>& x, const out<T>& state, site s = {}) const {
    const detail::cell_call call(x, "gru_cell", s);
    const out_list<T> gate = split(sigmoid(gates(x, state)), 2, 1);
    const out<T> reset = gate[0], update = gate[1];
    const out<T> next = update * state + (T(1.f) - update) * activation(candidate(x, reset * state));
    return {next, next};
  }
  // Returns the initial state of a sequence: zeros.
  out<T> zero_state(const out<std::int32_t>& batch) const { return detail::zero_rows<T>(batch, units); }
  // Returns the size of the output.
  std::int64_t output_size() const { return units; }

private:
  static std::string scope(const cell_options<T>& o, std::string_view part) {
    return message{o.name.empty() ? "gru_cell" : o.name, part}.string();
  }
};

}  // namespace flowgraph
