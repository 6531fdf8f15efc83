#include "histories.hpp"

#include "function_body.hpp"

#include <flowgraph/core/message.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

const attribute_def of_variants{.name = "element_dtype", .value = dtype::variant};

std::size_t index_of(const node& value) {
  const attribute_value index = detail::attribute_of(value, "index");
  return static_cast<std::size_t>(*index.get<std::int64_t>());
}

void set_type(node_def& definition, dtype type) {
  for (attribute_def& a : definition.attributes)
    if (a.name == "T") a.value = type;
}

}  // namespace

bool is_history_op(std::string_view op) {
  return op == "EmptyHistory" || op == "PushHistory" || op == "PopHistory" || op == "HistoryValue" || op == "HasHistory";
}

// Repeats until nothing changes: the value of a loop variable may be a longer history than its initial value. Each level of nested
// loops needs a round.
history_map::history_map(const graph& g) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t id = 0; id < g.size(); ++id) changed = spread(*g.at(id)) || changed;
    if (pushes_.empty()) return;
  }
}

bool history_map::put(const node& n, std::uint32_t port, const node* push) {
  const auto [at, fresh] = pushes_.try_emplace({&n, port}, push);
  if (fresh || at->second || !push) return fresh;
  at->second = push;
  return true;
}

bool history_map::spread(const node& n) {
  if (n.is_poison() || n.outputs.empty() || n.outputs[0].type != dtype::resource) return false;
  const std::string_view op = n.op->name();
  if (op == "EmptyHistory") return put(n, 0, nullptr);
  if (op == "PushHistory") return put(n, 0, &n);
  if (op == "HistoryValue") {
    const edge from = pushed(n);
    return from.from && is_history(from) && put(n, 0, push_behind(from));
  }
  if (n.op->control == control_flow::none && op != "PopHistory") return false;
  bool changed = false;
  for (const edge& e : n.inputs) {
    if (!is_history(e)) continue;
    for (std::uint32_t port = 0; port < n.outputs.size(); ++port)
      if (n.outputs[port].type == dtype::resource) changed = put(n, port, push_behind(e)) || changed;
  }
  return changed;
}

const node* history_map::push_behind(const edge& e) const {
  const auto at = pushes_.find({e.from, e.port});
  return at == pushes_.end() ? nullptr : at->second;
}

edge history_map::pushed(const node& value) const {
  const node* push = push_behind(value.inputs[0]);
  return push && index_of(value) + 1 < push->inputs.size() ? push->inputs[index_of(value) + 1] : edge();
}

dtype history_writer::type_in_file(const edge& e) const {
  return histories_.is_history(e) ? dtype::variant : e.from->outputs[e.port].type;
}

std::vector<dtype> history_writer::types_of_entry(const node& push) const {
  std::vector<dtype> types;
  for (std::size_t i = 1; i < push.inputs.size(); ++i) types.push_back(type_in_file(push.inputs[i]));
  return types;
}

// TensorFlow shortens a list in place if nothing else holds it, and copies it otherwise. So an entry is popped only once for all
// its readers, and a branch gets the entry instead of the list.
history_writer::history_writer(const graph& g, const history_map& histories, std::span<const node* const> nodes)
    : graph_(g), histories_(histories) {
  for (std::size_t id = g.size(); id-- > 0;) {  // readers before the nodes that they read
    const node& n = *g.at(id);
    if (n.is_poison() || n.op->name() == "HistoryValue" || switches_entries(n)) continue;
    for (const edge& e : n.inputs)
      if (histories_.is_history(e)) switches_lists_.insert(e.from);
  }
  for (const node* n : nodes) {
    if (n->op->name() == "PopHistory" && n->control_inputs.empty()) {
      if (use& u = uses_[key_of(*n)]; !u.pop) u.pop = n;
      continue;
    }
    const bool is_value = n->op->name() == "HistoryValue";
    if (!is_value && !switches_entries(*n)) continue;
    use& u = uses_[key_of(*n)];
    if (!u.first) u.first = n;
    if (is_value && !u.value) u.value = n;
  }
}

// Returns whether `n` is a branch that only reads values of the history's last entry.
bool history_writer::switches_entries(const node& n) const {
  return n.op->control == control_flow::switch_ && n.inputs[1].from->op->control != control_flow::loop_cond &&
         histories_.is_history(n.inputs[0]) && !switches_lists_.contains(&n);
}

error history_writer::check(std::span<const node* const> nodes) const {
  for (const node* n : nodes) {
    if (n->op->name() != "HistoryValue") continue;
    const edge from = histories_.pushed(*n);
    if (from.from && type_in_file(from) == type_in_file({const_cast<node*>(n), 0})) continue;
    return error(error_code::unimplemented,
                 "the element types of the entries of this history are not known, and a file must name them")
        .at(n->name, n->op->name(), n->where);
  }
  return {};
}

