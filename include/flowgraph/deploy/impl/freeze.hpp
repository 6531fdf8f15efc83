#pragma once

#include <flowgraph/deploy/freeze.hpp>
#include <flowgraph/deploy/impl/fold.hpp>
#include <flowgraph/graph/registration.hpp>
#include <flowgraph/op/variable_state.hpp>
#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/state/resource_read.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Replaces variables by constants. Edges that carried a variable, by reference or by handle, then carry its value. They still go
// through loops and branches, so that a branch that is not taken remains dead.
class freezer {
public:
  freezer(const session& s, const freeze_options& options)
      : session_(s), options_(options), copy_(s.graph()), carried_(copy_.nodes().size()) {}

  result<graph> freeze(std::span<const any_out> fetches) {
    const auto needed = needed_by(
        fetches, copy_.nodes().size(), [](const node&) { return false; }, [](const edge& e) { return e; });
    for (node* n : copy_.nodes()) {
      if (!needed[n->id]) continue;
      if (error why = put(*n)) return why.at(n->name, n->op->name(), n->where);
    }
    for (const node* n : copy_.nodes())
      if (needed[n->id] && n->op->control == control_flow::merge)
        if (error why = check_round(*n)) return why.at(n->name, n->op->name(), n->where);
    return copy_.finish();
  }

private:
  // The variable whose value replaces that of an edge. `several`: the edge may carry more than one variable.
  struct carried {
    bool is_variable = false, several = false;
    any_tensor value;
  };

  static bool is_variable(const node& n) {
    return n.op->name() == "VariableV2" || n.op->name() == "Variable" || n.op->name() == "VarHandleOp";
  }
  const carried& carried_by(const edge& e) const {
    static const carried nothing;
    if (!e.from) return nothing;
    const auto& outputs = carried_[e.from->id];
    return e.port < outputs.size() ? outputs[e.port] : nothing;
  }
  void carry(const node& n, std::uint32_t port, const carried& what) {
    carried_[n.id].resize(n.outputs.size());
    carried_[n.id][port] = what;
  }
  // Returns whether the node needs the variable itself, not its value.
  bool takes_variable(const node& n, std::uint32_t i) const {
    const edge& e = n.inputs[i];
    return carried_by(e).is_variable && (e.from->outputs[e.port].type == dtype::resource || n.input_argument(i).is_reference);
  }

  error put(const node& n) {
    if (is_variable(n)) return put_variable(n);
    if (holds_state(n)) return refuse_state(n);
    std::uint32_t first = 0;
    while (first < n.inputs.size() && !takes_variable(n, first)) ++first;
    if (first == n.inputs.size()) return done(copy_.copy(n));
    const carried from = carried_by(n.inputs[first]);
    return read(n, from, n.inputs[first]);
  }
  static error done(const result<node*>& result) { return result ? error() : result.error(); }

  error put_variable(const node& n) {
    const auto text = [&](std::string_view attribute) {
      const attribute_value a = attribute_of(n, attribute);
      const std::string* found = a.get<std::string>();
      return found ? *found : std::string();
    };
    const std::string shared = text("shared_name");
    const std::string_view name = shared.empty() ? n.name : std::string_view(shared);
    const dtype type = n.op->types()[0].type;
    const resource held = session_.resources().find(text("container"), name);
    variable_state* const v = held.as<variable_state>();
    any_tensor value = v ? v->read() : any_tensor();
    if (value.is_far()) {
      auto copy = value.copy();
      if (!copy) return copy.error();
      value = *std::move(copy);
    }
    const attribute_value declared = attribute_of(n, "shape");
    const flowgraph::shape* extents = declared.get<flowgraph::shape>();
    if (!value.has_value() && extents && extents->is_known() && extents->size() == 0)
      value.emplace(type, *extents, std::pmr::new_delete_resource());
    if (!value.has_value())
      return error(error_code::failed_precondition,
                   message{"variable '", name, "' has no value: run its initializer (session::initialize) first"});
    if (value.type() != type)
      return error(error_code::failed_precondition,
                   message{"variable '", name, "' is ", name_of(value.type()), " in the session, expected ", name_of(type)});
    const auto known = std::find_if(copies_.begin(), copies_.end(), [&](const auto& c) { return c.first == v; });
    if (v && known != copies_.end()) {
      value = known->second;
    } else {
      auto own = value.copy();
      if (!own) return own.error();
      value = *std::move(own);
      copies_.emplace_back(v, value);
    }
    carry(n, 0, {true, false, value});
    return done(copy_.add_constant(n, std::move(value), n.op->name() == "VarHandleOp" ? nullptr : n.op->sum));
  }

