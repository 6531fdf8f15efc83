#pragma once
// Beam search: finds likely output sequences of a decoder. In each step the search continues with the `width` best sequences.
//
//     auto found = fg::beam_search(decoder, begin, end, {.width = 4, .length_penalty = 0.6f, .initial_state = state});
//     found.symbols                                             // {batch, time, width}, the best sequence first
//
// `begin`, the initial state and the memories of attention have one row for each sequence of the batch. The search itself repeats
// each row `width` times.

#include <flowgraph/ops/array/one_hot.hpp>
#include <flowgraph/ops/math/division.hpp>
#include <flowgraph/ops/math/power.hpp>
#include <flowgraph/ops/nn/top_k.hpp>
#include <flowgraph/ops/reduction/scan.hpp>
#include <flowgraph/ops/rnn/decoder.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of beam_search.
template <class State> struct beam_search_options {
  std::int32_t width = 4;  // the number of sequences that are followed at a time
  // The score of a sequence is the logarithm of its probability divided by ((5 + length) / 6)^length_penalty. As in TensorFlow,
  // the length does not include the end symbol in the step that adds this symbol, but includes it in all later steps.
  float length_penalty = 0;
  std::optional<State> initial_state = {};  // the first state; empty: the cell's zero_state
  // The largest number of steps, at least 1. Empty: until all sequences have ended.
  std::optional<std::int64_t> maximum_iterations = {};
  std::int64_t parallel_iterations = 10;                            // the largest number of steps that may overlap
  std::string_view name = {};                                       // the scope of the nodes; empty: `beam_search`
  std::source_location location = std::source_location::current();  // the line that the nodes belong to
};

// The type of sums of logarithms of probabilities: double for double, and float for all other types.
template <class T> using log_probability = std::conditional_t<std::is_same_v<T, double>, double, float>;

// The result of a beam_search: the best sequences of each row, the best sequence first.
template <class T> struct found_sequences {
  out<std::int32_t> symbols;         // {batch, time, width}; a sequence that has ended is filled with end symbols
  out<std::int32_t> lengths;         // {batch, width}; number of symbols of each sequence, including the end symbol
  out<T> log_probabilities, scores;  // {batch, width}; scores: log_probabilities divided by the length penalty
  out<bool> finished;                // {batch, width}; false if maximum_iterations was reached before the end
};

namespace detail {

// The state of all sequences of a beam. The shape of each member is {batch, width}.
template <class T> struct beam {
  out<T> log_probabilities;
  out<bool> finished;
  out<std::int32_t> lengths;
};
template <class T> struct beam_step {
  beam<T> next;
  out<T> scores;
  out<std::int32_t> symbols, parents;  // the last symbol of each sequence, and the earlier sequence that it continues
};

// Selects in each row the elements of `from` at the indices of that row.
template <class T> out<T> picked(const out<T>& from, const out<std::int32_t>& indices) {
  return apply(gather_v2_op{1}, from, indices, scalar_beside(from, 1));
}

// Returns a beam whose first sequence is empty. The others have probability 0 and count as finished.
template <class T> beam<T> first_beam(const out<std::int32_t>& begin, std::int32_t width) {
  const auto first = one_hot(zeros_like(begin), scalar_beside(begin, width), scalar_beside(begin, T(0)),
                             scalar_beside(begin, -std::numeric_limits<T>::infinity()));
  const out<std::int32_t> no_length = cast<std::int32_t>(zeros_like(first));
  return {first, less(first, T(0)), no_length};
}

// Continues each sequence with every symbol, and returns the `width` best results. The logits are {batch * width, symbols}. A
// sequence that has ended is only continued with `end`, which changes neither its probability nor its length.
template <class T>
beam_step<T> best_continuations(const out<T>& logits, const beam<T>& before, std::int32_t end, std::int32_t width,
                                float penalty) {
  const auto constant = [&]<class U>(U value) { return scalar_beside(logits, value); };
  const auto count = extent_of(logits, 1), rest = constant(-1);
  const auto by_sequence = pack({rest, constant(width), count}), by_row = pack({rest, count * width});
  const auto column = [](const auto& x) { return expand_dims(x, 2); };

  const auto last = constant(end);
  const out<T> end_only = one_hot(last, count, constant(T(0)), constant(std::numeric_limits<T>::lowest()));
  const out<T> steps = select(column(before.finished), end_only, reshape(log_softmax(logits), by_sequence));
  const out<T> total = column(before.log_probabilities) + steps;
  const auto goes_on = cast<std::int32_t>(logical_not(before.finished));
  const auto longer = one_hot(last, count, constant(0), constant(1));
  const auto score_of = [&](const out<T>& x) {
    const auto length = cast<T>(column(before.lengths) + column(goes_on) * longer);
    return x / pow((length + T(5)) / T(6), T(penalty));
  };
  const auto [scores, indices] = top_k(reshape(penalty == 0 ? total : score_of(total), by_row), constant(width));
  const out<std::int32_t> parents = floor_div(indices, operand<std::int32_t>(count)), symbols = indices - parents * count;
  const auto ended = picked(before.finished, parents);
  return {{picked(reshape(total, by_row), indices), logical_or(ended, equal(symbols, end)),
           picked(before.lengths, parents) + cast<std::int32_t>(logical_not(ended))},
          scores,
          symbols,
          parents};
}

}  // namespace detail

