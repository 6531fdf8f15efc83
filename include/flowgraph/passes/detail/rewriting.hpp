#pragma once
// Questions of passes about a draft: which shapes are certain, which nodes always run, which nodes may be removed.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/improve.hpp>

#include <unordered_map>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline bool is_constant_node(const draft_node& n) { return n.kind == draft_node::form::constant; }
inline const any_tensor* constant_or_null(const draft_edge& e) {
  return is_constant_node(*e.from) ? &value_of_constant(e) : nullptr;
}
inline op_meaning meaning_of(const draft_node& n) {
  return n.kind == draft_node::form::op ? n.table->description->meaning : op_meaning::none;
}
inline bool is_reference(const draft_edge& e) { return e.from->outputs[e.port].is_reference; }

// Returns whether a node runs only for its readers and for nodes that wait for it: it has no state, draws no random numbers, and
// receives nothing from other tasks.
inline bool is_pure(const op_table& op) {
  return !op.stateful && !op.counts_runs && !op.per_run && !op.kernel.start && !op.description->placeholder &&
         op.in_history == history_role::none && op.of_variable == variable_role::none;
}
// Returns whether a node only waits.
inline bool is_no_op(const draft_node& n) {
  return n.kind == draft_node::form::op && n.table->control == control_flow::none && is_pure(*n.table) && n.inputs.empty() &&
         n.outputs.empty();
}

// Runs a node with other inputs than its own.
inline error run_over(node_runner run, const draft_node& n, const std::vector<any_tensor>& inputs,
                      std::vector<any_tensor>& result) {
  sequence<draft_node> constants(inputs.size());
  sequence<draft_edge> edges;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    constants[k].kind = draft_node::form::constant;
    constants[k].values = &inputs[k];
    edges.push_back({&constants[k], 0});
  }
  draft_node over = n;
  over.inputs = edges;
  return run(over, result);
}

// Returns the elements of a list of int32 or int64; unknown if they are too many.
inline shape integers_of(const any_tensor& t) {
  if (t.size() > static_cast<std::size_t>(shape::max_rank)) return shape::unknown();
  shape result;
  for (std::size_t i = 0; i < t.size(); ++i)
    result.push_back(t.type() == dtype::int32 ? t.as<std::int32_t>()[i] : t.as<std::int64_t>()[i]);
  return result;
}

// Facts about the nodes of a draft. They are valid until a node is added, unless by `add`, or gets inputs of other shapes. The nodes
// are numbered by `place`.
class draft_facts {
public:
  explicit draft_facts(draft& d) {
    std::uint32_t count = 0;
    for (draft_node& n : d) n.place = count++;
    is_sized_.resize(count);
    is_alive_.resize(count);
    for (const draft_node& n : d) {
      is_sized_[n.place] = is_sized_node(n);
      is_alive_[n.place] = is_alive_node(n);
    }
  }

  // Returns the shape that each value of the edge has. Unknown if it is the value of a variable whose shape may change, or if only a
  // kernel computes the shape.
  shape shape_of(const draft_edge& e) const {
    if (const any_tensor* t = constant_or_null(e)) return t->shape();
    if (e.from->kind == draft_node::form::op && e.from->table->description->constant)
      return e.from->table->description->constant(e.from->attributes)->shape();
    const output_info& o = e.from->outputs[e.port];
    return is_sized_[e.from->place] && !o.is_unsized && !o.is_reference ? o.shape : shape::unknown();
  }
  // Returns whether broadcasting x against the constant keeps the shape of x.
  bool leaves_shape(const any_tensor& c, const draft_edge& x) const {
    if (c.shape().rank == 0) return true;
    const shape known = shape_of(x);
    if (known.rank < c.shape().rank) return false;
    for (int i = 1; i <= c.shape().rank; ++i)
      if (c.shape()[-i] != 1 && c.shape()[-i] != known[-i]) return false;
    return true;
  }
  std::size_t size() const { return is_sized_.size(); }  // numbers given out
  // Gives an added node the facts of another node.
  void add(draft_node& fresh, const draft_node& like) {
    fresh.place = static_cast<std::uint32_t>(size());
    is_sized_.push_back(is_sized_[like.place]);
    is_alive_.push_back(is_alive_[like.place]);
  }
  // Returns whether the node is in no loop and no branch.
  bool is_alive(const draft_node& n) const { return is_alive_[n.place]; }
  // Returns whether a run without the node lacks only its outputs: it has no effect, and cannot fail, or its failure may be lost.
  bool is_harmless(const draft_node& n, bool may_fail = false) const {
    if (is_constant_node(n) || is_no_op(n)) return true;
    if (n.kind == draft_node::form::feed || n.table->control != control_flow::none || !is_pure(*n.table)) return false;
    for (const draft_edge& e : n.inputs)
      if (is_reference(e) || is_counted(e.from->outputs[e.port].type)) return false;
    for (const output_info& o : n.outputs)
      if (o.is_reference || is_counted(o.type)) return false;
    if (may_fail || n.table->passes_value || n.table->shape_only || n.table->description->constant) return true;
    switch (n.table->description->meaning) {
      case op_meaning::involution:
      case op_meaning::cast: return true;
      case op_meaning::transpose:
      case op_meaning::reshape: return has_known_shapes(n);
      default: return false;
    }
  }

private:
  bool is_sized_node(const draft_node& n) const {
    if (is_constant_node(n) || (n.table && n.table->description->constant)) return true;
    // A run refuses a feed whose shape differs from that of its edge. If the feed replaces a constant, shape rules may have read
    // the elements of the constant.
    if (n.kind == draft_node::form::feed) return n.written_op->description->constant == nullptr;
    const op_table& op = *n.table;
    if (op.description->placeholder) return true;  // it has no value
    if (op.description->meaning == op_meaning::reshape && is_asked_for_all(n)) return true;
    const bool has_rule =
        op.infer && !op.stateful && !op.kernel.start && (op.control == control_flow::none || op.control == control_flow::switch_);
    if (!has_rule) return false;
    for (const draft_edge& e : n.inputs) {
      const output_info& read = e.from->outputs[e.port];
      const bool is_value = e.from->table && e.from->table->description->constant;
      if (read.is_reference || (read.is_unsized && !is_value) || is_counted(read.type) || !is_sized_[e.from->place]) return false;
    }
    return true;
  }
  // The result of a reshape has the requested shape, for any input.
  static bool is_asked_for_all(const draft_node& n) {
    const any_tensor* wanted = constant_or_null(n.inputs[1]);
    return wanted && wanted->shape().rank == 1 && integers_of(*wanted).is_known() && n.outputs[0].shape == integers_of(*wanted);
  }
  bool is_alive_node(const draft_node& n) const {
    if (n.kind != draft_node::form::op) return true;
    bool is_alive = n.table->control == control_flow::none;
    for (const draft_edge& e : n.inputs) is_alive = is_alive && is_alive_[e.from->place];
    for (const draft_node* c : n.controls) is_alive = is_alive && is_alive_[c->place];
    return is_alive;
  }
  bool has_known_shapes(const draft_node& n) const {
    for (const draft_edge& e : n.inputs)
      if (!shape_of(e).is_known()) return false;
    return shape_of({const_cast<draft_node*>(&n), 0}).is_known();
  }

