#include "function_body.hpp"

#include "output_names.hpp"
#include "tensorflow_attributes.hpp"

#include <flowgraph/core/message.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

// Ops that call functions: the attribute with the types of the outputs, and whether a body keeps the op for its side effects.
struct calling_op {
  std::string_view op, output_types;
  bool stateful;
};
constexpr calling_op calling_ops[] = {
    {"Case", "Tout", true},
    {"If", "Tout", true},
    {"PartitionedCall", "Tout", false},
    {"RemoteCall", "Tout", true},
    {"StatefulPartitionedCall", "Tout", true},
    {"StatelessCase", "Tout", false},
    {"StatelessIf", "Tout", false},
    {"StatelessWhile", "T", false},
    {"SymbolicGradient", "Tout", false},
    {"While", "T", true},
};

const calling_op* calling(std::string_view op) noexcept {
  const auto at = std::find_if(std::begin(calling_ops), std::end(calling_ops), [&](const calling_op& c) { return c.op == op; });
  return at == std::end(calling_ops) ? nullptr : at;
}

// The largest number of tensors in a list. It also means a size that is unknown.
constexpr std::size_t most_tensors = 65'536;

[[noreturn]] void refuse(const std::string& why, error_code code = error_code::invalid_argument) { throw error(code, why); }

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> names;
  for (;;) {
    const auto end = std::min(text.find(at), text.size());
    names.push_back(text.substr(0, end));
    if (end == text.size()) return names;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t result = 0;
  const auto [end, why] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (why != std::errc() || end != text.data() + text.size() || result > most_tensors) return {};
  return result;
}

// Consecutive tensors under one name.
struct named_tensors {
  std::string_view name;  // empty: any
  std::size_t size;
};

const attribute_def* find(const std::vector<attribute_def>& attributes, std::string_view name) {
  for (const attribute_def& a : attributes)
    if (a.name == name) return &a;
  return nullptr;
}

class instantiation {
public:
  instantiation(const function_def& f, const function_call& call, function_library& library, const registry& ops)
      : f_(f), library_(library), ops_(ops) {
    result_.function = f.name;
    for (const attribute_def& a : call.attributes)
      if (!a.name.starts_with('_')) result_.attributes.push_back(a);
    for (const attribute_def& a : f.defaults)
      if (!find(result_.attributes, a.name)) result_.attributes.push_back(a);
  }

  function_body run() {
    for (const function_argument& a : f_.inputs) {
      const std::vector<dtype> types = types_of(a, result_.attributes, f_.name);
      for (std::size_t k = 0; k < types.size(); ++k) result_.arguments.push_back(a.name + ':' + std::to_string(k));
      result_.argument_types.insert(result_.argument_types.end(), types.begin(), types.end());
      define(a.name, {{{"", types.size()}}, true});
    }
    for (const node_def& n : f_.nodes) {
      result_.nodes.push_back(n);
      fill_in(result_.nodes.back());
    }
    for (const node_def& n : result_.nodes) define(n.name, {outputs_of(n), false});
    for (node_def& n : result_.nodes) resolve_inputs(n);
    for (const function_argument& a : f_.outputs) resolve_output(a);
    resolve_controls();
    return std::move(result_);
  }

private:
  struct source {
    std::vector<named_tensors> tensors;
    bool is_argument;
  };

  std::string in_function() const { return "function '" + f_.name + "': "; }

  void define(const std::string& name, source s) {
    if (!sources_.emplace(name, std::move(s)).second) refuse(in_function() + "two nodes or arguments are named '" + name + "'");
  }

  const attribute_def& value_of(const std::vector<attribute_def>& attributes, const std::string& name,
                                std::string_view function) const {
    const attribute_def* a = find(attributes, name);
    if (!a) refuse(message{"function '", function, "' needs attribute '", name, "', which its call does not give"});
    return *a;
  }

  std::vector<dtype> types_of(const function_argument& a, const std::vector<attribute_def>& attributes,
                              std::string_view function) const {
    auto wrong = [&](const attribute_def& found, std::string_view expected) {
      refuse(message{"function '", function, "': attribute '", found.name, "' must be ", expected, ", found ",
                     found.kind == attribute_def::form::value ? to_string(found.value) : "an empty list or " + found.what});
    };
    if (!a.list_attribute.empty()) {
      const attribute_def& list = value_of(attributes, a.list_attribute, function);
      if (list.kind == attribute_def::form::empty_list) return {};
      const auto* types = list.value.get<std::vector<dtype>>();
      if (!types) wrong(list, "a list of types");
      return *types;
    }
    std::size_t size = 1;
    if (!a.number_attribute.empty()) {
      const attribute_def& number = value_of(attributes, a.number_attribute, function);
      const auto* n = number.value.get<std::int64_t>();
      if (!n || *n < 0 || *n > static_cast<std::int64_t>(most_tensors)) wrong(number, "a number of tensors");
      size = static_cast<std::size_t>(*n);
    }
    if (a.type_attribute.empty()) return std::vector<dtype>(size, type_of_number(a.type));
    const attribute_def& type = value_of(attributes, a.type_attribute, function);
    const auto* t = type.value.get<dtype>();
    if (!t || type.kind != attribute_def::form::value) wrong(type, "a type");
    return std::vector<dtype>(size, *t);
  }

