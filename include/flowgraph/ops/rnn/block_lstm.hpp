#pragma once
// Long short-term memory in one op: a step (LSTMBlockCell) or a whole sequence (BlockLSTM). Weights are tensors of your graph, not
// variables of a cell.
//
//     const auto read = fg::block_lstm(x, {c, h}, {.w = w, .b = b});     // x is {time, batch, inputs}
//     auto outputs = read.h;                                             // {time, batch, units}

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/rnn/lstm_cell.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The order of the gates in the columns of the weights: input gate i, candidate c, forget gate f, output gate o.
enum class gate_order : std::uint8_t { icfo, ifco };

struct lstm_settings {
  float forget_bias = 1, cell_clip = 3;
  bool use_peephole = false;
  gate_order order = gate_order::icfo;
};

// The shapes that LSTM ops share: x, cs_prev, h_prev, w, wci, wcf, wco, b. `axes` is the rank of x.
using lstm_shapes = std::array<const shape*, 8>;
shape_list lstm_state_shapes(shape_context& c, const lstm_shapes& in, int axes, bool needs_peepholes);
shape_list lstm_cell_gradient_shapes(shape_context& c, const lstm_shapes& in, bool needs_peepholes,
                                     std::span<const shape* const> states);
shape_list lstm_gradient_shapes(shape_context& c, const lstm_shapes& in, std::span<const shape* const> states);
void check_step_count(shape_context& c, const shape& seq_len_max);
std::size_t lstm_scratch(const shape& x, const shape& cs_prev);
std::size_t lstm_gradient_scratch(const shape& x, const shape& cs_prev);

}  // namespace detail

// ---- One step

// Returns the gradients of LSTMBlockCell: that of cs_prev, those of the gates before their activation functions, and those of the
// peepholes.
struct lstm_block_cell_grad_op {
  static constexpr std::string_view name = "LSTMBlockCellGrad";
  using types = type_list<half, float>;
  static constexpr op_facts facts{.not_differentiable = true};
  bool use_peephole = false;
  static constexpr auto attrs = flowgraph::attrs(required("use_peephole", &lstm_block_cell_grad_op::use_peephole));
  using S = flowgraph::shape;

  shape_list shape(shape_context& c, const S& x, const S& cs_prev, const S& h_prev, const S& w, const S& wci, const S& wcf,
                   const S& wco, const S& b, const S& i, const S& cs, const S& f, const S& o, const S& ci, const S& co,
                   const S& cs_grad, const S& h_grad) const {
    return detail::lstm_cell_gradient_shapes(c, {&x, &cs_prev, &h_prev, &w, &wci, &wcf, &wco, &b}, use_peephole,
                                             {{&i, &cs, &f, &o, &ci, &co, &cs_grad, &h_grad}});
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> cs_prev, view<const T> h_prev, view<const T> w, view<const T> wci,
                  view<const T> wcf, view<const T> wco, view<const T> b, view<const T> i, view<const T> cs, view<const T> f,
                  view<const T> o, view<const T> ci, view<const T> co, view<const T> cs_grad, view<const T> h_grad,
                  view<T> cs_prev_grad, view<T> dicfo, view<T> wci_grad, view<T> wcf_grad, view<T> wco_grad) const;
};

// Computes one step of an LSTM. Returns the input gate, the memory, the forget gate, the output gate, the candidate, tanh of the
// memory, and the output.
struct lstm_block_cell_op {
  static constexpr std::string_view name = "LSTMBlockCell";
  using types = type_list<half, float>;
  float forget_bias = 1, cell_clip = 3;
  bool use_peephole = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("forget_bias", &lstm_block_cell_op::forget_bias), attr("cell_clip", &lstm_block_cell_op::cell_clip),
                       attr("use_peephole", &lstm_block_cell_op::use_peephole));
  using S = flowgraph::shape;

  shape_list shape(shape_context& c, const S& x, const S& cs_prev, const S& h_prev, const S& w, const S& wci, const S& wcf,
                   const S& wco, const S& b) const {
    return detail::lstm_state_shapes(c, {&x, &cs_prev, &h_prev, &w, &wci, &wcf, &wco, &b}, 2, use_peephole);
  }
  std::size_t scratch(const S& x, const S& cs_prev, const S&, const S&, const S&, const S&, const S&, const S&) const {
    return detail::lstm_scratch(x, cs_prev);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> cs_prev, view<const T> h_prev, view<const T> w, view<const T> wci,
                  view<const T> wcf, view<const T> wco, view<const T> b, view<T> i, view<T> cs, view<T> f, view<T> o, view<T> ci,
                  view<T> co, view<T> h) const;
  template <class T>
  gradients_of<T, 8> gradient(out<T> x, out<T> cs_prev, out<T> h_prev, out<T> w, out<T> wci, out<T> wcf, out<T> wco, out<T> b,
                              out<T> i, out<T> cs, out<T> f, out<T> o, out<T> ci, out<T> co, out<T> h, out<T>, out<T> cs_grad,
                              out<T>, out<T>, out<T>, out<T>, out<T> h_grad) const;
};