  sequence<char> is_sized_, is_alive_;  // by place; not yet known for nodes behind a back edge
};

// The values of nodes that depend only on constants and were not folded. Each is computed when a pass first requests it.
class known_values {
public:
  explicit known_values(const pass_call& call) : options_(call.options), run_(call.run) { options_.fold_constants = true; }

  static constexpr int most_deep = 100;  // nodes in a chain
  // Returns null if a run may have another value, if the computation fails or is expensive, or if the chain of nodes is too long.
  const any_tensor* of(const draft_edge& e, const draft_facts& facts) {
    if (const any_tensor* value = constant_or_null(e)) return value;
    if (!facts.is_alive(*e.from) || depth_ == most_deep) return nullptr;
    if (is_asked_.size() < facts.size()) is_asked_.resize(facts.size());
    if (!std::exchange(is_asked_[e.from->place], char{1})) {
      ++depth_;
      std::vector<any_tensor> values = computed(*e.from, facts);
      --depth_;
      if (!values.empty()) values_.emplace(e.from, std::move(values));
    }
    const auto at = values_.find(e.from);  // elements keep their places while others are added
    return at == values_.end() ? nullptr : &at->second[e.port];
  }

private:
  std::vector<any_tensor> computed(const draft_node& n, const draft_facts& facts) {
    if (n.kind != draft_node::form::op || !is_pure(*n.table)) return {};
    if (n.table->description->constant) return {*n.table->description->constant(n.attributes)};
    if (n.inputs.empty()) return {};
    std::vector<any_tensor> inputs;
    for (const draft_edge& e : n.inputs) {
      const any_tensor* value = is_reference(e) ? nullptr : of(e, facts);
      if (!value) return {};
      inputs.push_back(*value);
    }
    std::vector<any_tensor> values(n.outputs.size());
    constant_folding folding(options_, constant_folding::stage::plan);
    const bool folded = folding.fold({site_of(n), static_cast<std::uint32_t>(n.inputs.size()),
                                      [&](std::uint32_t k) {
                                        return known_input{&inputs[k], true, true, false};
                                      },
                                      [&](sequence<shape>& shapes) {
                                        shapes.clear();
                                        for (const output_info& o : n.outputs) shapes.push_back(o.shape);
                                        return error();
                                      },
                                      [&] { return run_over(run_, n, inputs, values); },
                                      [&](std::uint32_t k) -> any_tensor& { return values[k]; }});
    return folded ? std::move(values) : std::vector<any_tensor>();
  }

  pass_options options_;
  node_runner run_;
  sequence<char> is_asked_;  // by place
  std::unordered_map<const draft_node*, std::vector<any_tensor>> values_;
  int depth_ = 0;
};

// Removes nodes without readers and effects that are not requested and that no node waits for, and updates is_waited_for.
// Precondition: no edge leads to a removed node.
inline void drop_unread(draft& d, const draft_facts& facts, bool even_if_they_fail = false) {
  sequence<draft_node*> all;
  for (draft_node& n : d) all.push_back(&n);
  sequence<std::uint32_t> uses(facts.size());
  for (draft_node* n : all) n->is_waited_for = false;
  const auto count = [&](const draft_node& n, std::uint32_t by) {
    if (is_constant_node(n)) return;  // its inputs may be removed
    for (const draft_edge& e : n.inputs) uses[e.from->place] += by;
    for (const draft_node* c : n.controls) uses[c->place] += by;
  };
  for (const draft_node* n : all) count(*n, 1);
  for (std::size_t i = all.size(); i-- > 0;) {
    draft_node& n = *all[i];
    if (uses[n.place] > 0 || n.is_requested || n.kind == draft_node::form::feed || !facts.is_harmless(n, even_if_they_fail))
      continue;
    count(n, ~std::uint32_t{0});
    d.remove(n);
  }
  for (draft_node& n : d)
    if (!is_constant_node(n))
      for (draft_node* c : n.controls) c->is_waited_for = true;
}

}  // namespace flowgraph::detail