  // Fills in the attributes whose values come from the call.
  void fill_in(node_def& n) const {
    for (attribute_def& a : n.attributes) {
      const std::string from = placeholder_in(a);
      if (from.empty()) continue;
      const std::string name = a.name;
      a = value_of(result_.attributes, from, f_.name);
      a.name = name;
    }
  }

  std::size_t size_by(const node_def& n, std::string_view attribute) const {
    const attribute_def* a = n.find(attribute);
    if (a ? a->kind == attribute_def::form::empty_list : may_omit_lists(n.op)) return 0;
    if (const auto* number = a ? a->value.get<std::int64_t>() : nullptr;
        number && *number >= 0 && *number <= static_cast<std::int64_t>(most_tensors))
      return static_cast<std::size_t>(*number);
    if (const auto* types = a ? a->value.get<std::vector<dtype>>() : nullptr) return types->size();
    refuse(message{in_function(), "attribute '", attribute, "' of node '", n.name, "' does not say how many outputs it has"});
  }

  std::vector<named_tensors> outputs_of(const node_def& n) {
    if (const function_def* called = library_.find(n.op)) {
      std::vector<attribute_def> attributes = n.attributes;
      attributes.insert(attributes.end(), called->defaults.begin(), called->defaults.end());
      std::vector<named_tensors> result;
      for (const function_argument& a : called->outputs) result.push_back({a.name, types_of(a, attributes, called->name).size()});
      return result;
    }
    if (const calling_op* c = calling(n.op)) return {{"", size_by(n, c->output_types)}};
    const auto tables = ops_.tables(n.op);
    if (tables.empty()) return {{"", most_tensors}};  // the node is refused later, together with all other unknown ops
    const auto arguments = tables.front()->outputs();
    if (arguments.size() == 1 && arguments[0].kind == argument::form::single) return {{"", 1}};

    std::vector<std::string_view> sizes, names(arguments.size());
    for (const list_attributes& row : list_attributes_of_ops)
      if (row.op == n.op) sizes = split(row.outputs, ' ');
    if (arguments.size() > 1) {
      for (const output_names& row : output_names_of_ops)
        if (row.op == n.op) names = split(row.names, ' ');
      if (names.size() != arguments.size() || names[0].empty())
        refuse(message{in_function(), "the names of the outputs of ", n.op, " are not known (node '", n.name, "')"},
               error_code::unimplemented);
    }
    std::vector<named_tensors> result;
    std::size_t list = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      std::size_t size = 1;
      if (arguments[i].kind != argument::form::single)
        size = list < sizes.size() ? size_by(n, sizes[list]) : most_tensors, ++list;
      result.push_back({names[i], size});
    }
    return result;
  }

  // Returns the edges that the text names. It has the form "argument", "argument:index", "node:output" or "node:output:index".
  std::vector<std::string> edges_of(std::string_view text, const std::string& reader) const {
    auto wrong = [&](std::string_view why) { refuse(message{in_function(), reader, " reads '", text, "', ", why}); };
    const auto parts = split(text, ':');
    const std::string name(parts[0]);
    const auto at = sources_.find(name);
    if (at == sources_.end()) wrong("which is neither an argument nor a node of the function");
    const std::size_t fixed = at->second.is_argument ? 1 : 2;
    if (parts.size() < fixed || parts.size() > fixed + 1)
      wrong(fixed == 1 ? "expected 'argument' or 'argument:index'" : "expected 'node:output' or 'node:output:index'");
    std::size_t port = 0;
    for (const named_tensors& t : at->second.tensors) {
      if (fixed == 2 && !t.name.empty() && t.name != parts[1]) {
        port += t.size;
        continue;
      }
      std::vector<std::string> names;
      if (parts.size() > fixed) {
        const auto index = number_in(parts[fixed]);
        if (!index || *index >= t.size) wrong("which has no such index");
        names.push_back(name + ':' + std::to_string(port + *index));
      } else {
        const std::size_t size = t.size == most_tensors ? 1 : t.size;
        for (std::size_t k = 0; k < size; ++k) names.push_back(name + ':' + std::to_string(port + k));
      }
      return names;
    }
    wrong("which has no such output");
    return {};
  }

  void resolve_inputs(node_def& n) const {
    const std::string reader = "node '" + n.name + "'";
    std::vector<std::string> inputs;
    bool controls = false;
    for (const std::string& text : n.inputs) {
      if (text.starts_with('^')) {
        if (!sources_.contains(text.substr(1)))
          refuse(in_function() + reader + " waits for '" + text + "', which is neither an argument nor a node of the function");
        controls = true;
        inputs.push_back(text);
        continue;
      }
      if (controls) refuse(in_function() + reader + " has input '" + text + "' after a control input");
      for (std::string& edge : edges_of(text, reader)) inputs.push_back(std::move(edge));
    }
    n.inputs = std::move(inputs);
  }

  void resolve_output(const function_argument& a) {
    const auto at = std::find_if(f_.returns.begin(), f_.returns.end(), [&](const auto& r) { return r.first == a.name; });
    if (at == f_.returns.end()) refuse(in_function() + "nothing is returned for output '" + a.name + "'");
    const std::vector<dtype> types = types_of(a, result_.attributes, f_.name);
    const auto edges = edges_of(at->second, "output '" + a.name + "'");
    if (edges.size() != types.size())
      refuse(message{in_function(), "output '", a.name, "' must be ", types.size(), " tensors, found ", edges.size()});
    result_.outputs.insert(result_.outputs.end(), edges.begin(), edges.end());
    result_.output_types.insert(result_.output_types.end(), types.begin(), types.end());
  }

  bool is_stateful(const node_def& n) {
    if (const function_def* called = library_.find(n.op)) return called->stateful;
    if (const calling_op* c = calling(n.op)) return c->stateful;
    const auto tables = ops_.tables(n.op);
    return !tables.empty() && tables.front()->stateful;
  }

  // Collects the nodes that must run in any case: the control outputs of the function, and the stateful nodes that no output needs.
  void resolve_controls() {
    std::unordered_map<std::string_view, const node_def*> by_name;
    for (const node_def& n : result_.nodes) by_name.emplace(n.name, &n);
    std::unordered_map<std::string_view, bool> seen;
    std::vector<const node_def*> open;
    auto need = [&](std::string_view text) {
      if (text.starts_with('^')) text.remove_prefix(1);
      const auto at = by_name.find(node_in(text));
      if (at != by_name.end() && seen.emplace(at->first, true).second) open.push_back(at->second);
    };
    auto walk = [&] {
      while (!open.empty()) {
        const node_def* n = open.back();
        open.pop_back();
        for (const std::string& input : n->inputs) need(input);
      }
    };
    for (const std::string& name : f_.control_returns) {
      if (!by_name.contains(name)) refuse(in_function() + "the control output '" + name + "' is not a node of the function");
      if (std::find(result_.controls.begin(), result_.controls.end(), name) == result_.controls.end())
        result_.controls.push_back(name);
      need(name);
    }
    for (const std::string& edge : result_.outputs) need(edge);
    walk();
    result_.effects = result_.controls;
    for (const node_def& n : result_.nodes) {
      if (!is_stateful(n) || std::find(result_.controls.begin(), result_.controls.end(), n.name) != result_.controls.end())
        continue;
      result_.effects.push_back(n.name);
      if (seen.contains(n.name)) continue;
      result_.controls.push_back(n.name);
      need(n.name);
      walk();
    }
  }

  const function_def& f_;
  function_library& library_;
  const registry& ops_;
  function_body result_;
  std::unordered_map<std::string, source> sources_;
};

}  // namespace

