#include "object_graph.hpp"

#include <map>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

using protobuf::bytes;
using protobuf::field_of;
using protobuf::reader;

struct child {
  std::int64_t object = 0;
  std::string name;
};
struct object {
  std::vector<child> children;
  std::string path;
  bool is_found = false, is_variable = false;
  object_variable variable;
};

child read_child(bytes from) {
  child result;
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 1) result.object = protobuf::integer_of(r);
    else if (field_of(r) == 2) result.name = protobuf::text_of(r);
    else r.skip();
  }
  return result;
}

object_variable read_variable(bytes from) {
  object_variable result;
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 3) result.is_trainable = protobuf::integer_of(r) != 0;
    else if (field_of(r) == 6) result.name = protobuf::text_of(r);
    else r.skip();
  }
  return result;
}

object read_object(bytes from) {
  object result;
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 1) {
      result.children.push_back(read_child(protobuf::view_of(r)));
    } else if (field_of(r) == 7) {
      result.variable = read_variable(protobuf::view_of(r));
      result.is_variable = true;
    } else {
      r.skip();
    }
  }
  return result;
}

// The name of a function, and the objects whose handles are its last arguments.
using bound_inputs = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

void read_function(bytes entry, bound_inputs& into) {
  std::string name;
  std::vector<std::int64_t> bound;
  reader r(entry);
  while (r.next()) {
    if (field_of(r) == 1) {
      name = protobuf::text_of(r);
    } else if (field_of(r) == 2) {
      reader function(protobuf::view_of(r));
      while (function.next()) {
        if (field_of(function) == 2) protobuf::each_integer(function, [&](std::int64_t object) { bound.push_back(object); });
        else function.skip();
      }
    } else {
      r.skip();
    }
  }
  into.insert_or_assign(std::move(name), std::move(bound));
}

// Finds a shortest path to each object, as formats/object_checkpoint.hpp does.
void find_paths(std::vector<object>& objects) {
  constexpr std::size_t most_path = 4096;
  if (objects.empty()) return;
  std::vector<std::size_t> open{0};
  objects[0].is_found = true;
  for (std::size_t i = 0; i < open.size(); ++i)
    for (const child& c : objects[open[i]].children) {
      if (c.object < 0 || static_cast<std::size_t>(c.object) >= objects.size())
        protobuf::broken("an object of the model has a child that is not there");
      object& below = objects[static_cast<std::size_t>(c.object)];
      const std::string& above = objects[open[i]].path;
      if (below.is_found || above.size() + c.name.size() > most_path) continue;
      below.is_found = true;
      below.path = above + (above.empty() ? "" : "/") + c.name;
      open.push_back(static_cast<std::size_t>(c.object));
    }
}

std::string_view function_of(const node_def& call) {
  const attribute_def* const f = call.find("f");
  const auto* const name = f ? f->value.get<function_name>() : nullptr;
  return name ? std::string_view(name->name) : std::string_view(call.op);
}

// The last inputs of a call are the handles of the objects that its function binds.
void bind(const node_def& call, const std::vector<std::int64_t>& bound, std::vector<object>& objects,
          std::vector<object_variable>& result) {
  std::size_t count = 0;
  while (count < call.inputs.size() && !call.inputs[count].starts_with('^')) ++count;
  if (bound.size() > count) return;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i] < 0 || static_cast<std::size_t>(bound[i]) >= objects.size()) continue;
    object& o = objects[static_cast<std::size_t>(bound[i])];
    if (!o.is_variable || !o.variable.node.empty()) continue;
    const std::string& input = call.inputs[count - bound.size() + i];
    o.variable.node = input.substr(0, input.rfind(':'));
    result.push_back(o.variable);
  }
}

}  // namespace

std::vector<object_variable> protobuf::read_object_variables(bytes from, const graph_def& graph) {
  std::vector<object> objects;
  bound_inputs functions;
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 1) objects.push_back(read_object(protobuf::view_of(r)));
    else if (field_of(r) == 2) read_function(protobuf::view_of(r), functions);
    else r.skip();
  }
  find_paths(objects);
  for (object& o : objects) o.variable.path = o.path;
  std::vector<object_variable> result;
  for (const node_def& n : graph.nodes)
    if (const auto at = functions.find(function_of(n)); at != functions.end()) bind(n, at->second, objects, result);
  for (const object& o : objects)
    if (o.is_variable && o.variable.node.empty()) result.push_back(o.variable);
  return result;
}

}  // namespace flowgraph
