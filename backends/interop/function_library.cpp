#include "function_library.hpp"

#include "graph_def.hpp"

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

function_argument read_argument(bytes from) {
  function_argument result;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: result.name = text_of(r); break;
      case 3: result.type = integer_of(r); break;
      case 4: result.type_attribute = text_of(r); break;
      case 5: result.number_attribute = text_of(r); break;
      case 6: result.list_attribute = text_of(r); break;
      default: r.skip();
    }
  }
  return result;
}

// Reads an attribute of the signature if it has a default.
void read_default(bytes from, allowance& left, std::vector<attribute_def>& into) {
  std::string name;
  bytes value;
  bool has_default = false;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: name = text_of(r); break;
      case 3: value = view_of(r), has_default = true; break;
      default: r.skip();
    }
  }
  if (!has_default) return;
  into.push_back(read_attribute(value, left));
  into.back().name = std::move(name);
}

void read_signature(bytes from, allowance& left, function_def& into) {
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: into.name = text_of(r); break;
      case 2: into.inputs.push_back(read_argument(view_of(r))); break;
      case 3: into.outputs.push_back(read_argument(view_of(r))); break;
      case 4: read_default(view_of(r), left, into.defaults); break;
      case 17: into.stateful = integer_of(r) != 0; break;
      default: r.skip();
    }
  }
}

std::pair<std::string, std::string> read_text_entry(bytes from) {
  std::pair<std::string, std::string> result;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: result.first = text_of(r); break;
      case 2: result.second = text_of(r); break;
      default: r.skip();
    }
  }
  return result;
}

function_def read_function(bytes from, allowance& left) {
  function_def result;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: read_signature(view_of(r), left, result); break;
      case 3: result.nodes.push_back(read_node(view_of(r), left)); break;
      case 4: result.returns.push_back(read_text_entry(view_of(r))); break;
      case 6: result.control_returns.push_back(read_text_entry(view_of(r)).second); break;
      default: r.skip();
    }
  }
  return result;
}

std::string_view text_in(bytes from) { return {from.data(), from.size()}; }

std::string_view name_of_function(bytes from) {
  std::string_view name;
  reader r(from);
  while (r.next()) {
    if (field_of(r) != 1) {
      r.skip();
      continue;
    }
    reader signature(view_of(r));
    while (signature.next()) {
      if (field_of(signature) == 1) name = text_in(view_of(signature));
      else signature.skip();
    }
  }
  return name;
}

// Reads a NameAttrList.
function_call read_call(bytes from, allowance& left) {
  function_call result;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: result.name = text_of(r); break;
      case 2: {
        node_def entry;
        read_attribute_entry(view_of(r), left, entry);
        result.attributes.push_back(std::move(entry.attributes.front()));
        break;
      }
      default: r.skip();
    }
  }
  return result;
}

}  // namespace

function_library::function_library(const graph_def& graph) : left_(read_limits{}) {
  reader r(graph.library);
  while (r.next()) {
    if (field_of(r) != 1) {
      r.skip();
      continue;
    }
    const bytes part = view_of(r);
    const auto [at, is_new] = parts_.emplace(name_of_function(part), part);
    if (!is_new && text_in(at->second) != text_in(part))
      throw detail::invalid_argument({"the library has two functions named '", at->first, "', which differ"});
  }
}

const function_def* function_library::find(std::string_view name) {
  const auto at = parts_.find(name);
  if (at == parts_.end()) return nullptr;
  std::unique_ptr<function_def>& result = read_[at->first];
  if (!result) {
    try {
      result = std::make_unique<function_def>(read_function(at->second, left_));
    } catch (const error& why) { throw error(why.code(), message{"function '", name, "' cannot be read: ", why.message()}); }
  }
  return result.get();
}

std::vector<function_call> functions_in(const attribute_def& attribute) {
  if (attribute.kind == attribute_def::form::value) {
    if (const auto* one = attribute.value.get<function_name>()) return {{one->name, {}}};
    std::vector<function_call> result;
    if (const auto* list = attribute.value.get<std::vector<function_name>>())
      for (const function_name& f : *list) result.push_back({f.name, {}});
    return result;
  }
  std::vector<function_call> result;
  allowance left{read_limits{}};
  reader r(attribute.serialized);
  while (r.next()) {
    if (field_of(r) == 10) {
      result.push_back(read_call(view_of(r), left));
    } else if (field_of(r) == 1) {
      reader list(view_of(r));
      while (list.next()) {
        if (field_of(list) == 9) result.push_back(read_call(view_of(list), left));
        else list.skip();
      }
    } else {
      r.skip();
    }
  }
  return result;
}

std::string placeholder_in(const attribute_def& attribute) {
  if (attribute.kind != attribute_def::form::unknown) return {};
  std::string name;
  reader r(attribute.serialized);
  while (r.next()) {
    if (field_of(r) == 9) name = text_of(r);
    else r.skip();
  }
  return name;
}

}  // namespace flowgraph::protobuf
