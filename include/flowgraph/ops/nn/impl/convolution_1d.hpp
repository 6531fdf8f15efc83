#pragma once

#include <flowgraph/ops/nn/convolution_1d.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE bool detail::row_options(conv2d_options& rows, const conv1d_options& o, const any_out& x,
                                                         const any_out& filter, const site& s) {
  const any_out inputs[]{x, filter};
  graph_state* const g = graph_of_inputs(inputs, "conv1d", s);
  if (!g) return false;
  const auto refuse = [&](const message& why) {
    refuse_construction(*g, error(error_code::invalid_argument, why).at(s.name, "conv1d", s.location));
    return false;
  };
  const shape images = x.shape(), width = filter.shape(), of_rank_3 = shape::unknown_of_rank(3);
  if (!fits(images, of_rank_3))
    return refuse(message{"conv1d: expected x of shape [sequences, steps, channels], found ", images});
  if (!fits(width, of_rank_3))
    return refuse(message{"conv1d: expected a filter of shape [width, channels, outputs], found ", width});
  rows.strides = {1, o.stride};
  rows.dilations = {1, o.dilation};
  rows.padding = o.padding == padding_1d::same    ? padding::same
                 : o.padding == padding_1d::valid ? padding::valid
                                                  : padding::explicit_;
  if (o.padding == padding_1d::explicit_) rows.paddings = {0, 0, o.paddings[0], o.paddings[1]};
  if (o.padding == padding_1d::causal) {
    if (!width.has_rank() || width[0] < 0)
      return refuse(message{"conv1d: causal padding needs a filter whose width is known, found ", width});
    rows.paddings = {0, 0, (width[0] - 1) * o.dilation, 0};
  }
  return true;
}

}  // namespace flowgraph
