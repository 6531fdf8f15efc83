#pragma once
// The common parts of the cells of recurrent networks. A cell is a value. Its constructor makes its variables, the weights, and
// copies of the cell share them. Each call adds the nodes of one step.
//
//     const fg::gru_cell<float> cell(g, 16, 32);                 // for inputs of 16 numbers, with 32 units
//     auto state = cell.zero_state(batch);
//     auto [output, next] = cell(x, state);                      // x is {batch, 16}, output is {batch, 32}
//
// Your own struct is a cell if it has the members of `recurrent_cell`.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/control_flow/body.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/bias.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/random/initializer.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include <functional>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The result of one step of a cell.
template <class T, class State> struct cell_step {
  out<T> output;  // the output of the step
  State state;    // the state after the step
};

// A cell. `element` is its element type, and `state_type` is a handle or a tuple of handles. A call with x of shape {batch,
// inputs} and a state returns a cell_step whose output has the shape {batch, output_size()}. zero_state(batch) returns the
// initial state of the sequences.
template <class Cell>
concept recurrent_cell = requires(const Cell& cell, const out<typename Cell::element>& x, const typename Cell::state_type& state,
                                  const out<std::int32_t>& batch, site s) {
  { cell(x, state, s) } -> std::same_as<cell_step<typename Cell::element, typename Cell::state_type>>;
  { cell.zero_state(batch) } -> std::same_as<typename Cell::state_type>;
  { cell.output_size() } -> std::convertible_to<std::int64_t>;
};

// Returns the cell for a batch in which each sequence is repeated `times` times. A cell that reads data of its sequences in
// addition to the input, or that contains another cell, must have a member tiled(times). Other cells are returned unchanged.
template <class Cell> Cell tiled_cell(const Cell& cell, std::int32_t times) {
  if constexpr (requires { cell.tiled(times); }) return cell.tiled(times);
  else return cell;
}

// Options of a cell: the initial values of its variables, as functions of their shapes, and the scope of the variables.
template <class T> struct cell_options {
  std::string_view name = {};  // the scope of the variables, not made unique; empty: the cell's default, as in TensorFlow
  // the initial values of the matrices
  std::function<initializer<T>(const shape&)> kernel = [](const shape& s) { return glorot_uniform<T>(s); };
  std::function<initializer<T>(const shape&)> bias = {};  // the initial values of the bias; empty: those of TensorFlow's cells
  // the activation function of the cell
  std::function<out<T>(const out<T>&)> activation = [](const out<T>& x) { return tanh(x); };
  std::source_location location = std::source_location::current();  // the source line that errors of the variables name
};

namespace detail {

// Returns zeros of shape {batch, width}. The batch may be unknown.
template <class T> out<T> zero_rows(const out<std::int32_t>& batch, std::int64_t width) {
  const out<T> zero = constant_beside(batch, tensor<T>(T(0.f)), {"zero_state/value"});
  if (const any_tensor* known = constant_value(batch))
    return fill(shape{*static_cast<const std::int32_t*>(known->data()), width}, zero, {"zero_state"});
  const tensor<std::int32_t> columns(static_cast<std::int32_t>(width));
  const auto dims = pack({batch, constant_beside(batch, columns, {"zero_state/width"})}, 0, {"zero_state/shape"});
  return reshape(fill(dims, zero, {"zero_state/fill"}), shape{-1, width}, {"zero_state"});
}

// While an object of this type exists, new nodes get the caller's line, and their names are in a scope.
class cell_call {
public:
  cell_call(const any_out& x, std::string_view name, const site& s)
      : here_(x.source ? x.source->graph : nullptr, s.location), graph_(x.source ? graph_of(*x.source) : graph()),
        scope_(graph_.in_scope(s.name.empty() ? name : s.name)) {}

private:
  inherited_location here_;
  graph graph_;
  graph::scope scope_;
};

// A matrix and a vector that map rows of `inputs` numbers to rows of `outputs` numbers.
template <class T> struct dense_weights {
  variable<T> kernel, bias;

  dense_weights() = default;
  template <class Options>
  dense_weights(graph g, std::string_view scope, std::int64_t inputs, std::int64_t outputs, const Options& o, double first_bias) {
    const site here{{}, o.location};
    const initializer<T> begin = o.bias ? o.bias(shape{outputs}) : constant<T>(shape{outputs}, T(static_cast<float>(first_bias)));
    kernel = g.variable(message{scope, "/kernel"}.string(), o.kernel(shape{inputs, outputs}), here);
    bias = g.variable(message{scope, "/bias"}.string(), begin, here);
  }
  // Applies the weights to rows that consist of the columns of x followed by those of h.
  out<T> operator()(const out<T>& x, const out<T>& h) const { return bias_add(matmul(concat({x, h}, 1), kernel), bias); }
};

}  // namespace detail

}  // namespace flowgraph