  // Returns whether a node has state that a constant cannot replace. Ops that draw random numbers, that keep state for one run,
  // or that only read do not count.
  bool holds_state(const node& n) const {
    const op_table& t = *n.op;
    if (!t.stateful || t.counts_runs || t.per_run || t.alias) return false;
    for (const std::string_view harmless : {"Assert", "Print", "PrintV2", "Timestamp", "Empty", "Abort"})
      if (t.name() == harmless) return false;
    if (std::find(options_.keep.begin(), options_.keep.end(), t.name()) != options_.keep.end()) return false;
    // State behind a handle or a reference belongs to the node that made it; for variables see `read`.
    for (std::uint32_t i = 0; i < n.inputs.size(); ++i) {
      const edge& e = n.inputs[i];
      if (e.from->outputs[e.port].type == dtype::resource || n.input_argument(i).is_reference) return false;
    }
    return true;
  }
  // Refuses a loop whose iterations pass on another variable than the one that entered.
  error check_round(const node& merge) const {
    const carried& entered = carried_[merge.id].empty() ? carried_by({}) : carried_[merge.id][0];
    if (!entered.is_variable || entered.several) return {};
    for (const edge& e : merge.inputs)
      if (carried_by(e).value.data() != entered.value.data())
        return error(error_code::failed_precondition, "another variable comes back than the one that entered the loop");
    return {};
  }
  FLOWGRAPH_COLD static error refuse_state(const node& n) {
    return error(error_code::failed_precondition,
                 message{"'", n.name, "' (", n.op->name(), ") holds or changes state that no constant can stand for; ",
                         "freeze_options::keep names ops that may stay"});
  }

