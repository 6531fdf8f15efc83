#pragma once

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/impl/new_node.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

inline bool is_valid_name(std::string_view name) {
  if (name.empty()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (letter || (i > 0 && (c == '_' || c == '/' || c == '-' || c == '>' || c == '\\'))) continue;
    return false;
  }
  return true;
}

// Users' names do not begin with an underscore.
inline std::string_view default_name(const op_table& op) { return op.name().starts_with('_') ? op.name().substr(1) : op.name(); }

}  // namespace detail

FLOWGRAPH_INLINE std::uint32_t* detail::graph_state::count_of(std::string_view lower) {
  const auto at = uses.find(lower);
  return at == uses.end() ? nullptr : &at->second;
}

FLOWGRAPH_INLINE std::string detail::graph_state::unique_name(std::string wished) {
  const std::string lower = lower_case(wished);
  std::uint32_t* count = count_of(lower);
  if (!count) {
    uses.emplace(memory.text(lower), 1u);
    return wished;
  }
  for (std::uint32_t i = *count;; ++i) {
    std::string candidate = lower + '_' + std::to_string(i);
    if (count_of(candidate)) continue;
    *count = i + 1;
    uses.emplace(memory.text(candidate), 1u);
    return wished + '_' + std::to_string(i);
  }
}

FLOWGRAPH_INLINE std::string detail::graph_state::reserved_name(std::string name) {
  const std::string lower = lower_case(name);
  if (!count_of(lower)) uses.emplace(memory.text(lower), 1u);
  return name;
}

FLOWGRAPH_INLINE std::string detail::graph_state::free_name(std::string_view around, std::string_view wished) const {
  const threading::lock_guard lock(mutex);
  // Most names are free without a search: `uses` has the names of all nodes, and of scopes.
  const auto is_taken = [&](const std::string& name) {
    const std::string lower = lower_case(name);
    return uses.contains(lower) && (by_name.contains(name) || std::any_of(by_name.begin(), by_name.end(), [&](const auto& named) {
                                      return lower_case(named.first) == lower;
                                    }));
  };
  std::string full = message{around, wished};
  for (int i = 1; is_taken(full); ++i) full = message{around, wished, '_', i};
  return full.substr(around.size());
}

FLOWGRAPH_INLINE graph::graph() : state_(std::make_shared<detail::graph_state>()) {}

FLOWGRAPH_INLINE graph::scope::~scope() {
  if (state_) state_->pop();
}

FLOWGRAPH_INLINE graph::scope graph::in_scope(std::string_view name) {
  state_->push();
  scope opened(state_);
  const bool again = name.ends_with('/');
  if (name.empty()) state_->scope.prefix.clear();
  else if (!detail::is_valid_name(name))
    detail::refuse_construction(*state_, detail::invalid_argument({"'", name, "' is not a valid name of a scope"}));
  else state_->scope.prefix = again ? std::string(name) : state_->unique_name(message{state_->scope.prefix, name}) + '/';
  return opened;
}
FLOWGRAPH_INLINE graph::scope graph::on_device(std::string_view device) {
  state_->push();
  scope opened(state_);
  state_->constrain_scope(device);
  return opened;
}
FLOWGRAPH_INLINE graph::scope graph::after_all(std::span<const target> nodes) {
  state_->push();
  scope opened(state_);
  for (const target& t : nodes) {
    if (!t.source || t.source->graph != state_.get())
      detail::refuse_construction(*state_, detail::invalid_argument("the node to run after is not a node of this graph"));
    else if (!t.source->is_poison()) state_->wait_in_scope(t.source);
  }
  return opened;
}
FLOWGRAPH_INLINE graph::scope graph::colocate_with(target with) {
  state_->push();
  scope opened(state_);
  if (!with.source || with.source->graph != state_.get())
    detail::refuse_construction(*state_, detail::invalid_argument("the node to be placed with is not a node of this graph"));
  else if (!with.source->is_poison()) state_->scope.colocation.push_back(with.source->name);
  return opened;
}

FLOWGRAPH_INLINE result<node*> graph::try_add(const node_request& request, const site& s) {
  detail::graph_state& g = *state_;
  node_request r = request;
  const std::source_location where = g.inherited ? *g.inherited : s.location;
  const std::string_view wished = s.name.empty() ? detail::default_name(*r.table) : s.name;
  std::string full = message{g.scope.prefix, wished};
  auto refuse = [&](const error& why) { return why.at(full, r.table->name(), where); };

  if (error why = detail::check_handles(g, r)) return refuse(why);
  for (const any_out& in : r.inputs)
    if (in.source->is_poison()) return &g.poison;
  if (!detail::is_valid_name(r.is_of_part && wished.starts_with('_') ? wished.substr(1) : wished))
    return refuse(detail::invalid_argument({"'", wished, "' is not a valid node name"}));
  if (r.keep_name && find(full))
    return refuse(error(error_code::already_exists, message{"the graph has a node named '", full, "'"}));
  detail::captured_inputs captured;
  if (g.bodies.rules)
    if (error why = g.bodies.rules->capture_inputs(g, r, captured)) return refuse(why);
  if (error why = detail::check_inputs(r)) return refuse(why);
  detail::planned_outputs outputs(r);
  if (error why = detail::infer_outputs(r, outputs.shapes)) return refuse(why);

  threading::lock_guard lock(g.mutex);
  if (!g.waiting) g.waiting = r.control_inputs.rules_;
  node* n = detail::make_node(g, r, outputs);
  n->name = g.memory.text(r.keep_name ? g.reserved_name(std::move(full)) : g.unique_name(std::move(full)));
  n->where = where;
  g.by_name.emplace(n->name, n);
  g.nodes.push_back(n);
  if (n->body != 0) g.bodies.rules->note_effects(g, n);
  return n;
}

