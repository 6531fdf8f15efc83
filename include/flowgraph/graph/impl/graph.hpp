#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/table.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

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

// A name that begins with an underscore is not one that a user gives.
inline std::string_view default_name(const op_table& op) { return op.name().starts_with('_') ? op.name().substr(1) : op.name(); }

FLOWGRAPH_COLD inline std::string describe_inputs(std::span<const any_out> inputs) {
  std::string text;
  for (const any_out& in : inputs) {
    if (!text.empty()) text += ", ";
    text += message{in.name(), " ", name_of(in.type()), in.shape()};
  }
  return text.empty() ? "no inputs" : text;
}

// The element type that a declared argument has in this table.
inline dtype type_in(const op_table& table, const argument& a) {
  return a.type_parameter >= 0 ? table.types()[static_cast<std::size_t>(a.type_parameter)].type : a.fixed;
}

// Arity, types and references of the inputs against the table.
inline error check_inputs(const node_request& r) {
  const op_table& table = *r.table;
  std::size_t singles = 0, lists = 0;
  for (const argument& a : table.inputs()) (a.kind == argument::form::single ? singles : lists) += 1;
  const bool arity = lists == 0 ? r.inputs.size() == singles : r.inputs.size() >= singles;
  if (!arity)
    return error(error_code::invalid_argument,
                 message{table.name(), " takes ", singles, (lists ? " or more" : ""), " inputs, found ", r.inputs.size()});
  if (lists != r.list_sizes.size() && (lists > 1 || !r.list_sizes.empty()))
    return error(error_code::invalid_argument,
                 message{table.name(), " has ", lists, " list inputs, found ", r.list_sizes.size(), " list sizes"});
  std::size_t at = 0, list = 0;
  for (const argument& a : table.inputs()) {
    std::size_t n = 1;
    if (a.kind != argument::form::single) n = r.list_sizes.empty() ? r.inputs.size() - singles : r.list_sizes[list++];
    if (n > r.inputs.size() - at) return error(error_code::invalid_argument, "list sizes exceed the number of inputs");
    for (; n > 0; --n, ++at) {
      const any_out& in = r.inputs[at];
      const dtype expected = type_in(table, a);
      if (a.kind != argument::form::mixed_list && in.type() != expected)
        return error(error_code::invalid_argument, message{"input ", at, " of ", to_string(table), " must be ", name_of(expected),
                                                           ", found ", in.name(), " of type ", name_of(in.type())});
      if (a.is_reference && !in.source->outputs[in.port].is_reference)
        return error(error_code::invalid_argument,
                     message{"input ", at, " of ", table.name(), " must be a variable, found ", in.name()});
    }
  }
  if (at != r.inputs.size()) return error(error_code::invalid_argument, "list sizes are less than the number of inputs");
  return {};
}

// Handles that name something in this graph.
inline error check_handles(const graph_state& g, const node_request& r) {
  for (const any_out& in : r.inputs) {
    if (!in.source) return error(error_code::invalid_argument, "an input is an empty handle");
    if (in.source->graph != &g)
      return error(error_code::invalid_argument, message{"input ", in.name(), " belongs to another graph"});
    if (!in.source->is_poison() && in.port >= in.source->outputs.size())
      return error(error_code::invalid_argument, message{"node '", in.source->name, "' has ", in.source->outputs.size(),
                                                         " outputs; there is no '", in.name(), "'"});
  }
  for (const node* c : r.control_inputs)
    if (!c || c->graph != &g) return error(error_code::invalid_argument, "a control input is not a node of this graph");
  return {};
}

// Sizes of the list outputs, and the types of those of mixed types, one list after the other.
struct output_lists {
  explicit output_lists(const node_request& r) {
    const op_description& of_op = *r.table->description;
    if (of_op.output_types) mixed_types = of_op.output_types(r.op);
    if (of_op.output_sizes) {
      const std::vector<std::uint32_t> named = of_op.output_sizes(r.op);
      sizes.assign(named.begin(), named.end());
      return;
    }
    const std::size_t same = of_op.output_count ? of_op.output_count(r.op) : 0;
    for (const argument& a : r.table->outputs())
      if (a.kind != argument::form::single)
        sizes.push_back(static_cast<std::uint32_t>(a.kind == argument::form::list ? same : mixed_types.size()));
  }
  sequence<std::uint32_t> sizes;
  std::vector<dtype> mixed_types;
};

