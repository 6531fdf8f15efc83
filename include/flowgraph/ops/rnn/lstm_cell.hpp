#pragma once
// Long short-term memory (Hochreiter and Schmidhuber, 1997; Gers et al., 2000):
//
//     i, j, f, o = kernel * [x, h] + bias
//     c = sigmoid(f + forget_bias) * c + sigmoid(i) * tanh(j)        h = sigmoid(o) * tanh(c)

#include <flowgraph/ops/rnn/cell.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The state that each step passes to the next step: memory and output.
template <class T> struct lstm_state {
  out<T> c, h;  // c: the memory; h: the output
};

// Options of an LSTM: those of cell_options, and the bias of the forget gate. With this bias, an untrained cell keeps its memory.
template <class T> struct lstm_options {
  std::string_view name = {};  // the scope of the variables, not made unique; empty: `lstm_cell`, as in TensorFlow
  T forget_bias = T(1.f);      // added to the forget gate, so that an untrained cell keeps its memory
  // the initial values of the matrix
  std::function<initializer<T>(const shape&)> kernel = [](const shape& s) { return glorot_uniform<T>(s); };
  std::function<initializer<T>(const shape&)> bias = {};  // the initial values of the bias; empty: zeros
  // the activation function of the cell
  std::function<out<T>(const out<T>&)> activation = [](const out<T>& x) { return tanh(x); };
  std::source_location location = std::source_location::current();  // the source line that errors of the variables name
};

// An LSTM, like TensorFlow's LSTMCell and BasicLSTMCell. Its variables are "lstm_cell/kernel" and "lstm_cell/bias". The columns
// of the kernel are those of i, j, f and o, in this order.
template <class T> struct lstm_cell {
  using element = T;
  using state_type = lstm_state<T>;

  std::int64_t units = 0;                           // the size of the output
  T forget_bias = T(1.f);                           // the number that is added to the forget gate
  detail::dense_weights<T> weights;                 // the variables
  std::function<out<T>(const out<T>&)> activation;  // the activation function

  lstm_cell(const graph& g, std::int64_t inputs, std::int64_t width, const lstm_options<T>& o = {})
      : units(width), forget_bias(o.forget_bias),
        weights(g, o.name.empty() ? "lstm_cell" : o.name, inputs + width, 4 * width, o, 0), activation(o.activation) {}

  // Adds the nodes of one step, and returns its output and the next state.
  cell_step<T, lstm_state<T>> operator()(const out<T>& x, const lstm_state<T>& state, site s = {}) const {
    const detail::cell_call call(x, "lstm_cell", s);
    const out_list<T> parts = split(weights(x, state.h), 4, 1);
    const out<T> i = parts[0], j = parts[1], f = parts[2], o = parts[3];
    const out<T> c = state.c * sigmoid(f + forget_bias) + sigmoid(i) * activation(j);
    const out<T> h = activation(c) * sigmoid(o);
    return {h, {c, h}};
  }
  // Returns the initial state of a sequence: zeros.
  lstm_state<T> zero_state(const out<std::int32_t>& batch) const {
    return {detail::zero_rows<T>(batch, units), detail::zero_rows<T>(batch, units)};
  }
  // Returns the size of the output.
  std::int64_t output_size() const { return units; }
};

namespace detail {

// An LSTM state can be a loop variable.
template <class T> struct carried_form<lstm_state<T>> {
  static constexpr bool exists = true;
  using type = lstm_state<T>;
  static void flatten(const type& from, any_out_list& to) { to.insert(to.end(), {from.c, from.h}); }
  static type rebuild(const type& like, const any_out*& at) {
    const out<T> c = carried_form<out<T>>::rebuild(like.c, at);
    return {c, carried_form<out<T>>::rebuild(like.h, at)};
  }
};

}  // namespace detail

}  // namespace flowgraph
