#include "placing.hpp"

#include <flowgraph/core/message.hpp>

#include <algorithm>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

void add_once(strings& to, const strings& what) {
  for (const std::string& each : what)
    if (std::find(to.begin(), to.end(), each) == to.end()) to.push_back(each);
}

std::string text_of_types(const std::vector<dtype>& types) {
  std::string text = "(";
  for (const dtype t : types) text += (text.size() > 1 ? ", " : "") + std::string(name_of(t));
  return text + ')';
}

bool placing::is_called(const node_def& n) const {
  return library_.contains(n.op) || (is_call(n.op) && ops_.tables(n.op).empty());
}

bool placing::has_primitives(std::span<const node_def> nodes) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const node_def& n) {
    const auto tables = ops_.tables(n.op);
    return !tables.empty() && tables.front()->control != control_flow::none;
  });
}

void placing::refuse(error_code code, std::string why, const node_def& n) const {
  for (std::size_t i = 0; i < chain_.size(); ++i) why += (i == 0 ? "; called by " : " -> ") + chain_[i];
  throw error(code, why).at(n.name, n.op, where_);
}

std::vector<function_call> placing::calls_in(const node_def& n, std::string_view attribute, const surroundings& in) const {
  const attribute_def* a = n.find(attribute);
  std::vector<function_call> result = a ? functions_in(*a) : std::vector<function_call>();
  if (result.empty()) refuse(message{"attribute '", attribute, "' does not name a function"}, n);
  for (function_call& call : result)
    for (attribute_def& own : call.attributes) {
      const std::string from = placeholder_in(own);
      if (from.empty() || !in.attributes) continue;
      const auto value =
          std::find_if(in.attributes->begin(), in.attributes->end(), [&](const attribute_def& v) { return v.name == from; });
      if (value == in.attributes->end()) refuse(message{"attribute '", from, "' has no value"}, n);
      const std::string name = own.name;
      own = *value;
      own.name = name;
    }
  return result;
}

function_body placing::body(const node_def& n, const function_call& call, const std::vector<dtype>* inputs,
                            const std::vector<dtype>* outputs) {
  function_body result = at(n, [&] { return body_of(call, library_, ops_); });
  auto compare = [&](std::string_view what, const std::vector<dtype>& found, const std::vector<dtype>* expected) {
    if (expected && found != *expected)
      refuse(
          message{"function '", call.name, "' must have ", what, ' ', text_of_types(*expected), ", found ", text_of_types(found)},
          n);
  };
  compare("inputs", result.argument_types, inputs);
  compare("outputs", result.output_types, outputs);
  return result;
}

strings placing::data_inputs(const node_def& n, std::size_t expected) const {
  strings data = split_inputs(n).data;
  if (data.size() != expected) refuse(message{"the call must have ", expected, " inputs, found ", data.size()}, n);
  return data;
}

// A function that is being placed must not be called again: the expansion would never end.
void placing::enter(const std::string& function, const node_def& n) {
  chain_.push_back(function);
  if (std::find(chain_.begin(), chain_.end() - 1, function) != chain_.end() - 1)
    refuse(error_code::unimplemented,
           "function '" + function + "' calls itself, and calls are put in place when a graph is imported", n);
  if (chain_.size() > limits_.calls)
    refuse(error_code::resource_exhausted, message{"calls within each other go deeper than ", limits_.calls}, n);
}

placed_body placing::place(const node_def& caller, const function_body& b, const std::string& prefix,
                           std::span<const std::string> arguments, const strings& control_arguments, const surroundings& around) {
  enter(b.function, caller);
  name_map names, edges;
  for (std::size_t i = 0; i < arguments.size(); ++i) edges.emplace(b.arguments[i], arguments[i]);
  for (const node_def& n : b.nodes) names.emplace(n.name, result_.fresh(prefix + n.name));
  auto renamed = [&](const std::string& edge) -> std::string {
    if (const auto argument = edges.find(edge); argument != edges.end()) return argument->second;
    const std::string_view name = node_in(edge);
    return names.find(name)->second + edge.substr(name.size());
  };
  for (const node_def& n : b.nodes) result_.remember_text(n, names.find(n.name)->second);
  const bool primitives = has_primitives(b.nodes);
  const auto free = around.in_flow || primitives ? std::unordered_set<std::string_view>() : free_constants(b);
  const auto is_free = [&](std::string_view edge) { return free.contains(node_in(edge.substr(edge.starts_with('^') ? 1 : 0))); };

  surroundings inner = around;
  inner.attributes = &b.attributes;
  inner.has_primitives = primitives;
  inner.in_flow = around.in_flow || primitives;
  for (const node_def& n : b.nodes) {
    node_def definition = n;
    definition.name = names.find(n.name)->second;
    if (definition.device.empty()) definition.device = caller.device;
    if (definition.op == "FakeParam") replace_fake(definition);
    definition.inputs.clear();
    for (const std::string& input : n.inputs) {
      const auto waited_for = input.starts_with('^') ? names.find(std::string_view(input).substr(1)) : names.end();
      if (!input.starts_with('^')) definition.inputs.push_back(renamed(input));
      else if (waited_for != names.end()) add_once(definition.inputs, {'^' + waited_for->second});
      else add_once(definition.inputs, control_arguments);
    }
    if (!is_free(n.name) && std::all_of(n.inputs.begin(), n.inputs.end(), is_free)) add_once(definition.inputs, around.waits);
    colocate(definition, names);
    name_frame(definition, prefix);
    result_.put(is_called(n) ? expand(definition, inner) : definition, caller, where_);
  }
  placed_body placed;
  for (const std::string& edge : b.outputs) placed.outputs.push_back(renamed(edge));
  for (const std::string& name : b.controls) placed.controls.push_back('^' + names.find(name)->second);
  for (const std::string& name : b.effects) placed.effects.push_back('^' + names.find(name)->second);
  chain_.pop_back();
  return placed;
}

