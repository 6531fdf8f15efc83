#pragma once
// Attention gives each step of a memory {batch, time, depth} a weight that expresses its relevance to a query {batch, ...}.
//
//     const fg::bahdanau_attention<float> attention(memory, query_size, units, {.lengths = n});
//     auto [context, weights] = attention(query);               // {batch, depth}, {batch, time}; weights add up to 1
//
// attention_cell.hpp defines a cell that uses attention in each step.

#include <flowgraph/ops/linear_algebra/einsum.hpp>
#include <flowgraph/ops/nn/softmax.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>

#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The result of an attention mechanism for a query.
template <class T> struct attended {
  out<T> context;  // the weighted sum of the memory's steps
  out<T> weights;  // the weight of each step, {batch, time}
};

// Options of attention mechanisms.
template <class T> struct attention_options {
  sequence_lengths lengths = {};  // the lengths of the memory's sequences, at least 1; later steps are ignored
  bool scale = false;             // true: Luong's attention multiplies scores by a learned number
  std::string_view name = {};     // the scope of the variables; empty: the default of the mechanism, as in TensorFlow
  // the initial values of the matrices
  std::function<initializer<T>(const shape&)> kernel = [](const shape& s) { return glorot_uniform<T>(s); };
  std::source_location location = std::source_location::current();  // the source line that errors of the variables name
};

// An attention mechanism. It has a type `element`, functions depth() and tiled(times), and a call operator that takes a query.
template <class A>
concept attention_mechanism = requires(const A& attention, const out<typename A::element>& query, site s) {
  { attention(query, s) } -> std::same_as<attended<typename A::element>>;
  { attention.depth() } -> std::convertible_to<std::int64_t>;
  { attention.tiled(std::int32_t()) } -> std::same_as<A>;  // repeats each sequence of the memory
};

namespace detail {

// A memory whose steps beyond the sequences' lengths are masked, and its keys. The keys are a linear function of the memory;
// queries are compared with the keys.
template <class T> struct attention_memory {
  out<T> values, keys;
  out<bool> is_there;  // {batch, time}; empty: all steps are used
  std::int64_t depth = 0, units = 0;
  variable<T> kernel;

  attention_memory(const out<T>& memory, std::int64_t width, const attention_options<T>& o, std::string_view scope)
      : values(memory), depth(memory.shape().rank == 3 ? std::int64_t(memory.shape()[2]) : -1), units(width) {
    if (!has_graph(memory, "attention", {scope, o.location})) return;
    graph g = graph_of(*memory.source);
    const site here{{}, o.location};
    const inherited_location line(memory.source->graph, o.location);
    kernel = g.variable(message{scope, "/memory_layer/kernel"}.string(), o.kernel(shape{depth, units}), here);
    if (o.lengths) {
      const auto zero = constant_beside(memory, tensor<std::int32_t>(0)), one = constant_beside(memory, tensor<std::int32_t>(1));
      is_there = range(zero, extent_of(memory, 1), one) < reshape(o.lengths.handle, shape{-1, 1});
      values = select(reshape(is_there, across()), values, zeros_like(values));
    }
    keys = einsum("btd,du->btu", {values, out<T>(kernel)});
  }
  attended<T> attend(const out<T>& score) const {
    const out<T> never = constant_beside(score, tensor<T>(T(-std::numeric_limits<float>::infinity())), {"never"});
    const out<T> weights = softmax(is_there.source ? select(is_there, score, never) : score);
    return {sum(reshape(weights, across()) * values, 1), weights};
  }
  attention_memory tiled(std::int32_t times) const {
    attention_memory result = *this;
    result.values = tile_batch(values, times);
    result.keys = tile_batch(keys, times);
    if (is_there.source) result.is_there = tile_batch(is_there, times);
    return result;
  }

private:
  // Returns the shape {batch, time, 1}.
  out<std::int32_t> across() const { return concat({slice(shape_of(values), {0}, {2}), one_extent()}, 0); }
  out<std::int32_t> one_extent() const { return constant_beside(values, tensor<std::int32_t>({1}, {1}), {"one"}); }
};

}  // namespace detail

// Attention that compares keys with queries of `units` numbers by their products (Luong et al., 2015). It corresponds to
// TensorFlow's LuongAttention.
template <class T> struct luong_attention {
  using element = T;

  detail::attention_memory<T> memory;  // the memory and its keys
  variable<T> factor;                  // the learned factor of scores, if they are scaled

  luong_attention(const out<T>& steps, std::int64_t units, const attention_options<T>& o = {})
      : memory(steps, units, o, scope(o)) {
    if (!o.scale || !steps.source) return;
    factor = graph_of(*steps.source).variable(message{scope(o), "/attention_g"}.string(), ones<T>({}), {{}, o.location});
  }
  // Returns the context and the weights for a query.
  attended<T> operator()(const out<T>& query, site s = {}) const {
    const detail::cell_call call(query, "luong_attention", s);
    const out<T> score = sum(memory.keys * reshape(query, shape{-1, 1, memory.units}), 2);
    return memory.attend(factor.source ? score * factor : score);
  }
  // Returns the size of the context.
  std::int64_t depth() const { return memory.depth; }
  // Returns the attention for a memory in which each sequence is repeated `times` times.
  luong_attention tiled(std::int32_t times) const {
    luong_attention result = *this;
    result.memory = memory.tiled(times);
    return result;
  }

private:
  static std::string_view scope(const attention_options<T>& o) { return o.name.empty() ? "luong_attention" : o.name; }
};

// Attention by a small network: v * tanh(query_layer * query + key), with a learned vector v (Bahdanau et al., 2015). It
// corresponds to TensorFlow's BahdanauAttention.
template <class T> struct bahdanau_attention {
  using element = T;

  detail::attention_memory<T> memory;  // the memory and its keys
  variable<T> query_layer, v;          // query_layer: the matrix for queries; v: the learned vector

  bahdanau_attention(const out<T>& steps, std::int64_t query_size, std::int64_t units, const attention_options<T>& o = {})
      : memory(steps, units, o, scope(o)) {
    if (!steps.source) return;
    graph g = graph_of(*steps.source);
    const site here{{}, o.location};
    query_layer = g.variable(message{scope(o), "/query_layer/kernel"}.string(), o.kernel(shape{query_size, units}), here);
    v = g.variable(message{scope(o), "/attention_v"}.string(), o.kernel(shape{units}), here);
  }
  // Returns the context and the weights for a query.
  attended<T> operator()(const out<T>& query, site s = {}) const {
    const detail::cell_call call(query, "bahdanau_attention", s);
    const out<T> asked = reshape(matmul(query, query_layer), shape{-1, 1, memory.units});
    return memory.attend(sum(tanh(memory.keys + asked) * v, 2));
  }
  // Returns the size of the context.
  std::int64_t depth() const { return memory.depth; }
  // Returns the attention for a memory in which each sequence is repeated `times` times.
  bahdanau_attention tiled(std::int32_t times) const {
    bahdanau_attention result = *this;
    result.memory = memory.tiled(times);
    return result;
  }

private:
  static std::string_view scope(const attention_options<T>& o) { return o.name.empty() ? "bahdanau_attention" : o.name; }
};

}  // namespace flowgraph
