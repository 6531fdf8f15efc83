#pragma once
// Copies nodes of a graph, in the order of their creation, to a new graph, with the same names.

#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/control_flow/erased_tables.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class graph_copy {
public:
  explicit graph_copy(const graph& from) : from_(from.state()) {
    threading::lock_guard lock(from_.mutex);
    nodes_ = from_.nodes;
    outputs_.resize(nodes_.size());
    graph_state& g = to_.state();
    g.seed = from_.seed;
    g.flow = from_.flow;
    g.gradients = from_.gradients;
  }

  std::span<node* const> nodes() const noexcept { return nodes_; }
  graph_state& state() const noexcept { return to_.state(); }

  // Returns the output in the copy that replaces an output; an empty handle if there is none yet.
  any_out at(const edge& e) const {
    const auto& outputs = outputs_[e.from->id];
    return e.port < outputs.size() ? outputs[e.port] : any_out();
  }
  void stands_for(const node& n, std::uint32_t port, any_out output) {
    auto& outputs = outputs_[n.id];
    outputs.resize(n.outputs.size());
    outputs[port] = output;
  }

  // Copies a node without changes. `finish` sets the input of a loop whose source does not exist yet.
  result<node*> copy(const node& n) {
    std::vector<any_out> inputs;
    for (const edge& e : n.inputs) inputs.push_back(at(e));
    return add(n, *n.op, n.attributes, inputs);
  }
  // Adds another op instead of a node, with its name and control inputs. Empty handles among `inputs` mean the node's own inputs
  // that do not exist yet.
  result<node*> add(const node& n, const op_table& table, const void* op, std::span<const any_out> inputs,
                    std::span<node* const> more_control = {}) {
    std::vector<any_out> given(inputs.begin(), inputs.end());
    std::vector<std::uint32_t> later;
    for (std::uint32_t i = 0; i < given.size(); ++i) {
      if (given[i].source) continue;
      later.push_back(i);
      for (const any_out& other : inputs)
        if (other.source) given[i] = other;
    }
    sequence<node*> control(more_control.begin(), more_control.end());
    for (const node* c : n.control_inputs) wait_for(*c, control);
    node_request r;
    r.table = &table;
    r.op = op;
    r.inputs = given;
    r.control_inputs = control;
    r.keep_name = true;
    std::size_t lists = 0;
    for (const argument& a : table.inputs()) lists += a.kind != argument::form::single ? 1 : 0;
    if (n.list_sizes && lists > 1) r.list_sizes = {n.list_sizes, lists};
    auto added = to_.try_add(r, {n.name, n.where});
    if (!added) return added;
    node& m = **added;
    state().constrain(m, n.device);
    m.body = n.body;
    for (const std::uint32_t i : later) back_edges_.push_back({&m, i, n.inputs[i]});
    for (std::uint32_t port = 0; port < n.outputs.size() && port < m.outputs.size(); ++port) {
      keep_shape(n, m, port);
      stands_for(n, port, {&m, port});
    }
    copies_.resize(nodes_.size());
    copies_[n.id] = &m;
    return &m;
  }
  // Adds a constant instead of output 0.
  result<node*> add_constant(const node& n, any_tensor value, op_table::sum_function sum, std::span<node* const> control = {}) {
    const dtype type = value.type();
    const const_op op{std::move(value)};
    return add(n, *erased_constant_table(state(), type, sum), &op, {}, control);
  }
  // Adds a constant that the graph did not have, with a name derived from the node.
  result<node*> add_part(const node& n, std::string_view part, any_tensor value) {
    const dtype type = value.type();
    const const_op op{std::move(value)};
    return add_part(n, part, *erased_constant_table(state(), type, nullptr), &op, {});
  }
  result<node*> add_part(const node& n, std::string_view part, const op_table& table, const void* op,
                         std::span<const any_out> inputs) {
    std::string name = message{n.name, '/', part};
    while (is_taken(name)) name += '_';
    node_request r;
    r.table = &table;
    r.op = op;
    r.inputs = inputs;
    r.keep_name = true;
    auto added = to_.try_add(r, {name, n.where});
    if (added) (*added)->device = state().memory.text(n.device);
    return added;
  }

  result<graph> finish() {
    for (const auto& [to, index, from] : back_edges_) {
      const any_out value = at(from);
      if (!value.source || value.type() != to->outputs[0].type)
        return invalid_argument({"the back edge at input ", index, " has another type than the first value of the loop variable"})
            .at(to->name, to->op->name(), to->where);
      to_.set_back_edge(to, index, value);
    }
    graph_state& g = state();
    g.bodies.count = from_.bodies.count;
    g.bodies.records = from_.bodies.records;
    g.bodies.rules = from_.bodies.rules;
    return to_;
  }

private:
  struct back_edge {
    node* to;
    std::uint32_t index;
    edge from;
  };

  // Control inputs that are constants of the plan are left out: they are always ready.
  void wait_for(const node& c, sequence<node*>& control) const {
    node* result = c.id < copies_.size() ? copies_[c.id] : nullptr;
    if (result && !is_free(*result)) control.push_back(result);
  }
  // Keeps the known shape of an output. The shapes of values that go round a loop were declared with the loop.
  static void keep_shape(const node& n, node& m, std::uint32_t port) {
    shape& known = m.outputs[port].shape;
    const shape& before = n.outputs[port].shape;
    if (n.op->control != control_flow::none) known = before;
    else if (fits(known, before)) known = merged(known, before);
  }
  bool is_taken(std::string_view name) const {
    threading::lock_guard lock(from_.mutex);
    return from_.by_name.contains(name) || to_.state().by_name.contains(name);
  }

  const graph_state& from_;
  graph to_;
  sequence<node*> nodes_;
  std::vector<std::vector<any_out>> outputs_;  // by node id, by port
  sequence<node*> copies_;                     // by node id
  std::vector<back_edge> back_edges_;
};

// Returns, by node id, whether these outputs need the node. `is_leaf` nodes need no other nodes. `source` returns the edge that
// is read instead of an edge.
template <class IsLeaf, class Source>
std::vector<char> needed_by(std::span<const any_out> outputs, std::size_t nodes, IsLeaf&& is_leaf, Source&& source) {
  std::vector<char> needed(nodes, false);
  std::vector<const node*> stack;
  const auto need = [&](const node* n) {
    if (!n || needed[n->id]) return;
    needed[n->id] = true;
    if (!is_leaf(*n)) stack.push_back(n);
  };
  for (const any_out& o : outputs) need(o.source);
  while (!stack.empty()) {
    const node* n = stack.back();
    stack.pop_back();
    for (const edge& e : n->inputs) need(source(e).from);
    for (const node* c : n->control_inputs) need(c);
  }
  return needed;
}

}  // namespace flowgraph::detail