// Sizes of all list arguments, inputs then outputs, where one list does not simply take what is left.
inline sequence<std::uint32_t> all_list_sizes(const node_request& r, const output_lists& lists) {
  std::size_t singles = 0, input_lists = 0;
  for (const argument& a : r.table->inputs()) (a.kind == argument::form::single ? singles : input_lists) += 1;
  sequence<std::uint32_t> sizes(r.list_sizes.begin(), r.list_sizes.end());
  if (sizes.empty() && input_lists == 1) sizes.push_back(static_cast<std::uint32_t>(r.inputs.size() - singles));
  sizes.insert(sizes.end(), lists.sizes.begin(), lists.sizes.end());
  if (input_lists <= 1 && lists.sizes.size() <= 1 && r.list_sizes.empty()) sizes.clear();
  return sizes;
}

inline void infer_outputs(const node_request& r, std::span<shape> shapes, shape_context& context) {
  constexpr std::size_t few = 8;
  const shape* pointers_few[few];
  const any_tensor* constants_few[few];
  sequence<const shape*> pointers_many;
  sequence<const any_tensor*> constants_many;
  const std::size_t n = r.inputs.size();
  const shape** pointers = pointers_few;
  const any_tensor** constants = constants_few;
  if (n > few) {
    pointers_many.resize(n);
    constants_many.resize(n);
    pointers = pointers_many.data();
    constants = constants_many.data();
  }
  for (std::size_t i = 0; i < n; ++i) {
    const node& from = *r.inputs[i].source;
    pointers[i] = &from.outputs[r.inputs[i].port].shape;
    constants[i] = from.op->description->constant ? from.op->description->constant(from.attributes) : nullptr;
  }
  context = shape_context(constants, n);
  context.set_output_count(shapes.size());
  r.table->infer(r.op, context,
                 {std::span<const shape* const>(pointers, n), r.list_sizes.empty() ? nullptr : r.list_sizes.data()}, shapes);
}

// The tensor of a constant goes to kernels as it stands, by whatever way the node came: it must be what the node's output says.
inline error check_constant(const node_request& r, const shape& inferred) {
  const any_tensor* value = r.table->description->constant ? r.table->description->constant(r.op) : nullptr;
  if (!value) return {};
  const argument& output = r.table->outputs().front();
  const dtype type = type_in(*r.table, output);
  if (value->type() == type && fits(value->shape(), inferred)) return {};
  std::string_view attribute = "value";
  for (const attribute_info& a : r.table->attributes())
    if (a.kind == attribute_kind::tensor) attribute = a.name;
  std::string_view said_by;
  if (output.type_parameter >= 0) said_by = r.table->types()[static_cast<std::size_t>(output.type_parameter)].attribute;
  return error(error_code::invalid_argument,
               message{"attribute '", attribute, "' must be a tensor of ", name_of(type), inferred,
                       said_by.empty() ? "" : " as attribute '", said_by, said_by.empty() ? "" : "' says", "; found ",
                       name_of(value->type()), value->shape()});
}

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

FLOWGRAPH_INLINE std::string detail::graph_state::free_name(std::string_view scope, std::string_view wished) const {
  const threading::lock_guard lock(mutex);
  // Most names are free without a search: `uses` has the names of all nodes, and those of scopes besides.
  const auto is_taken = [&](const std::string& name) {
    const std::string lower = lower_case(name);
    return uses.contains(lower) && (by_name.contains(name) || std::any_of(by_name.begin(), by_name.end(), [&](const auto& named) {
                                      return lower_case(named.first) == lower;
                                    }));
  };
  std::string full = message{scope, wished};
  for (int i = 1; is_taken(full); ++i) full = message{scope, wished, '_', i};
  return full.substr(scope.size());
}