// ---- Sequences

namespace detail {

template <gate_order Order> struct block_lstm_grad_form {
  using types = type_list<half, float>;
  static constexpr op_facts base_facts{.not_differentiable = true};
  bool use_peephole = false;
  using S = flowgraph::shape;

  shape_list shape(shape_context& c, const S& seq_len_max, const S& x, const S& cs_prev, const S& h_prev, const S& w,
                   const S& wci, const S& wcf, const S& wco, const S& b, const S& i, const S& cs, const S& f, const S& o,
                   const S& ci, const S& co, const S& h, const S& cs_grad, const S& h_grad) const {
    check_step_count(c, seq_len_max);
    return lstm_gradient_shapes(c, {&x, &cs_prev, &h_prev, &w, &wci, &wcf, &wco, &b},
                                {{&i, &cs, &f, &o, &ci, &co, &h, &cs_grad, &h_grad}});
  }
  std::size_t scratch(const S&, const S& x, const S& cs_prev, const S&, const S&, const S&, const S&, const S&, const S&,
                      const S&, const S&, const S&, const S&, const S&, const S&, const S&, const S&, const S&) const {
    return lstm_gradient_scratch(x, cs_prev);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> seq_len_max, view<const T> x, view<const T> cs_prev, view<const T> h_prev,
                  view<const T> w, view<const T> wci, view<const T> wcf, view<const T> wco, view<const T> b, view<const T> i,
                  view<const T> cs, view<const T> f, view<const T> o, view<const T> ci, view<const T> co, view<const T> h,
                  view<const T> cs_grad, view<const T> h_grad, view<T> x_grad, view<T> cs_prev_grad, view<T> h_prev_grad,
                  view<T> w_grad, view<T> wci_grad, view<T> wcf_grad, view<T> wco_grad, view<T> b_grad) const;
};

template <gate_order Order> struct block_lstm_form {
  using types = type_list<half, float>;
  float forget_bias = Order == gate_order::icfo ? 1.f : 0.f, cell_clip = Order == gate_order::icfo ? 3.f : 0.f;
  bool use_peephole = false;
  using S = flowgraph::shape;

  shape_list shape(shape_context& c, const S& seq_len_max, const S& x, const S& cs_prev, const S& h_prev, const S& w,
                   const S& wci, const S& wcf, const S& wco, const S& b) const {
    check_step_count(c, seq_len_max);
    return lstm_state_shapes(c, {&x, &cs_prev, &h_prev, &w, &wci, &wcf, &wco, &b}, 3, true);
  }
  std::size_t scratch(const S&, const S& x, const S& cs_prev, const S&, const S&, const S&, const S&, const S&, const S&) const {
    return lstm_scratch(x, cs_prev);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> seq_len_max, view<const T> x, view<const T> cs_prev, view<const T> h_prev,
                  view<const T> w, view<const T> wci, view<const T> wcf, view<const T> wco, view<const T> b, view<T> i,
                  view<T> cs, view<T> f, view<T> o, view<T> ci, view<T> co, view<T> h) const;
};

}  // namespace detail

// Returns the gradients of BlockLSTM with respect to all inputs except seq_len_max.
struct block_lstm_grad_op : detail::block_lstm_grad_form<detail::gate_order::icfo> {
  static constexpr std::string_view name = "BlockLSTMGrad";
  static constexpr auto attrs = flowgraph::attrs(required("use_peephole", &block_lstm_grad_op::use_peephole));
};
// Returns the gradients of BlockLSTMV2 with respect to all inputs except seq_len_max.
struct block_lstm_grad_v2_op : detail::block_lstm_grad_form<detail::gate_order::ifco> {
  static constexpr std::string_view name = "BlockLSTMGradV2";
  static constexpr auto attrs = flowgraph::attrs(required("use_peephole", &block_lstm_grad_v2_op::use_peephole));
};