std::string history_writer::add(const node_def& whole, std::string_view part, std::string_view op,
                                std::vector<std::string> inputs, std::vector<attribute_def> attributes,
                                std::vector<node_def>& to) const {
  std::string name = graph_.state().free_name({}, message{whole.name, '/', part}.string());
  to.push_back({name, std::string(op), whole.device, std::move(inputs), std::move(attributes)});
  return name;
}

std::string history_writer::add_integer(const node_def& whole, std::string_view part, std::int32_t value,
                                        const std::vector<std::string>& after, std::vector<node_def>& to) const {
  return add(whole, part, "Const", after,
             {{.name = "dtype", .value = dtype::int32}, {.name = "value", .value = tensor<std::int32_t>(value).erased()}}, to);
}

// Returns the inputs of a TensorListPopBack. Its output 0 is the list without its last entry, and output 1 is that entry.
std::vector<std::string> history_writer::pop_inputs(const node_def& whole, std::vector<node_def>& to) const {
  const std::string& list = whole.inputs[0];
  return {list, add_integer(whole, "element_shape", -1, {'^' + std::string(node_in(list))}, to)};
}

// Returns the optional with the values of the last entry, for the reader `n`.
std::string history_writer::last_entry(const node& n, const node_def& definition, std::vector<node_def>& to) const {
  if (switches_entries(*n.inputs[0].from)) return definition.inputs[0];
  const use& u = uses_.at(key_of(n));
  if (u.pop) return std::string(u.pop->name) + ":1";
  if (u.first == &n) return add(definition, "pop", "TensorListPopBack", pop_inputs(definition, to), {of_variants}, to) + ":1";
  return graph_.state().free_name({}, message{u.first->name, "/pop"}.string()) + ":1";
}

// Returns the node whose outputs are the values of the entry that `n` reads.
std::string history_writer::values_of_entry(const node& n, const node_def& definition, std::vector<node_def>& to) const {
  const use& u = uses_.at(key_of(n));
  if (u.value != &n) return graph_.state().free_name({}, message{u.value->name, "/entry"}.string());
  const std::string last = last_entry(n, definition, to);
  const std::vector<dtype> types = types_of_entry(*histories_.push_behind(n.inputs[0]));
  return add(definition, "entry", "OptionalGetValue", {last},
             {{.name = "output_types", .value = types},
              {.name = "output_shapes", .value = std::vector<shape>(types.size(), shape::unknown())}},
             to);
}

void history_writer::write(const node& n, node_def definition, std::vector<node_def>& to) const {
  const std::string_view op = n.op->name();
  if (!is_history_op(op)) {
    if (!n.outputs.empty() && histories_.is_history({const_cast<node*>(&n), 0})) set_type(definition, dtype::variant);
    if (switches_entries(n)) definition.inputs[0] = last_entry(n, definition, to);
    to.push_back(std::move(definition));
    return;
  }
  const auto first_control = definition.inputs.begin() + static_cast<std::ptrdiff_t>(n.inputs.size());
  const std::vector<std::string> data(definition.inputs.begin(), first_control), controls(first_control, definition.inputs.end());
  const auto become = [&](std::string_view what, std::vector<std::string> inputs, std::vector<attribute_def> attributes) {
    definition.op = what;
    definition.inputs = std::move(inputs);
    definition.inputs.insert(definition.inputs.end(), controls.begin(), controls.end());
    std::erase_if(definition.attributes, [](const attribute_def& a) { return a.name != "_class"; });
    definition.attributes.insert(definition.attributes.end(), attributes.begin(), attributes.end());
  };
  if (op == "EmptyHistory") {
    const std::string any = add_integer(definition, "any", -1, controls, to);  // of shape, and of the number of entries
    become("EmptyTensorList", {any, any}, {of_variants, {.name = "shape_type", .value = dtype::int32}});
  } else if (op == "PushHistory") {
    std::vector<dtype> types = types_of_entry(n);
    std::vector<std::string> values(data.begin() + 1, data.end());
    if (values.empty()) {  // without values the list must still grow by one entry per iteration
      values = {add(definition, "number", "TensorListLength", {data[0]}, {}, to)};
      types = {dtype::int32};
    }
    const std::string last =
        add(definition, "entry", "OptionalFromValue", values, {{.name = "Toutput_types", .value = types}}, to);
    become("TensorListPushBack", {data[0], last}, {of_variants});
  } else if (op == "PopHistory") {
    become("TensorListPopBack", pop_inputs(definition, to), {of_variants});
  } else if (op == "HistoryValue") {
    const std::string value = message{values_of_entry(n, definition, to), ':', index_of(n)};
    become("Identity", {value}, {{.name = "T", .value = type_in_file({const_cast<node*>(&n), 0})}});
  } else {
    const std::string length = add(definition, "length", "TensorListLength", data, {}, to);
    const std::string none = add_integer(definition, "none", 0, {'^' + length}, to);
    become("Greater", {length, none}, {{.name = "T", .value = dtype::int32}});
  }
  to.push_back(std::move(definition));
}

}  // namespace flowgraph::protobuf