// Returns the constants of the body that need not wait for the body to run, so that they stay constant values of the plan for their
// readers. Constants that are returned, passed to a call or waited for by a call are excluded: what the call becomes waits for them
// instead of `surroundings::waits`.
std::unordered_set<std::string_view> placing::free_constants(const function_body& b) const {
  std::unordered_set<std::string_view> result;
  for (const node_def& n : b.nodes)
    if (n.op == "Const" && n.inputs.empty()) result.insert(n.name);
  for (const std::string& edge : b.outputs) result.erase(node_in(edge));
  for (const node_def& n : b.nodes)
    if (is_called(n))
      for (const std::string_view input : n.inputs) result.erase(node_in(input.substr(input.starts_with('^') ? 1 : 0)));
  return result;
}

// Replaces a value that a branch gives because another branch gives it, and that no node uses: by a constant of one element, as
// TensorFlow's kernel does. Resources and variants have no constants: the import refuses their node as unknown.
void placing::replace_fake(node_def& n) {
  const attribute_def* const type = n.find("dtype");
  const dtype* const t = type ? type->value.get<dtype>() : nullptr;
  if (!t || is_counted(*t)) return;
  auto zero = any_tensor::allocate(*t, {});
  if (!zero) return;
  if (is_plain(*t)) std::memset(zero->data(), 0, zero->bytes());
  n.op = "Const";
  n.attributes = {{.name = "dtype", .value = *t}, {.name = "value", .value = *std::move(zero)}};
}

// Each call gets its own copy of a loop in the body, so the name of its frame must be unique.
void placing::name_frame(node_def& n, const std::string& prefix) const {
  if (n.op != "Enter" && n.op != "RefEnter") return;
  for (attribute_def& a : n.attributes)
    if (const auto* frame = a.value.get<std::string>(); frame && a.name == "frame_name")
      a.value = frame_prefix_ + prefix + *frame;
}

// Renames the nodes of the body that colocation attributes name.
void placing::colocate(node_def& n, const name_map& names) {
  for (attribute_def& a : n.attributes) {
    const auto* classes = a.name == "_class" ? a.value.get<strings>() : nullptr;
    if (!classes) continue;
    strings result;
    for (const std::string& c : *classes)
      if (const auto with = names.find(c.substr(std::min<std::size_t>(5, c.size())));
          c.starts_with("loc:@") && with != names.end())
        result.push_back("loc:@" + with->second);
    a.value = result;
  }
}

std::string placing::add(const node_def& n, const std::string& name, const std::string& op, strings inputs,
                         std::vector<attribute_def> attributes) {
  std::string full = result_.fresh(message{n.name, '/', name});
  result_.put({full, op, n.device, std::move(inputs), std::move(attributes)}, n, where_);
  return full;
}

node_def placing::result_of(const node_def& n, const strings& edges, const std::vector<dtype>& types,
                            const strings& controls) const {
  node_def definition{n.name, edges.empty() ? "NoOp" : edges.size() == 1 ? "Identity" : "IdentityN", n.device, edges};
  add_once(definition.inputs, controls);
  add_once(definition.inputs, split_inputs(n).controls);
  if (edges.size() == 1) definition.attributes.push_back({.name = "T", .value = types[0]});
  else if (!edges.empty()) definition.attributes.push_back({.name = "T", .value = types});
  if (const attribute_def* with = n.find("_class")) definition.attributes.push_back(*with);
  definition.rest = n.rest;
  return definition;
}

}  // namespace flowgraph::protobuf