// Computes an LSTM over sequences, with time as the first axis. Returns for all steps: the input gate, the memory, the forget gate,
// the output gate, the candidate, tanh of the memory, and the output. The columns of w are those of i, the candidate, f and o.
// From step seq_len_max on, the results are zeros.
struct block_lstm_op : detail::block_lstm_form<detail::gate_order::icfo> {
  static constexpr std::string_view name = "BlockLSTM";
  static constexpr auto attrs =
      flowgraph::attrs(attr("forget_bias", &block_lstm_op::forget_bias), attr("cell_clip", &block_lstm_op::cell_clip),
                       attr("use_peephole", &block_lstm_op::use_peephole));
  template <class T>
  gradients_of<T, 9> gradient(out<std::int64_t> seq_len_max, out<T> x, out<T> cs_prev, out<T> h_prev, out<T> w, out<T> wci,
                              out<T> wcf, out<T> wco, out<T> b, out<T> i, out<T> cs, out<T> f, out<T> o, out<T> ci, out<T> co,
                              out<T> h, out<T>, out<T> cs_grad, out<T>, out<T>, out<T>, out<T>, out<T> h_grad) const;
};
// Computes an LSTM like BlockLSTM, without a bias of the forget gate. The columns of w are those of i, f, the candidate and o.
struct block_lstm_v2_op : detail::block_lstm_form<detail::gate_order::ifco> {
  static constexpr std::string_view name = "BlockLSTMV2";
  static constexpr auto attrs =
      flowgraph::attrs(attr("cell_clip", &block_lstm_v2_op::cell_clip), attr("use_peephole", &block_lstm_v2_op::use_peephole));
  template <class T>
  gradients_of<T, 9> gradient(out<std::int64_t> seq_len_max, out<T> x, out<T> cs_prev, out<T> h_prev, out<T> w, out<T> wci,
                              out<T> wcf, out<T> wco, out<T> b, out<T> i, out<T> cs, out<T> f, out<T> o, out<T> ci, out<T> co,
                              out<T> h, out<T>, out<T> cs_grad, out<T>, out<T>, out<T>, out<T>, out<T> h_grad) const;
};

// ---- Functions

// The weights of an LSTM as tensors. The columns of w and b are those of the input gate i, the candidate, the forget gate f and the
// output gate o.
template <class T> struct block_lstm_weights {
  out<T> w, b;                          // {inputs + units, 4 * units} and {4 * units}
  out<T> wci = {}, wcf = {}, wco = {};  // the peepholes {units} of i, f and o; all three, or none
};
// Options of lstm_block_cell and block_lstm.
struct block_lstm_options {
  float forget_bias = 1;         // added to the forget gate
  float cell_clip = 0;           // the largest absolute value of the memory; 0: no limit
  out<std::int64_t> steps = {};  // block_lstm: the number of steps to compute; empty: all
};
// The results of block_lstm for all steps, {time, batch, units}.
template <class T> struct block_lstm_states {
  out<T> c, h;  // c: the memories; h: the outputs
};

namespace detail {

// Without peepholes, the op reads only the shapes of the three vectors.
template <class T> std::array<out<T>, 3> peepholes_of(const block_lstm_weights<T>& weights, const site& s) {
  if (weights.wci.source) return {weights.wci, weights.wcf, weights.wco};
  const out<T> none_of_them = stop_gradient(out<T>(split(weights.b, 4, 0, part_of(s, "peepholes"))[0]));
  return {none_of_them, none_of_them, none_of_them};
}

}  // namespace detail

// Computes one step of an LSTM for x {batch, inputs}, and returns the next state. The output of the step is its member h.
template <class T>
lstm_state<T> lstm_block_cell(const out<T>& x, const lstm_state<T>& state, const block_lstm_weights<T>& weights,
                              const block_lstm_options& o = {}, site s = {}) {
  const auto [wci, wcf, wco] = detail::peepholes_of(weights, s);
  const auto all = apply(s, lstm_block_cell_op{o.forget_bias, o.cell_clip, weights.wci.source != nullptr}, x, state.c, state.h,
                         weights.w, wci, wcf, wco, weights.b);
  return {std::get<1>(all), std::get<6>(all)};
}

