#pragma once

#include <flowgraph/ops/rnn/detail/block_gru.hpp>
#include <flowgraph/ops/rnn/detail/block_shapes.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline known_block_sizes check_gru_inputs(shape_context& c, const gru_shapes& in) {
  const auto& [x, h_prev, w_ru, w_c, b_ru, b_c] = in;
  known_block_sizes z;
  if (!fits(*x, {any, any})) c.fail(message{"x must have 2 axes, found the shape ", *x});
  if (c.failed()) return z;
  z.batch = known_extent({{x, 0}, {h_prev, 0}});
  z.inputs = known_extent({{x, 1}});
  z.units = known_extent({{h_prev, 1}, {b_c, 0}});
  if (z.inputs > largest_block_size || z.units > largest_block_size) c.fail("x or the state has too many columns");
  expect_block_shape(c, "h_prev", *h_prev, {z.batch, z.units});
  expect_block_shape(c, "w_ru", *w_ru, {z.rows(), z.times_units(2)});
  expect_block_shape(c, "w_c", *w_c, {z.rows(), z.units});
  expect_block_shape(c, "b_ru", *b_ru, {z.times_units(2)});
  expect_block_shape(c, "b_c", *b_c, {z.units});
  return z;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::gru_state_shapes(shape_context& c, const gru_shapes& in) {
  const known_block_sizes z = check_gru_inputs(c, in);
  const shape state{z.batch, z.units};
  return {state, state, state, state};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::gru_gradient_shapes(shape_context& c, const gru_shapes& in,
                                                                       std::span<const shape* const> states) {
  const known_block_sizes z = check_gru_inputs(c, in);
  constexpr std::string_view names[]{"r", "u", "c", "d_h"};
  for (std::size_t k = 0; k < states.size(); ++k) expect_block_shape(c, names[k], *states[k], {z.batch, z.units});
  return {{z.batch, z.inputs}, {z.batch, z.units}, {z.batch, z.units}, {z.batch, z.times_units(2)}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::gru_scratch(const shape& x, const shape& h_prev) {
  const block_sizes z(x, h_prev);
  const auto bytes = [&](std::int64_t columns, std::int64_t k) {
    return parallel_product_scratch({z.batch, columns, k, k, columns, columns, false, false, true});
  };
  return round_up_bytes(static_cast<std::size_t>(2 * z.batch * z.units) * sizeof(float)) +
         std::max({bytes(2 * z.units, z.inputs), bytes(2 * z.units, z.units), bytes(z.units, z.inputs), bytes(z.units, z.units)});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::gru_gradient_scratch(const shape& x, const shape& h_prev) {
  const block_sizes z(x, h_prev);
  const auto bytes = [&](std::int64_t columns, std::int64_t wanted) {
    return parallel_product_scratch({z.batch, wanted, columns, columns, columns, wanted, false, true, true});
  };
  return round_up_bytes(static_cast<std::size_t>(z.batch * z.units) * sizeof(float)) +
         std::max({bytes(2 * z.units, z.inputs), bytes(2 * z.units, z.units), bytes(z.units, z.inputs), bytes(z.units, z.units)});
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