FLOWGRAPH_INLINE node* graph::add(const node_request& request, const site& s) {
  auto result = try_add(request, s);
  if (result) return *result;
  detail::refuse_construction(*state_, result.error());
  return &state_->poison;
}

FLOWGRAPH_INLINE void graph::set_back_edge(node* to, std::uint32_t index, any_out from) {
  if (!to || to->is_poison() || (from.source && from.source->is_poison())) return;
  const bool exists = to->graph == state_.get() && from.source && from.source->graph == state_.get() &&
                      index < to->inputs.size() && from.port < from.source->outputs.size();
  if (!exists || from.type() != to->inputs[index].from->outputs[to->inputs[index].port].type ||
      (to->input_argument(index).is_reference && !from.source->outputs[from.port].is_reference)) {
    error why(error_code::invalid_argument, message{"a back edge from ", from.name(), " cannot be input ", index});
    return detail::refuse_construction(*state_, why.at(to->name, to->op->name(), to->where));
  }
  threading::lock_guard lock(state_->mutex);
  to->inputs[index] = {from.source, from.port};
}

FLOWGRAPH_INLINE node* graph::find(std::string_view name) const {
  threading::lock_guard lock(state_->mutex);
  const auto at = state_->by_name.find(name);
  return at == state_->by_name.end() ? nullptr : at->second;
}

FLOWGRAPH_INLINE result<any_out> graph::output(std::string_view name) const {
  std::string_view op = name;
  std::uint32_t port = 0;
  if (const auto colon = name.rfind(':'); colon != std::string_view::npos) {
    op = name.substr(0, colon);
    bool digits = colon + 1 < name.size() && name.size() - colon < 8;
    for (const char c : name.substr(colon + 1)) {
      digits = digits && c >= '0' && c <= '9';
      port = port * 10 + static_cast<std::uint32_t>(c - '0');
    }
    if (!digits) return detail::invalid_argument({"'", name, "' is not of the form name:port"});
  }
  node* n = find(op);
  if (!n) return error(error_code::not_found, message{"the graph has no node named '", op, "'"});
  if (port >= n->outputs.size())
    return detail::invalid_argument({"node '", op, "' has ", n->outputs.size(), " outputs; there is no '", name, "'"});
  return any_out{n, port};
}

FLOWGRAPH_INLINE std::size_t graph::size() const noexcept {
  threading::lock_guard lock(state_->mutex);
  return state_->nodes.size();
}
FLOWGRAPH_INLINE node* graph::at(std::size_t id) const {
  threading::lock_guard lock(state_->mutex);
  return state_->nodes[id];
}
FLOWGRAPH_INLINE error graph::first_error() const {
  threading::lock_guard lock(state_->mutex);
  return state_->first_error;
}
FLOWGRAPH_INLINE void graph::set_seed(std::int64_t seed) { state_->seed = seed; }
FLOWGRAPH_INLINE std::int64_t graph::seed() const { return state_->seed; }
FLOWGRAPH_INLINE std::vector<node*> graph::initializers() const {
  threading::lock_guard lock(state_->mutex);
  return {state_->initializers.begin(), state_->initializers.end()};
}
FLOWGRAPH_INLINE void graph::add_initializer(node* initializer) {
  threading::lock_guard lock(state_->mutex);
  if (!initializer->is_poison()) state_->initializers.push_back(initializer);
}
FLOWGRAPH_INLINE void graph::replace_gradient(std::string_view op, gradient_body body) {
  state_->gradients[std::string(op)] = body;
}
FLOWGRAPH_INLINE gradient_body graph::replaced_gradient(std::string_view op) const {
  const auto at = state_->gradients.find(std::string(op));
  return at == state_->gradients.end() ? nullptr : at->second;
}
FLOWGRAPH_INLINE node* detail::add_node(graph_state& state, const node_request& request, const site& s) {
  return graph(state.shared_from_this()).add(request, s);
}
FLOWGRAPH_INLINE void detail::know_shape(const any_out& of, const shape& known) {
  if (!of.is_usable()) return;
  threading::lock_guard lock(of.source->graph->mutex);
  of.source->outputs[of.port].shape = known;
}
FLOWGRAPH_INLINE detail::graph_state* detail::graph_of_inputs(std::span<const any_out> inputs, std::string_view op,
                                                              const site& s) {
  for (const any_out& in : inputs)
    if (in.source) return in.source->graph;
#ifdef FLOWGRAPH_EXCEPTIONS
  raise(detail::invalid_argument("all inputs are empty handles").at(s.name.empty() ? op : s.name, op, s.location));
#else
  static_cast<void>(op), static_cast<void>(s);
  return nullptr;
#endif
}
FLOWGRAPH_INLINE bool detail::has_graph(const any_out& handle, std::string_view function, const site& s) {
  return graph_of_inputs({&handle, 1}, function, s) != nullptr;
}
FLOWGRAPH_SELDOM void detail::keep(gradient_list& to, any_grad g) { to.push_back(g); }
FLOWGRAPH_SELDOM void detail::keep(gradient_list& to, const gradient_list& list) {
  to.insert(to.end(), list.begin(), list.end());
}