// Computes an LSTM for sequences x {time, batch, inputs}, and returns the states after all steps. From step `steps` on, they are
// zeros.
template <class T>
block_lstm_states<T> block_lstm(const out<T>& x, const lstm_state<T>& initial, const block_lstm_weights<T>& weights,
                                const block_lstm_options& o = {}, site s = {}) {
  const auto [wci, wcf, wco] = detail::peepholes_of(weights, s);
  out<std::int64_t> steps = o.steps;
  if (!steps.source) {
    const out<std::int64_t> extents = shape_of<std::int64_t>(x, detail::part_of(s, "steps/shape"));
    steps = reshape(slice(extents, shape{0}, shape{1}, detail::part_of(s, "steps/first")), shape{}, detail::part_of(s, "steps"));
  }
  block_lstm_op op;
  op.forget_bias = o.forget_bias;
  op.cell_clip = o.cell_clip;
  op.use_peephole = weights.wci.source != nullptr;
  const auto all = apply(s, op, steps, x, initial.c, initial.h, weights.w, wci, wcf, wco, weights.b);
  return {std::get<1>(all), std::get<6>(all)};
}

using block_lstm_ops = type_list<lstm_block_cell_op, lstm_block_cell_grad_op, block_lstm_op, block_lstm_grad_op, block_lstm_v2_op,
                                 block_lstm_grad_v2_op>;

template <class T>
gradients_of<T, 8> lstm_block_cell_op::gradient(out<T> x, out<T> cs_prev, out<T> h_prev, out<T> w, out<T> wci, out<T> wcf,
                                                out<T> wco, out<T> b, out<T> i, out<T> cs, out<T> f, out<T> o, out<T> ci,
                                                out<T> co, out<T>, out<T>, out<T> cs_grad, out<T>, out<T>, out<T>, out<T>,
                                                out<T> h_grad) const {
  const auto [dcs_prev, dgates, dwci, dwcf, dwco] = apply(site{}, lstm_block_cell_grad_op{use_peephole}, x, cs_prev, h_prev, w,
                                                          wci, wcf, wco, b, i, cs, f, o, ci, co, cs_grad, h_grad);
  const out<std::int32_t> columns = detail::constant_beside(x, tensor<std::int32_t>(1));
  const out_list<T> dxh = concat_parts(out<T>(matmul(dgates, w, {.transpose_b = true})), out_list<T>{x, h_prev}, columns);
  const out<T> dw = matmul(concat({x, h_prev}, 1), dgates, {.transpose_a = true});
  return {{dxh[0], dcs_prev, dxh[1], dw, dwci, dwcf, dwco, sum(dgates, 0)}};
}

namespace detail {

template <class Gradient, class T>
gradients_of<T, 9> block_lstm_gradients(const Gradient& op, const out<std::int64_t>& steps, const std::array<out<T>, 8>& in,
                                        const std::array<out<T>, 7>& result, const out<T>& dcs, const out<T>& dh) {
  const auto [x, cs_prev, h_prev, w, wci, wcf, wco, b] = in;
  const auto [i, cs, f, o, ci, co, h] = result;
  const auto g = apply(site{}, op, steps, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, dcs, dh);
  return std::apply([](const auto&... each) { return gradients_of<T, 9>{{none, each...}}; }, g);
}

}  // namespace detail

template <class T>
gradients_of<T, 9> block_lstm_op::gradient(out<std::int64_t> steps, out<T> x, out<T> cs_prev, out<T> h_prev, out<T> w, out<T> wci,
                                           out<T> wcf, out<T> wco, out<T> b, out<T> i, out<T> cs, out<T> f, out<T> o, out<T> ci,
                                           out<T> co, out<T> h, out<T>, out<T> dcs, out<T>, out<T>, out<T>, out<T>,
                                           out<T> dh) const {
  return detail::block_lstm_gradients<block_lstm_grad_op, T>({{use_peephole}}, steps, {x, cs_prev, h_prev, w, wci, wcf, wco, b},
                                                             {i, cs, f, o, ci, co, h}, dcs, dh);
}
template <class T>
gradients_of<T, 9> block_lstm_v2_op::gradient(out<std::int64_t> steps, out<T> x, out<T> cs_prev, out<T> h_prev, out<T> w,
                                              out<T> wci, out<T> wcf, out<T> wco, out<T> b, out<T> i, out<T> cs, out<T> f,
                                              out<T> o, out<T> ci, out<T> co, out<T> h, out<T>, out<T> dcs, out<T>, out<T>,
                                              out<T>, out<T>, out<T> dh) const {
  return detail::block_lstm_gradients<block_lstm_grad_v2_op, T>(
      {{use_peephole}}, steps, {x, cs_prev, h_prev, w, wci, wcf, wco, b}, {i, cs, f, o, ci, co, h}, dcs, dh);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/rnn/detail/block_lstm.hpp>
#endif
