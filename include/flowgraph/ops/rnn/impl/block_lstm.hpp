#pragma once

#include <flowgraph/ops/rnn/detail/block_lstm.hpp>
#include <flowgraph/ops/rnn/detail/block_shapes.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE void detail::check_step_count(shape_context& c, const shape& seq_len_max) {
  if (!fits(seq_len_max, {})) c.fail(message{"seq_len_max must be a scalar, found a tensor of shape ", seq_len_max});
}

namespace detail {

// Checks the inputs of an LSTM.
FLOWGRAPH_COLD inline known_block_sizes check_lstm_inputs(shape_context& c, const lstm_shapes& in, int axes,
                                                          bool needs_peepholes) {
  const auto& [x, cs_prev, h_prev, w, wci, wcf, wco, b] = in;
  known_block_sizes z;
  if (!fits(*x, shape::unknown_of_rank(axes))) c.fail(message{"x must have ", axes, " axes, found the shape ", *x});
  if (c.failed()) return z;
  if (axes == 3) z.steps = known_extent({{x, 0}});
  z.batch = known_extent({{x, axes - 2}, {cs_prev, 0}, {h_prev, 0}});
  z.inputs = known_extent({{x, axes - 1}});
  z.units = known_extent({{cs_prev, 1}, {h_prev, 1}});
  if (z.inputs > largest_block_size || z.units > largest_block_size) c.fail("x or the state has too many columns");
  expect_block_shape(c, "cs_prev", *cs_prev, {z.batch, z.units});
  expect_block_shape(c, "h_prev", *h_prev, {z.batch, z.units});
  expect_block_shape(c, "w", *w, {z.rows(), z.times_units(4)});
  const shape peephole{needs_peepholes ? z.units : -1};
  expect_block_shape(c, "wci", *wci, peephole);
  expect_block_shape(c, "wcf", *wcf, peephole);
  expect_block_shape(c, "wco", *wco, peephole);
  expect_block_shape(c, "b", *b, {z.times_units(4)});
  return z;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::lstm_state_shapes(shape_context& c, const lstm_shapes& in, int axes,
                                                                     bool needs_peepholes) {
  const known_block_sizes z = check_lstm_inputs(c, in, axes, needs_peepholes);
  if (axes == 2 && !c.failed() && (z.batch == 0 || z.units == 0))
    c.fail(message{"cs_prev must not be empty, found the shape ", *in[1]});
  const shape state = axes == 3 ? shape{z.steps, z.batch, z.units} : shape{z.batch, z.units};
  return {state, state, state, state, state, state, state};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::lstm_cell_gradient_shapes(shape_context& c, const lstm_shapes& in,
                                                                             bool needs_peepholes,
                                                                             std::span<const shape* const> states) {
  const known_block_sizes z = check_lstm_inputs(c, in, 2, needs_peepholes);
  constexpr std::string_view names[]{"i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad"};
  for (std::size_t k = 0; k < states.size(); ++k) expect_block_shape(c, names[k], *states[k], {z.batch, z.units});
  return {{z.batch, z.units}, {z.batch, z.times_units(4)}, *in[4], *in[5], *in[6]};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::lstm_gradient_shapes(shape_context& c, const lstm_shapes& in,
                                                                        std::span<const shape* const> states) {
  const known_block_sizes z = check_lstm_inputs(c, in, 3, true);
  constexpr std::string_view names[]{"i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad"};
  for (std::size_t k = 0; k < states.size(); ++k) expect_block_shape(c, names[k], *states[k], {z.steps, z.batch, z.units});
  if (z.units == 0) c.fail("w must have at least 4 columns, found none");
  const shape peephole{z.units};
  return {{z.steps, z.batch, z.inputs},
          {z.batch, z.units},
          {z.batch, z.units},
          {z.rows(), z.times_units(4)},
          peephole,
          peephole,
          peephole,
          {z.times_units(4)}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::lstm_scratch(const shape& x, const shape& cs_prev) {
  const block_sizes z(x, cs_prev);
  const std::int64_t width = 4 * z.units, rows = z.chunk() * z.batch;
  const auto bytes = [&](std::int64_t m, std::int64_t k) {
    return parallel_product_scratch({m, width, k, k, width, width, false, false, true});
  };
  return round_up_bytes(static_cast<std::size_t>(rows * width) * sizeof(float)) +
         std::max({bytes(rows, z.inputs), bytes(z.batch, z.inputs), bytes(z.batch, z.units)});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::lstm_gradient_scratch(const shape& x, const shape& cs_prev) {
  const block_sizes z(x, cs_prev);
  const std::int64_t width = 4 * z.units, rows = z.chunk() * z.batch;
  std::size_t most = 0;
  const auto need = [&](const kernel::product_shape& p) { most = std::max(most, parallel_product_scratch(p)); };
  need({z.batch, z.units, width, width, width, z.units, false, true, false});
  for (const std::int64_t m : {rows, rows - z.batch, z.batch}) {
    need({m, z.inputs, width, width, width, z.inputs, false, true, false});
    need({z.inputs, width, m, z.inputs, width, width, true, false, true});
    need({z.units, width, m, z.units, width, width, true, false, true});
  }
  return round_up_bytes(static_cast<std::size_t>(rows * width) * sizeof(float)) + most;
}

FLOWGRAPH_INLINE std::int64_t detail::step_count(cpu ctx, view<const std::int64_t> seq_len_max, std::int64_t steps) {
  const std::int64_t wanted = seq_len_max.scalar();
  if (wanted >= 0 && wanted <= steps) return wanted;
  ctx.fail(message{"seq_len_max must be in [0, ", steps, "], found ", wanted});
  return -1;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
