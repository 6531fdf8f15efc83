#include "functions.hpp"

#include <flowgraph/formats/fields.hpp>

namespace command {

namespace {

using fg::detail::field_reader;

// Returns the name of an OpDef.ArgDef, and its type or the attribute that contains the type.
std::string argument_text(std::string_view message) {
  std::string name, type;
  field_reader f(message);
  while (f.next()) {
    if (f.is_bytes(1)) name = f.bytes();
    else if (f.is_varint(3)) type += std::string(fg::name_of(static_cast<fg::dtype>(f.value()))) + " ";
    else if (f.is_bytes(4) || f.is_bytes(5) || f.is_bytes(6)) type += std::string(f.bytes()) + " ";
  }
  return name + ": " + type;
}

// Returns an entry of a map from texts to texts.
std::pair<std::string, std::string> entry_of(std::string_view message) {
  std::pair<std::string, std::string> made;
  field_reader f(message);
  while (f.next())
    if (f.is_bytes(1)) made.first = f.bytes();
    else if (f.is_bytes(2)) made.second = f.bytes();
  return made;
}

std::pair<std::string, file_function> function_in(std::string_view message) {
  std::string name, nodes;
  file_function made;
  field_reader f(message);
  while (f.next()) {
    if (f.is_bytes(1)) {
      field_reader signature(f.bytes());
      while (signature.next())
        if (signature.is_bytes(1)) name = signature.bytes();
        else if (signature.is_bytes(2)) made.inputs.push_back(argument_text(signature.bytes()));
        else if (signature.is_bytes(3)) made.outputs.push_back(argument_text(signature.bytes()));
    } else if (f.is_bytes(3)) {
      fg::detail::put_bytes_field(nodes, 1, f.bytes());  // the form of nodes in a GraphDef
    } else if (f.is_bytes(4)) {
      made.returns.insert(entry_of(f.bytes()));
    } else if (f.is_bytes(6)) {
      const auto [output, node] = entry_of(f.bytes());
      made.returns.emplace("^" + output, "^" + node);
    }
  }
  auto body = fg::read_graph_def(std::as_bytes(std::span(nodes)));
  if (!body) throw failure{bad_input, "function '" + name + "': " + std::string(body.error().message())};
  made.body = *std::move(body);
  return {name, std::move(made)};
}

}  // namespace

std::map<std::string, file_function> functions_of(const fg::graph_def& graph) {
  std::map<std::string, file_function> made;
  field_reader f(graph.library);
  while (f.next())
    if (f.is_bytes(1)) made.insert(function_in(f.bytes()));
  return made;
}

std::vector<std::string> functions_named_by(const fg::attribute_def& a) {
  if (a.kind == fg::attribute_def::form::unknown) {
    // An AttrValue.func with attributes of its own.
    field_reader value(a.serialized);
    while (value.next())
      if (value.is_bytes(10)) return {entry_of(value.bytes()).first};
    return {};
  }
  std::vector<std::string> made;
  if (const auto* const one = a.value.get<fg::function_name>()) made.push_back(one->name);
  if (const auto* const list = a.value.get<std::vector<fg::function_name>>())
    for (const auto& one : *list) made.push_back(one.name);
  return made;
}

std::vector<std::string> functions_called_by(const fg::node_def& n, const std::map<std::string, file_function>& functions) {
  std::vector<std::string> made;
  if (functions.contains(n.op)) made.push_back(n.op);
  for (const auto& a : n.attributes)
    if (!a.name.starts_with('_'))
      for (const std::string& name : functions_named_by(a)) made.push_back(name);
  return made;
}

}  // namespace command
