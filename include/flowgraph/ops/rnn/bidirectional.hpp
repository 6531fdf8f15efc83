#pragma once
// Runs two cells along sequences: one cell from the beginning and the other from the end.
//
//     auto [forward, backward] = fg::bidirectional_rnn(left, right, inputs, {.lengths = n});
//     auto seen = fg::concat({forward.outputs, backward.outputs}, 2);         // the context of each step on both sides

#include <flowgraph/ops/array/reverse.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of bidirectional_rnn.
template <class Forward, class Backward> struct bidirectional_options {
  sequence_lengths lengths = {};                  // the number of steps of each sequence; empty: all steps of the inputs
  std::optional<Forward> initial_forward = {};    // the first state; empty: zero_state of the forward cell
  std::optional<Backward> initial_backward = {};  // the first state; empty: zero_state of the backward cell
  bool time_major = false;                        // inputs and outputs are {time, batch, ...}
  std::int64_t parallel_iterations = 32;          // the largest number of steps that may overlap
  std::string_view name = {};                     // the scope of the nodes; empty: `bidirectional_rnn`
  std::source_location location = std::source_location::current();  // the line that the nodes belong to
};

// The results of both cells. The outputs of both cells are in the order of the inputs. The last state of `backward` is its state
// at the beginning of each sequence.
template <class T, class Forward, class Backward> struct bidirectional_result {
  rnn_result<T, Forward> forward;    // the results from the beginning of each sequence
  rnn_result<T, Backward> backward;  // the results from the end of each sequence
};

// Runs one cell forward and one cell backward along sequences. It corresponds to TensorFlow's bidirectional_dynamic_rnn.
template <recurrent_cell Forward, recurrent_cell Backward>
bidirectional_result<typename Forward::element, typename Forward::state_type, typename Backward::state_type> bidirectional_rnn(
    const Forward& forward, const Backward& backward, const out<typename Forward::element>& inputs,
    const bidirectional_options<typename Forward::state_type, typename Backward::state_type>& o = {}) {
  using T = typename Forward::element;
  const detail::cell_call call(inputs, "bidirectional_rnn", {o.name, o.location});
  const int time_axis = o.time_major ? 0 : 1;
  const auto turned = [&](const out<T>& x) {
    return o.lengths ? reverse_sequence(x, o.lengths.handle, time_axis, 1 - time_axis) : reverse(x, shape{time_axis});
  };
  const auto options = [&](const auto& initial, std::string_view name) {
    using State = typename std::remove_cvref_t<decltype(initial)>::value_type;
    return rnn_options<State>{o.lengths, initial, o.time_major, o.parallel_iterations, name, o.location};
  };
  const auto ahead = dynamic_rnn(forward, inputs, options(o.initial_forward, "fw"));
  auto back = dynamic_rnn(backward, turned(inputs), options(o.initial_backward, "bw"));
  back.outputs = turned(back.outputs);
  return {ahead, back};
}

}  // namespace flowgraph
