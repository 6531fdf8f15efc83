#pragma once
// Sequences for copy_task.cpp, and a cell of its own.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/rnn/attention_cell.hpp>

#include <cmath>
#include <random>

namespace fg = flowgraph;

constexpr std::int32_t begin_symbol = 0, end_symbol = 1, symbols = 10;

inline fg::tensor<std::int32_t> random_sequences(std::mt19937& random, std::int32_t count, std::int32_t length) {
  fg::tensor<std::int32_t> made({count, length});
  for (std::int32_t& symbol : made.writable()) symbol = 2 + static_cast<std::int32_t>(random() % (symbols - 2));
  return made;
}
// Of the first `length` symbols of each row, and the end behind them, all are right.
inline int whole_sequences(const fg::tensor<std::int32_t>& said, std::size_t beam, const fg::tensor<std::int32_t>& source) {
  const auto steps = static_cast<std::size_t>(said.shape()[1]), length = static_cast<std::size_t>(source.shape()[1]);
  int right = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(source.shape()[0]); ++row) {
    bool all = steps > length;
    for (std::size_t t = 0; all && t <= length; ++t)
      all = said[(row * steps + t) * beam] == (t < length ? source[row * length + t] : end_symbol);
    right += all;
  }
  return right;
}

// A cell around another one that also sees how many steps it has made, by the hands of clocks that go round at several speeds.
// A struct is a cell when it has these members: its state is a tuple, and whatever runs cells carries it.
template <fg::recurrent_cell Cell> struct clock_cell {
  using element = float;
  using state_type = std::tuple<typename Cell::state_type, fg::out<float>>;
  static constexpr std::int64_t hands = 6;
  static constexpr std::int64_t seen = 2 * hands;  // numbers besides the input

  Cell cell;
  fg::out<float> speeds, zero;  // {1, hands}, {}

  clock_cell(Cell inner, fg::graph g) : cell(std::move(inner)) {
    fg::tensor<float> speed({1, hands});
    for (std::size_t i = 0; i < hands; ++i) speed.writable()[i] = 2 * std::pow(0.55f, static_cast<float>(i));
    speeds = g.constant(speed);
    zero = g.constant(0.f);
  }
  fg::cell_step<float, state_type> operator()(const fg::out<float>& x, const state_type& state, fg::site s = {}) const {
    const auto& [before, time] = state;
    const auto angle = time * speeds;
    auto [output, next] = cell(fg::concat({x, fg::sin(angle), fg::cos(angle)}, 1), before, s);
    return {output, {next, time + 1.f}};
  }
  state_type zero_state(const fg::out<std::int32_t>& batch) const {
    return {cell.zero_state(batch), fg::reshape(fg::fill(fg::reshape(batch, {1}), zero), {-1, 1})};
  }
  std::int64_t output_size() const { return cell.output_size(); }
  clock_cell tiled(std::int32_t times) const {
    clock_cell made = *this;
    made.cell = fg::tiled_cell(cell, times);
    return made;
  }
};
