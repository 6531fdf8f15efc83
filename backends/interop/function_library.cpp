#include "function_library.hpp"

#include "graph_def.hpp"

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

function_argument read_argument(bytes from) {
  function_argument made;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: made.name = text_of(r); break;
      case 3: made.type = integer_of(r); break;
      case 4: made.type_attribute = text_of(r); break;
      case 5: made.number_attribute = text_of(r); break;
      case 6: made.list_attribute = text_of(r); break;
      default: r.skip();
    }
  }
  return made;
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
  std::pair<std::string, std::string> made;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: made.first = text_of(r); break;
      case 2: made.second = text_of(r); break;
      default: r.skip();
    }
  }
  return made;
}

function_def read_function(bytes from, allowance& left) {
  function_def made;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: read_signature(view_of(r), left, made); break;
      case 3: made.nodes.push_back(read_node(view_of(r), left)); break;
      case 4: made.returns.push_back(read_text_entry(view_of(r))); break;
      case 6: made.control_returns.push_back(read_text_entry(view_of(r)).second); break;
      default: r.skip();
    }
  }
  return made;
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
  function_call made;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: made.name = text_of(r); break;
      case 2: {
        node_def entry;
        read_attribute_entry(view_of(r), left, entry);
        made.attributes.push_back(std::move(entry.attributes.front()));
        break;
      }
      default: r.skip();
    }
  }
  return made;
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
  std::unique_ptr<function_def>& made = read_[at->first];
  if (!made) {
    try {
      made = std::make_unique<function_def>(read_function(at->second, left_));
    } catch (const error& why) { throw error(why.code(), message{"function '", name, "' cannot be read: ", why.message()}); }
  }
  return made.get();
}

std::vector<function_call> functions_in(const attribute_def& attribute) {
  if (attribute.kind == attribute_def::form::value) {
    if (const auto* one = attribute.value.get<function_name>()) return {{one->name, {}}};
    std::vector<function_call> made;
    if (const auto* list = attribute.value.get<std::vector<function_name>>())
      for (const function_name& f : *list) made.push_back({f.name, {}});
    return made;
  }
  std::vector<function_call> made;
  allowance left{read_limits{}};
  reader r(attribute.serialized);
  while (r.next()) {
    if (field_of(r) == 10) {
      made.push_back(read_call(view_of(r), left));
    } else if (field_of(r) == 1) {
      reader list(view_of(r));
      while (list.next()) {
        if (field_of(list) == 9) made.push_back(read_call(view_of(list), left));
        else list.skip();
      }
    } else {
      r.skip();
    }
  }
  return made;
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