// Returns the symbols of whole sequences, {time, batch, width}. The function follows each sequence from its last step back to the
// first. Step t of a sequence has a symbol from symbols[t]; parents[t] contains the index of the sequence of the previous step
// that this step continues. Sequences in row b of the batch have lengths[b] steps. Steps beyond the length or after the first
// `end` are set to `end`. It corresponds to TensorFlow's gather_tree.
inline out<std::int32_t> gather_tree(const out<std::int32_t>& symbols, const out<std::int32_t>& parents,
                                     const out<std::int32_t>& lengths, std::int32_t end, site s = {}) {
  const detail::cell_call call(symbols, "gather_tree", s);
  const auto constant = [&](std::int32_t value) { return detail::scalar_beside(symbols, value); };
  const auto steps = detail::extent_of(symbols, 0), last = constant(end);
  const tensor_array<std::int32_t> walked(steps, {.element_shape = {any, any}, .name = "sequences"});
  const auto here = [](const auto& x, const auto& time) { return gather(x, time); };
  const auto own = zeros_like(here(symbols, constant(0))) + range(constant(0), detail::extent_of(symbols, 2), constant(1));
  const auto [time, sequence, flow] = while_loop(
      std::tuple{steps - 1, own, walked.flow}, [&](const auto& at, auto&&...) { return greater_equal(at, 0); },
      [&](const auto& at, const auto& from, const auto& order) {
        const auto there = reshape(at < lengths, shape{-1, 1});
        const auto symbol = select(there, detail::picked(here(symbols, at), from), last);
        const auto before = select(there, detail::picked(here(parents, at), from), from);
        return std::tuple{at - 1, before, detail::at_flow(walked, order).write(at, symbol).flow};
      },
      {.shapes = {{}, {any, any}, {}}, .back_prop = false});
  const auto all = detail::at_flow(walked, flow).stack();
  const auto ends = cast<std::int32_t>(equal(all, last));
  return select(greater(cumsum(ends, 0), 0), last, all);
}

// Finds likely sequences of symbols. They begin with `begin` {batch} and end with the symbol `end`. The search follows `width`
// sequences at a time. It corresponds to TensorFlow's BeamSearchDecoder without its coverage penalty.
template <class Cell, class Embed, class Project>
auto beam_search(const decoder<Cell, Embed, Project>& decoder, const out<std::int32_t>& begin, std::int32_t end,
                 const beam_search_options<typename Cell::state_type>& o = {}) {
  using state_type = typename Cell::state_type;
  using T = log_probability<typename Cell::element>;
  const detail::cell_call call(begin, "beam_search", {o.name, o.location});
  const std::int32_t width = o.width;
  const flowgraph::decoder wide(tiled_cell(decoder.cell, width), decoder.embed, decoder.project);
  const auto batch = detail::extent_of(begin, 0);
  const state_type initial = o.initial_state ? tile_batch(*o.initial_state, width) : wide.cell.zero_state(batch * width);
  const auto zero = detail::scalar_beside(begin, 0), one = detail::scalar_beside(begin, 1);
  const auto first_of_row = reshape(range(zero, batch, one) * width, shape{-1, 1});
  const auto symbols = detail::collected_symbols(begin, {any, width}), parents = detail::collected_symbols(begin, {any, width});
  const auto first = detail::first_beam<T>(begin, width);
  const shape wide_rows{any, width};

  const auto [steps, symbol, probabilities, finished, lengths, scores, symbol_flow, parent_flow, state] = while_loop(
      std::tuple{zero, tile_batch(begin, width), first.log_probabilities, first.finished, first.lengths, first.log_probabilities,
                 symbols.flow, parents.flow, initial},
      [&](const auto& time, const auto&, const auto&, const auto& ended, auto&&...) { return detail::some_go_on(time, ended); },
      [&](const auto& time, const auto& before, const out<T>& so_far, const out<bool>& ended, const auto& length, const auto&,
          const auto& symbol_order, const auto& parent_order, const state_type& at) {
        const auto [logits, after] = wide(before, at);
        const auto best = detail::best_continuations<T>(cast<T>(logits), {so_far, ended, length}, end, width, o.length_penalty);
        const auto rows = reshape(best.parents + first_of_row, shape{-1});
        return std::tuple{time + 1,
                          reshape(best.symbols, shape{-1}),
                          best.next.log_probabilities,
                          best.next.finished,
                          best.next.lengths,
                          best.scores,
                          detail::at_flow(symbols, symbol_order).write(time, best.symbols).flow,
                          detail::at_flow(parents, parent_order).write(time, best.parents).flow,
                          detail::gathered_rows(after, rows)};
      },
      {.parallel_iterations = o.parallel_iterations,
       .maximum_iterations = o.maximum_iterations,
       .shapes = detail::shapes_of_loop({{}, {any}, wide_rows, wide_rows, wide_rows, wide_rows, {}, {}}, initial),
       .back_prop = false});
  const auto walked = gather_tree(detail::at_flow(symbols, symbol_flow).stack(), detail::at_flow(parents, parent_flow).stack(),
                                  max(lengths, 1), end);
  return found_sequences<T>{ensure_shape(detail::first_axes_swapped(walked), {any, any, width}), lengths, probabilities, scores,
                            finished};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