function_body body_of(const function_call& call, function_library& library, const registry& ops) {
  const function_def* f = library.find(call.name);
  if (!f) throw error(error_code::not_found, "the file has no function '" + call.name + "'");
  try {
    return instantiation(*f, call, library, ops).run();
  } catch (const unknown_value& found) {
    throw error(error_code::unimplemented, "function '" + call.name + "': " + found.what + " has no counterpart in flowgraph");
  }
}

std::vector<dtype> types_in(const node_def& n, std::string_view attribute) {
  const attribute_def* a = n.find(attribute);
  if (!a) throw detail::invalid_argument({"attribute '", attribute, "' is missing"});
  if (a->kind == attribute_def::form::empty_list) return {};
  if (a->kind == attribute_def::form::unknown)
    throw error(error_code::unimplemented,
                message{"attribute '", attribute, "' is ", a->what, ", which has no counterpart in flowgraph"});
  if (const auto* types = a->value.get<std::vector<dtype>>()) return *types;
  throw detail::invalid_argument({"attribute '", attribute, "' must be a list of types, found ", to_string(a->value)});
}

bool is_call(std::string_view op) noexcept { return calling(op) != nullptr; }

std::string_view node_in(std::string_view edge) noexcept { return edge.substr(0, edge.rfind(':')); }

}  // namespace flowgraph::protobuf
