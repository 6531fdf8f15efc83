#pragma once
// Inputs of the recurrent ops that compute whole steps.

#include <flowgraph/ops/rnn/block_lstm.hpp>

#include "../evaluate.hpp"

#include <cmath>

namespace rnn_test {

// Elements in [-0.5, 0.5], the same for each seed.
template <class T = float> fg::tensor<T> drawn_numbers(const fg::shape& shape, std::uint32_t seed) {
  fg::tensor<T> t(shape);
  std::uint32_t state = seed * 747796405u + 1u;
  for (T& e : t.writable()) {
    state = state * 1664525u + 1013904223u;
    e = T(static_cast<float>(state >> 8) / (1 << 24) - 0.5f);
  }
  return t;
}

// The largest difference of two tensors.
template <class T> float furthest_of_block(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  REQUIRE(a.shape() == b.shape());
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float d = std::abs(static_cast<float>(a.data()[i]) - static_cast<float>(b.data()[i]));
    if (!(d <= largest)) largest = d;  // also NaN
  }
  return largest;
}

template <class T> fg::tensor<T> value_of_block(fg::session& s, const fg::out<T>& y) { return s.run(fg::fetch(y)); }
// The largest difference of the gradients of two losses.
inline float furthest_slopes(fg::session& s, const fg::out<float>& a, const fg::out<float>& b, const fg::out<float>& from) {
  const fg::out<float> first = fg::gradients(a, from), second = fg::gradients(b, from);
  return furthest_of_block(value_of_block(s, first), value_of_block(s, second));
}

struct block_lstm_handles {
  fg::out<float> x;
  fg::lstm_state<float> initial;
  fg::block_lstm_weights<float> weights;
};

struct block_lstm_case {
  fg::tensor<float> x, c, h, w, b, wci, wcf, wco;

  block_lstm_case(std::int64_t steps, std::int64_t batch, std::int64_t inputs, std::int64_t units)
      : x(drawn_numbers({steps, batch, inputs}, 1)), c(drawn_numbers({batch, units}, 2)), h(drawn_numbers({batch, units}, 3)),
        w(drawn_numbers({inputs + units, 4 * units}, 4)), b(drawn_numbers({4 * units}, 5)), wci(drawn_numbers({units}, 6)),
        wcf(drawn_numbers({units}, 7)), wco(drawn_numbers({units}, 8)) {}

  block_lstm_handles constants(const fg::graph& g, bool with_peepholes = false) const {
    const auto in = [&](const fg::tensor<float>& t) { return fg::constant(g, t); };
    block_lstm_handles made{in(x), {in(c), in(h)}, {in(w), in(b)}};
    if (with_peepholes) made.weights = {made.weights.w, made.weights.b, in(wci), in(wcf), in(wco)};
    return made;
  }
};

}  // namespace rnn_test
