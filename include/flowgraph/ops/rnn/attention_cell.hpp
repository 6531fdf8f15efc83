#pragma once
// A cell with attention. After each step, the output of the cell queries a memory, and the next step gets the result as an
// additional input.
//
//     const fg::luong_attention<float> attention(memory, 64);
//     const fg::attention_cell decoder(fg::lstm_cell<float>(g, inputs + 32, 64), attention, 32);

#include <flowgraph/ops/rnn/attention.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A cell with attention, like TensorFlow's AttentionWrapper. Its output is the attention: the context or, if there is a layer of
// `width` units, attention_layer * [output of the cell, context]. The next step gets the attention in addition to its input.
template <recurrent_cell Cell, attention_mechanism Attention> struct attention_cell {
  using element = typename Cell::element;
  using state_type = std::tuple<typename Cell::state_type, out<element>>;  // the cell's state and the last attention

  Cell cell;                // the inner cell
  Attention attention;      // the mechanism, with its memory
  std::int64_t width;       // the size of the output
  variable<element> layer;  // the attention layer, if there is one

  attention_cell(Cell inner, Attention mechanism)
      : cell(std::move(inner)), attention(std::move(mechanism)), width(attention.depth()) {}
  attention_cell(Cell inner, Attention mechanism, std::int64_t layer_width, const cell_options<element>& o = {})
      : cell(std::move(inner)), attention(std::move(mechanism)), width(layer_width) {
    const std::string name = message{o.name.empty() ? "attention_layer" : o.name, "/kernel"}.string();
    if (!detail::has_graph(attention.memory.values, "attention_cell", {name, o.location})) return;
    graph g = graph_of(*attention.memory.values.source);
    layer = g.variable(name, o.kernel(shape{cell.output_size() + attention.depth(), width}), {{}, o.location});
  }

  // Adds the nodes of one step, and returns its output and the next state.
  cell_step<element, state_type> operator()(const out<element>& x, const state_type& state, site s = {}) const {
    const detail::cell_call call(x, "attention_cell", s);
    const auto& [before, seen] = state;
    const auto [output, next] = cell(concat({x, seen}, 1), before);
    const out<element> context = attention(output).context;
    const out<element> found = layer.source ? matmul(concat({output, context}, 1), layer) : context;
    return {found, {next, found}};
  }
  // Returns the initial state of a sequence: zeros.
  state_type zero_state(const out<std::int32_t>& batch) const {
    return {cell.zero_state(batch), detail::zero_rows<element>(batch, width)};
  }
  // Returns the size of the output.
  std::int64_t output_size() const { return width; }
  // Returns the same cell, with the same weights, for a memory in which each sequence is repeated `times` times.
  attention_cell tiled(std::int32_t times) const {
    attention_cell result = *this;
    result.cell = tiled_cell(cell, times);
    result.attention = attention.tiled(times);
    return result;
  }
};

}  // namespace flowgraph
