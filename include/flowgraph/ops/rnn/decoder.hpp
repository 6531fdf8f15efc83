#pragma once
// A decoder produces sequences of symbols with a cell. The output of each step selects the next symbol, and this symbol is the
// input of the next step.
//
//     const fg::decoder decoder(cell, [&](const auto& symbols) { return fg::gather(table, symbols); },
//                               [&](const auto& outputs) { return fg::matmul(outputs, w) + b; });
//     auto logits = fg::teacher_forced(decoder, begin, targets, {.initial_state = state});              // for training
//     auto loss = fg::sequence_loss(logits, targets, lengths);
//     auto [symbols, lengths, last] = fg::greedy_search(decoder, begin, end, {.initial_state = state}); // for inference
//
// beam_search.hpp compares whole sequences instead of single symbols.

#include <flowgraph/ops/nn/softmax.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A cell between two functions. `embed` converts symbols {...} to inputs of the cell {..., inputs}; `project` converts outputs of
// the cell {n, units} to logits {n, symbols}.
template <recurrent_cell Cell, class Embed, class Project> struct decoder {
  using element = typename Cell::element;
  using state_type = typename Cell::state_type;

  Cell cell;        // the cell between the two functions
  Embed embed;      // converts symbols to inputs of the cell
  Project project;  // converts outputs of the cell to logits

  decoder(Cell inner, Embed look_up, Project output_layer)
      : cell(std::move(inner)), embed(std::move(look_up)), project(std::move(output_layer)) {}

  // Returns the logits of one step, and the state after it.
  cell_step<element, state_type> operator()(const out<std::int32_t>& symbols, const state_type& state) const {
    const auto [output, next] = cell(embed(symbols), state, site{});
    return {project(output), next};
  }
};

// Options of greedy_search.
template <class State> struct decoding_options {
  std::optional<State> initial_state = {};  // the first state; empty: the cell's zero_state
  // The largest number of steps, at least 1. Empty: until each sequence has ended.
  std::optional<std::int64_t> maximum_iterations = {};
  std::int64_t parallel_iterations = 10;                            // the largest number of steps that may overlap
  std::string_view name = {};                                       // the scope of the nodes; empty: `greedy_search`
  std::source_location location = std::source_location::current();  // the line that the nodes belong to
};

// The result of a greedy_search.
template <class State> struct decoded {
  out<std::int32_t> symbols;  // {batch, time}; a sequence that has ended is filled with end symbols
  out<std::int32_t> lengths;  // number of symbols of each sequence, including the end symbol
  State state;                // the state after the last step of each sequence
};

// Returns logits {batch, time, symbols} for targets {batch, time}. The input of each step is the correct symbol of the previous
// step; the input of the first step is `begin` {batch}. It corresponds to TensorFlow's BasicDecoder with a TrainingHelper.
template <class Cell, class Embed, class Project>
out<typename Cell::element> teacher_forced(const decoder<Cell, Embed, Project>& decoder, const out<std::int32_t>& begin,
                                           const out<std::int32_t>& targets,
                                           const rnn_options<typename Cell::state_type>& o = {}) {
  const detail::cell_call call(targets, "teacher_forced", {o.name, o.location});
  const auto steps = detail::extent_of(targets, 1), rows = detail::extent_of(targets, 0);
  const auto first = detail::constant_beside(targets, tensor<std::int32_t>({2}, {0, 0}));
  const out<std::int32_t> seen = slice(concat({reshape(begin, shape{-1, 1}), targets}, 1), first, pack({rows, steps}));
  const auto outputs = dynamic_rnn(decoder.cell, decoder.embed(ensure_shape(seen, targets.shape())), o).outputs;
  const auto logits = decoder.project(reshape(outputs, shape{-1, decoder.cell.output_size()}));
  return reshape(logits, pack({rows, steps, detail::extent_of(logits, 1)}));
}

// Returns the mean cross entropy over all steps within the sequences' lengths.
template <class T>
out<T> sequence_loss(const out<T>& logits, const out<std::int32_t>& targets, const sequence_lengths& lengths = {}, site s = {}) {
  const detail::cell_call call(targets, "sequence_loss", s);
  const out<T> losses = sparse_softmax_cross_entropy(logits, targets);
  if (!lengths) return mean(losses);
  const auto zero = detail::scalar_beside(targets, 0), one = detail::scalar_beside(targets, 1);
  const auto there = range(zero, detail::extent_of(targets, 1), one) < reshape(lengths.handle, shape{-1, 1});
  return sum(select(there, losses, zeros_like(losses))) / cast<T>(sum(lengths.handle));
}

namespace detail {

// Returns whether the loop continues. The loop always executes a first step: this step gives the arrays the shapes of their
// elements.
inline out<bool> some_go_on(const out<std::int32_t>& time, const out<bool>& finished) {
  return logical_or(time < 1, logical_not(all_of(finished)));
}
inline tensor_array<std::int32_t> collected_symbols(const out<std::int32_t>& beside, const shape& element) {
  return tensor_array<std::int32_t>(scalar_beside(beside, 0),
                                    {.element_shape = element, .dynamic_size = true, .name = "symbols"});
}

}  // namespace detail

// Selects the most likely symbol in each step, from `begin` {batch} until the symbol `end`. It corresponds to TensorFlow's
// BasicDecoder with a GreedyEmbeddingHelper.
template <class Cell, class Embed, class Project>
decoded<typename Cell::state_type> greedy_search(const decoder<Cell, Embed, Project>& decoder, const out<std::int32_t>& begin,
                                                 std::int32_t end, const decoding_options<typename Cell::state_type>& o = {}) {
  using state_type = typename Cell::state_type;
  const detail::cell_call call(begin, "greedy_search", {o.name, o.location});
  const state_type initial = o.initial_state ? *o.initial_state : decoder.cell.zero_state(detail::extent_of(begin, 0));
  const auto array = detail::collected_symbols(begin, {any});
  const auto no_length = zeros_like(begin), last_symbol = detail::scalar_beside(begin, end);
  const auto [steps, symbol, finished, lengths, flow, state] = while_loop(
      std::tuple{detail::scalar_beside(begin, 0), begin, cast<bool>(no_length), no_length, array.flow, initial},
      [&](const auto& time, const auto&, const auto& ended, auto&&...) { return detail::some_go_on(time, ended); },
      [&](const auto& time, const auto& before, const auto& ended, const auto& length, const auto& order, const state_type& at) {
        const auto [logits, next] = decoder(before, at);
        const auto goes_on = logical_not(ended);
        const auto chosen = select(goes_on, argmax<std::int32_t>(logits, 1), last_symbol);
        return std::tuple{time + 1,
                          chosen,
                          equal(chosen, last_symbol),
                          length + cast<std::int32_t>(goes_on),
                          detail::at_flow(array, order).write(time, chosen).flow,
                          detail::copied_past_end(goes_on)(next, at)};
      },
      {.parallel_iterations = o.parallel_iterations,
       .maximum_iterations = o.maximum_iterations,
       .shapes = detail::shapes_of_loop({{}, {any}, {any}, {any}, {}}, initial)});
  return {transpose(detail::at_flow(array, flow).stack(), {1, 0}), lengths, state};
}

}  // namespace flowgraph