FLOWGRAPH_INLINE node* detail::add_beside(const op_table& table, const void* op, std::span<const any_out> inputs,
                                          std::span<const std::uint32_t> list_sizes, const site& s) {
  graph_state* const g = graph_of_inputs(inputs, table.name(), s);
  if (!g) return nullptr;
  node_request r;
  r.table = &table;
  r.op = op;
  r.inputs = inputs;
  r.list_sizes = list_sizes;
  return add_node(*g, r, s);
}
FLOWGRAPH_INLINE void detail::refuse_construction(graph_state& state, const error& why) {
#ifdef FLOWGRAPH_EXCEPTIONS
  static_cast<void>(state);
  raise(why);
#else
  threading::lock_guard lock(state.mutex);
  if (!state.first_error) state.first_error = why;
#endif
}
FLOWGRAPH_INLINE node* detail::refused_node(graph_state& state, const error& why) {
  refuse_construction(state, why);
  return &state.poison;
}

FLOWGRAPH_INLINE detail::inherited_location::inherited_location(graph_state* state, const std::source_location& where)
    : state_(state), where_(where) {
  if (!state_) return;
  before_ = state_->inherited;
  if (!before_) state_->inherited = &where_;
}
FLOWGRAPH_INLINE detail::inherited_location::~inherited_location() {
  if (state_) state_->inherited = before_;
}

FLOWGRAPH_INLINE graph graph_of(const node& n) { return graph(n.graph->shared_from_this()); }

FLOWGRAPH_INLINE graph graph::clone() const {
  graph copy;
  detail::graph_state& to = *copy.state_;
  const detail::graph_state& from = *state_;
  threading::lock_guard lock(from.mutex);
  to.naming = from.naming;
  to.waiting = from.waiting;
  to.views = from.views;
  auto twin = [&](const node* n) { return to.nodes[n->id]; };
  for (const node* n : from.nodes) {  // all nodes first, so that back edges find their sources
    node* m = to.memory.array<node>(1).data();
    *m = *n;
    m->name = to.memory.text(n->name);
    m->attributes = to.memory.allocate(n->op->description->size, n->op->description->alignment);
    n->op->copy(n->attributes, m->attributes);
    m->outputs = to.memory.array<output_info>(n->outputs.size());
    std::copy(n->outputs.begin(), n->outputs.end(), m->outputs.begin());
    m->device = to.memory.text(n->device);
    m->graph = &to;
    to.by_name.emplace(m->name, m);
    to.nodes.push_back(m);
  }
  for (node* m : to.nodes) {
    const node* n = from.nodes[m->id];
    m->inputs = to.memory.array<edge>(n->inputs.size());
    for (std::size_t i = 0; i < n->inputs.size(); ++i) m->inputs[i] = {twin(n->inputs[i].from), n->inputs[i].port};
    m->control_inputs = to.memory.array<node*>(n->control_inputs.size());
    for (std::size_t i = 0; i < n->control_inputs.size(); ++i) m->control_inputs[i] = twin(n->control_inputs[i]);
    if (n->list_sizes) {
      std::size_t lists = 0;
      for (const argument& a : n->op->inputs()) lists += a.kind != argument::form::single ? 1 : 0;
      for (const argument& a : n->op->outputs()) lists += a.kind != argument::form::single ? 1 : 0;
      auto sizes = to.memory.array<std::uint32_t>(lists);
      std::copy(n->list_sizes, n->list_sizes + lists, sizes.begin());
      m->list_sizes = sizes.data();
    }
    auto with = to.memory.array<std::string_view>(n->colocated_with.size());
    for (std::size_t i = 0; i < with.size(); ++i) with[i] = to.memory.text(n->colocated_with[i]);
    m->colocated_with = with;
  }
  for (const auto& [name, count] : from.uses) to.uses.emplace(to.memory.text(name), count);
  for (const node* n : from.initializers) to.initializers.push_back(twin(n));
  for (const auto& v : from.variables) to.variables.push_back({{twin(v.handle.source), v.handle.port}, v.is_trainable});
  to.gradients = from.gradients;
  to.first_error = from.first_error;
  to.seed = from.seed;
  to.bodies.count = from.bodies.count;
  to.bodies.records = from.bodies.records;
  to.bodies.rules = from.bodies.rules;
  to.flow = from.flow;
  return copy;
}

}  // namespace flowgraph