FLOWGRAPH_INLINE graph::graph() : state_(std::make_shared<detail::graph_state>()) {}

FLOWGRAPH_INLINE graph::scope::~scope() {
  if (state_) state_->pop();
}

FLOWGRAPH_INLINE graph::scope graph::in_scope(std::string_view name) {
  state_->push();
  const bool again = name.ends_with('/');
  if (name.empty()) state_->prefix.clear();
  else if (!detail::is_valid_name(name))
    detail::refuse_construction(*state_,
                                error(error_code::invalid_argument, message{"'", name, "' is not a valid name of a scope"}));
  else state_->prefix = again ? std::string(name) : state_->unique_name(message{state_->prefix, name}) + '/';
  return scope(state_.get());
}
FLOWGRAPH_INLINE graph::scope graph::on_device(std::string_view device) {
  state_->push();
  state_->constrain_scope(device);
  return scope(state_.get());
}
FLOWGRAPH_INLINE graph::scope graph::after_all(std::span<const target> nodes) {
  state_->push();
  scope opened(state_.get());
  for (const target& t : nodes) {
    if (!t.source || t.source->graph != state_.get())
      detail::refuse_construction(*state_,
                                  error(error_code::invalid_argument, "the node to run after is not a node of this graph"));
    else if (!t.source->is_poison()) state_->wait_in_scope(t.source);
  }
  return opened;
}
FLOWGRAPH_INLINE graph::scope graph::colocate_with(target with) {
  state_->push();
  scope opened(state_.get());
  if (!with.source || with.source->graph != state_.get())
    detail::refuse_construction(*state_,
                                error(error_code::invalid_argument, "the node to be placed with is not a node of this graph"));
  else if (!with.source->is_poison()) state_->colocation.push_back(with.source->name);
  return opened;
}