  // Replaces a node that reads a variable, or passes it on. Other nodes are refused.
  error read(const node& n, const carried& from, const edge& variable) {
    const std::string_view op = n.op->name();
    std::vector<any_out> inputs;
    for (const edge& e : n.inputs) inputs.push_back(copy_.at(e));
    const any_out value = copy_.at(variable);
    for (std::uint32_t port = 0; port < n.outputs.size(); ++port) {
      const output_info& o = n.outputs[port];
      if (o.is_reference || o.type == dtype::resource) carry(n, port, from);
    }
    switch (n.op->control) {
      case control_flow::switch_:
      case control_flow::merge:
      case control_flow::enter:
      case control_flow::exit:
      case control_flow::next_iteration: return flow(n, from, inputs, value);
      default: break;
    }
    if (op == "Identity" || op == "RefIdentity" || op == "ReadVariableOp") return pass(n, inputs, value);
    if (op == "IdentityN") {
      identity_n_op all = *static_cast<const identity_n_op*>(n.attributes);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        all.kinds[i] = inputs[i].type();
        carry(n, static_cast<std::uint32_t>(i), carried_by(n.inputs[i]));
      }
      return done(copy_.add(n, *n.op, &all, inputs));
    }
    if (op == "IsVariableInitialized" || op == "VarIsInitializedOp") return look(n, tensor<bool>(true).erased(), value);
    if (op == "VariableShape" && !from.several) return put_shape(n, from.value.shape(), value);
    if (op == "ResourceGather") return gather(n, std::move(inputs));
    if (op == "ResourceGatherNd") {
      const gather_nd_op same;
      return replace(n, forward_tables_of<gather_nd_op>, &same, inputs);
    }
    return refuse_use(n, variable);
  }
  FLOWGRAPH_COLD static error refuse_use(const node& n, const edge& variable) {
    return error(error_code::failed_precondition,
                 message{"'", n.name, "' (", n.op->name(), ") changes the variable '", variable.from->name,
                         "', or uses it in a way that a constant does not allow"});
  }
  // Copies a node of a branch or loop that passes the variable on.
  error flow(const node& n, const carried& from, std::span<const any_out> inputs, const any_out& value) {
    const void* attributes = n.attributes;
    enter_op entered;
    if (n.op->control == control_flow::enter) {
      entered = {*attribute_of(n, "frame_name").get<std::string>(), *attribute_of(n, "is_constant").get<bool>(),
                 *attribute_of(n, "parallel_iterations").get<std::int64_t>()};
      attributes = &entered;
    }
    if (error why = done(copy_.add(n, *erased_table(copy_.state(), n.op->control, value), attributes, inputs))) return why;
    for (const edge& e : n.inputs)
      if (const carried& other = carried_by(e); other.is_variable && other.value.data() != from.value.data()) {
        carry(n, 0, {true, true, from.value});
        if (other.value.type() != from.value.type())
          return error(error_code::failed_precondition, "variables of different types meet here");
      }
    return {};
  }
  error gather(const node& n, std::vector<any_out> inputs) {
    const auto& from = *static_cast<const resource_gather_op*>(n.attributes);
    if (from.batch_dims == 0) {
      const gather_op same{from.validate_indices};
      return replace(n, forward_tables_of<gather_op>, &same, inputs);
    }
    auto axis = copy_.add_part(n, "axis", tensor<std::int32_t>(static_cast<std::int32_t>(from.batch_dims)).erased());
    if (!axis) return axis.error();
    inputs.push_back({*axis, 0});
    const gather_v2_op same{from.batch_dims};
    return replace(n, forward_tables_of<gather_v2_op>, &same, inputs);
  }
  error pass(const node& n, std::span<const any_out> inputs, any_out value) {
    return done(copy_.add(n, *erased_table(copy_.state(), control_flow::none, value), n.attributes, inputs));
  }
  // Adds a constant that is dead if the variable was dead.
  error look(const node& n, any_tensor value, any_out variable) {
    if (is_free(*variable.source)) return done(copy_.add_constant(n, std::move(value), nullptr));
    const identity_op same;  // waits for both sides of a Switch
    auto after = copy_.add_part(n, "pivot", *erased_table(copy_.state(), control_flow::none, variable), &same, {&variable, 1});
    if (!after) return after.error();
    return done(copy_.add_constant(n, std::move(value), nullptr, {&*after, 1}));
  }
  error put_shape(const node& n, const flowgraph::shape& s, any_out variable) {
    auto extents = any_tensor::allocate(n.outputs[0].type, flowgraph::shape{s.rank});
    if (!extents) return extents.error();
    for (int i = 0; i < s.rank; ++i) {
      if (extents->type() == dtype::int32) static_cast<std::int32_t*>(extents->data())[i] = static_cast<std::int32_t>(s[i]);
      else static_cast<std::int64_t*>(extents->data())[i] = s[i];
    }
    return look(n, *std::move(extents), variable);
  }
  // Uses the first table that accepts these inputs.
  template <class Tables> error replace(const node& n, const Tables& tables, const void* op, std::span<const any_out> inputs) {
    for (const op_table& t : tables) {
      bool takes = t.inputs().size() == inputs.size();
      for (std::size_t i = 0; takes && i < inputs.size(); ++i)
        takes = t.bound_types[static_cast<std::size_t>(t.inputs()[i].type_parameter)] == inputs[i].type();
      if (takes) return done(copy_.add(n, t, op, inputs));
    }
    return error(error_code::unimplemented, message{"no ", tables.front().name(), " for these element types"});
  }

  const session& session_;
  const freeze_options& options_;
  graph_copy copy_;
  std::vector<std::vector<carried>> carried_;  // by node id, by port
  std::vector<std::pair<const variable_state*, any_tensor>> copies_;
};

}  // namespace detail

FLOWGRAPH_INLINE result<graph> freeze(const session& s, std::span<const any_out> fetches, const freeze_options& options) {
  if (fetches.empty()) return detail::invalid_argument("nothing is frozen without fetches");
  for (const any_out& o : fetches) {
    if (!o.is_usable()) return detail::refused_handle(o, dtype::invalid, {});
    if (o.source->graph != &s.graph().state())
      return detail::invalid_argument({"'", o.name(), "' belongs to another graph than the session's"});
    if (o.port >= o.source->outputs.size()) return detail::refused_handle(o, dtype::invalid, o.source->where);
  }
  auto frozen = detail::freezer(s, options).freeze(fetches);
  if (!frozen || !options.fold) return frozen;
  std::vector<any_out> twins;
  for (const any_out& o : fetches) twins.push_back({frozen->find(o.source->name), o.port});
  return detail::folder(*frozen, options).fold(twins);
}

FLOWGRAPH_INLINE result<graph> freeze(const session& s, std::initializer_list<edge_or_name> fetches,
                                      const freeze_options& options) {
  std::vector<any_out> edges;
  for (const edge_or_name& e : fetches) {
    auto found = e.name.empty() ? result<any_out>(e.edge) : s.graph().output(e.name);
    if (!found) return found.error();
    edges.push_back(*found);
  }
  return freeze(s, std::span<const any_out>(edges), options);
}

}  // namespace flowgraph
