#pragma once
// Runs a cell along sequences in a loop of the graph. The number of steps may differ from run to run.
//
//     auto [outputs, last] = fg::dynamic_rnn(cell, inputs);                                   // inputs {batch, time, ...}
//     auto [outputs, last] = fg::dynamic_rnn(cell, inputs, {.lengths = n, .initial_state = state});
//
// Beyond the end of a sequence, its outputs are zeros and its state no longer changes. There are gradients for inputs, states and
// weights. See docs/recurrent.md.

#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/data_flow/tensor_array.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/rnn/state.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A vector with the number of steps of each sequence. If it is empty, each sequence has all steps of the inputs.
struct sequence_lengths {
  out<std::int32_t> handle;  // the vector

  sequence_lengths() = default;
  sequence_lengths(const out<std::int32_t>& lengths) : handle(lengths) {}
  sequence_lengths(const out<std::int64_t>& lengths) : handle(cast<std::int32_t>(lengths)) {}
  explicit operator bool() const { return handle.source != nullptr; }
};

// Options of dynamic_rnn.
template <class State> struct rnn_options {
  sequence_lengths lengths = {};            // the number of steps of each sequence; empty: all steps of the inputs
  std::optional<State> initial_state = {};  // the first state; empty: the cell's zero_state
  bool time_major = false;                  // inputs and outputs are {time, batch, ...}: saves two transpositions
  std::int64_t parallel_iterations = 32;    // the largest number of steps that may overlap
  std::string_view name = {};               // the scope of the nodes; empty: `rnn`
  std::source_location location = std::source_location::current();  // the line that the nodes belong to
};

// The results of dynamic_rnn.
template <class T, class State> struct rnn_result {
  out<T> outputs;  // the output of every step
  State state;     // the state after the last step of each sequence
};

namespace detail {

// Exchanges the first two axes: {batch, time, ...} and {time, batch, ...}.
template <class T> out<T> first_axes_swapped(const out<T>& x) {
  shape order{1, 0};
  for (int axis = 2; axis < std::max(x.shape().rank, 3); ++axis) order.push_back(axis);
  return transpose(x, order);
}

// Returns the array with another flow: the flow inside the loop, or after the loop.
template <class T> tensor_array<T> at_flow(tensor_array<T> array, const out<float>& flow) {
  array.flow = flow;
  return array;
}

// The nodes of one dynamic_rnn, for inputs {time, batch, ...}.
template <class Cell> class unrolled_cell {
public:
  using T = typename Cell::element;
  using state_type = typename Cell::state_type;

  unrolled_cell(const Cell& cell, const out<T>& inputs, const rnn_options<state_type>& o)
      : cell_(cell), options_(o), input_shape_(shape_of_rows(inputs.shape())), steps_(extent_of(inputs, 0)),
        inputs_(tensor_array<T>(steps_, {.element_shape = input_shape_, .name = "input"}).unstack(inputs)) {}

  rnn_result<T, state_type> build(const out<T>& inputs) {
    const state_type initial = options_.initial_state ? *options_.initial_state : cell_.zero_state(extent_of(inputs, 1));
    const std::int64_t batch = input_shape_.rank > 0 ? std::int64_t(input_shape_[0]) : -1;
    const tensor_array<T> collected(steps_, {.element_shape = {batch, cell_.output_size()}, .name = "output"});
    const out<std::int32_t> zero = constant_beside(inputs, tensor<std::int32_t>(0), {"time"}), end = last_step();
    const auto [steps, flow, last] = while_loop(
        std::tuple{zero, collected.flow, initial}, [&](const auto& time, const auto&, const auto&) { return time < end; },
        [&](const out<std::int32_t>& time, const out<float>& order, const state_type& state) {
          auto [output, next] = cell_(read(time), state, site{});
          if (options_.lengths) {
            const auto past_end = copied_past_end(time < options_.lengths.handle);
            output = past_end(output, zeros_like(output));
            next = past_end(next, state);
          }
          return std::tuple{time + 1, at_flow(collected, order).write(time, output).flow, next};
        },
        {.name = "while",
         .parallel_iterations = options_.parallel_iterations,
         .shapes = shapes_of_loop({{}, {}}, initial, batch >= 0)});
    const out<std::int32_t> one = constant_beside(inputs, tensor<std::int32_t>(1));
    return {at_flow(collected, flow).gather(range(zero, steps_, one)), last};
  }

private:
  // Returns the number of steps: the length of the longest sequence, but at least 1, since the first step gives the arrays the
  // shape of the outputs.
  out<std::int32_t> last_step() const {
    if (!options_.lengths) return steps_;
    return minimum(steps_, maximum(max(options_.lengths.handle), 1));
  }
  out<T> read(const out<std::int32_t>& time) const { return ensure_shape(inputs_.read(time), input_shape_); }

  const Cell& cell_;
  const rnn_options<state_type>& options_;
  shape input_shape_;
  out<std::int32_t> steps_;
  tensor_array<T> inputs_;
};

}  // namespace detail

// Runs a cell along sequences, step by step, and returns its outputs and the state after the last step. It corresponds to
// TensorFlow's dynamic_rnn.
template <recurrent_cell Cell>
rnn_result<typename Cell::element, typename Cell::state_type> dynamic_rnn(const Cell& cell,
                                                                          const out<typename Cell::element>& inputs,
                                                                          const rnn_options<typename Cell::state_type>& o = {}) {
  const detail::cell_call call(inputs, "rnn", {o.name, o.location});
  const auto by_time = o.time_major ? inputs : detail::first_axes_swapped(inputs);
  auto result = detail::unrolled_cell<Cell>(cell, by_time, o).build(by_time);
  if (!o.time_major) result.outputs = detail::first_axes_swapped(result.outputs);
  return result;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