FLOWGRAPH_INLINE result<node*> graph::try_add(const node_request& request, const site& s) {
  detail::graph_state& g = *state_;
  node_request r = request;
  const std::source_location where = g.inherited ? *g.inherited : s.location;
  const std::string_view wished = s.name.empty() ? detail::default_name(*r.table) : s.name;
  std::string full = message{g.prefix, wished};
  auto refuse = [&](const error& why) { return why.at(full, r.table->name(), where); };

  if (error why = detail::check_handles(g, r)) return refuse(why);
  for (const any_out& in : r.inputs)
    if (in.source->is_poison()) return &g.poison;
  if (!detail::is_valid_name(r.is_of_part && wished.starts_with('_') ? wished.substr(1) : wished))
    return refuse(error(error_code::invalid_argument, message{"'", wished, "' is not a valid node name"}));
  if (r.keep_name && find(full))
    return refuse(error(error_code::already_exists, message{"the graph has a node named '", full, "'"}));
  detail::captured_inputs captured;
  if (g.rules)
    if (error why = g.rules->capture_inputs(g, r, captured)) return refuse(why);
  const std::span<node* const> open_control = g.body ? std::span<node* const>() : g.control;
  if (error why = detail::check_inputs(r)) return refuse(why);

  const detail::output_lists lists(r);
  std::size_t outputs = 0, list = 0, mixed = 0;
  for (const argument& a : r.table->outputs()) outputs += a.kind == argument::form::single ? 1 : lists.sizes[list++];
  shape few[4] = {shape::unknown(), shape::unknown(), shape::unknown(), shape::unknown()};
  detail::sequence<shape> many;
  std::span<shape> shapes(few, outputs <= 4 ? outputs : 0);
  if (outputs > 4) {
    many.assign(outputs, shape::unknown());
    shapes = many;
  }
  shape_context context;
  if (r.table->infer) {
    detail::infer_outputs(r, shapes, context);
    if (context.failed())
      return refuse(
          error(error_code::invalid_argument, message{context.message(), "; found ", detail::describe_inputs(r.inputs)}));
  }

  for (const shape& made : shapes)
    if (detail::is_too_large(made))
      return refuse(error(error_code::invalid_argument,
                          message{"a tensor of shape ", made, " is too large; found ", detail::describe_inputs(r.inputs)}));
  if (outputs > 0)
    if (error why = detail::check_constant(r, shapes[0])) return refuse(why);

  const detail::sequence<std::uint32_t> list_sizes = detail::all_list_sizes(r, lists);

  threading::lock_guard lock(g.mutex);
  node* n = g.memory.array<node>(1).data();
  n->name = g.memory.text(r.keep_name ? g.reserved_name(std::move(full)) : g.unique_name(std::move(full)));
  n->op = r.table;
  n->attributes = g.memory.allocate(r.table->description->size, r.table->description->alignment);
  r.table->copy(r.op, n->attributes);
  n->inputs = g.memory.array<edge>(r.inputs.size());
  for (std::size_t i = 0; i < r.inputs.size(); ++i) n->inputs[i] = {r.inputs[i].source, r.inputs[i].port};
  n->control_inputs = g.memory.array<node*>(r.control_inputs.size() + open_control.size());
  std::copy(open_control.begin(), open_control.end(),
            std::copy(r.control_inputs.begin(), r.control_inputs.end(), n->control_inputs.begin()));
  if (!g.waiting) g.waiting = r.control_inputs.rules_;
  n->outputs = g.memory.array<output_info>(outputs);
  std::size_t at = 0;
  list = 0;
  for (const argument& a : r.table->outputs()) {
    const std::size_t count = a.kind == argument::form::single ? 1 : lists.sizes[list++];
    for (std::size_t i = 0; i < count; ++i, ++at) {
      const dtype type = a.kind == argument::form::mixed_list ? lists.mixed_types[mixed++] : detail::type_in(*r.table, a);
      n->outputs[at] = {type, a.is_reference, a.is_unsized, shapes[at]};
    }
  }
  if (!list_sizes.empty()) {
    auto sizes = g.memory.array<std::uint32_t>(list_sizes.size());
    std::copy(list_sizes.begin(), list_sizes.end(), sizes.begin());
    n->list_sizes = sizes.data();
  }
  n->device = g.device;
  if (!g.colocation.empty()) {
    auto with = g.memory.array<std::string_view>(g.colocation.size());
    std::copy(g.colocation.begin(), g.colocation.end(), with.begin());
    n->colocated_with = with;
  }
  n->where = where;
  n->graph = &g;
  n->id = static_cast<std::uint32_t>(g.nodes.size());
  n->body = r.table->description->placeholder ? 0 : g.body_number;
  g.by_name.emplace(n->name, n);
  g.nodes.push_back(n);
  if (n->body != 0) g.rules->note_effects(g, n);
  return n;
}

FLOWGRAPH_INLINE node* graph::add(const node_request& request, const site& s) {
  auto made = try_add(request, s);
  if (made) return *made;
  detail::refuse_construction(*state_, made.error());
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
    if (!digits) return error(error_code::invalid_argument, message{"'", name, "' is not of the form name:port"});
  }
  node* n = find(op);
  if (!n) return error(error_code::not_found, message{"the graph has no node named '", op, "'"});
  if (port >= n->outputs.size())
    return error(error_code::invalid_argument,
                 message{"node '", op, "' has ", n->outputs.size(), " outputs; there is no '", name, "'"});
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
  raise(error(error_code::invalid_argument, "all inputs are empty handles").at(s.name.empty() ? op : s.name, op, s.location));
#else
  static_cast<void>(op), static_cast<void>(s);
  return nullptr;
#endif
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
  to.resolving = from.resolving;
  auto twin = [&](const node* n) { return to.nodes[n->id]; };
  for (const node* n : from.nodes) {  // first all nodes, so that back edges find theirs
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
  to.bodies = from.bodies;
  to.body_records = from.body_records;
  to.rules = from.rules;
  to.flow = from.flow;
  return copy;
}

}
}  // namespace flowgraph
