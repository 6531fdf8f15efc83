#include "graph_def.hpp"

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace protobuf {

namespace {

// Reads a NameAttrList. A function with attributes of its own is kept in its serialized form.
function_name read_function(bytes from, allowance& left) {
  const deeper level(left);
  function_name result;
  bool has_attributes = false;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: result.name = text_of(r); break;
      case 2: {
        reader entry(view_of(r));
        while (entry.next()) {
          if (field_of(entry) == 2) read_attribute(view_of(entry), left);
          else entry.skip();
        }
        has_attributes = true;
        break;
      }
      default: r.skip();
    }
  }
  if (has_attributes) throw unknown_value{"function '" + result.name + "' with attributes of its own"};
  return result;
}

// Reads an AttrValue.ListValue. All items must be of one kind, which is the kind of the list.
struct list_reader {
  allowance& left;
  std::vector<std::string> strings;
  std::vector<std::int64_t> integers;
  std::vector<float> reals;
  std::vector<bool> booleans;
  std::vector<dtype> types;
  std::vector<shape> shapes;
  std::vector<any_tensor> tensors;
  std::vector<function_name> functions;

  void read(bytes from) {
    reader r(from);
    while (r.next()) {
      switch (field_of(r)) {
        case 2: strings.push_back(text_of(r)); break;
        case 3: each_integer(r, [&](std::int64_t v) { integers.push_back(v); }); break;
        case 4: each_fixed<float>(r, [&](float v) { reals.push_back(v); }); break;
        case 5: each_integer(r, [&](std::int64_t v) { booleans.push_back(v != 0); }); break;
        case 6: each_integer(r, [&](std::int64_t v) { types.push_back(type_of_number(v)); }); break;
        case 7: shapes.push_back(read_shape(view_of(r))); break;
        case 8: tensors.push_back(read_tensor(view_of(r), left)); break;
        case 9: functions.push_back(read_function(view_of(r), left)); break;
        default: r.skip();
      }
    }
  }

  // Moves the list into `result`. Returns false if the list is empty.
  bool give(attribute_value& result) {
    bool given = false;
    auto one = [&](auto& list) {
      if (list.empty()) return;
      if (given) broken("a list has items of several kinds");
      given = true;
      result = attribute_value(std::move(list));
    };
    one(strings), one(integers), one(reals), one(booleans), one(types), one(shapes), one(tensors), one(functions);
    return given;
  }
};

void read_attribute_fields(bytes from, allowance& left, attribute_def& result) {
  const deeper level(left);
  bool found = false;
  reader r(from);
  while (r.next()) {
    found = true;
    result.kind = attribute_def::form::value;
    switch (field_of(r)) {
      case 1: {
        list_reader list{left, {}, {}, {}, {}, {}, {}, {}, {}};
        list.read(view_of(r));
        if (!list.give(result.value)) result.kind = attribute_def::form::empty_list;
        break;
      }
      case 2: result.value = text_of(r); break;
      case 3: result.value = integer_of(r); break;
      case 4: result.value = real_of(r); break;
      case 5: result.value = integer_of(r) != 0; break;
      case 6: result.value = type_of_number(integer_of(r)); break;
      case 7: result.value = read_shape(view_of(r)); break;
      case 8: result.value = read_tensor(view_of(r), left); break;
      case 9: throw unknown_value{"the placeholder '" + text_of(r) + "' of a function"};
      case 10: result.value = read_function(view_of(r), left); break;
      default: throw unknown_value{"field " + std::to_string(field_of(r)) + " of AttrValue"};
    }
  }
  if (!found) throw unknown_value{"no value"};
}

}  // namespace

attribute_def read_attribute(bytes from, allowance& left) {
  attribute_def result;
  try {
    read_attribute_fields(from, left, result);
  } catch (const unknown_value& found) {
    result.kind = attribute_def::form::unknown;
    result.what = found.what;
    result.serialized.assign(from.data(), from.size());
  }
  return result;
}

void read_attribute_entry(bytes from, allowance& left, node_def& into) {
  std::string name;
  bytes value;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: name = text_of(r); break;
      case 2: value = view_of(r); break;
      default: r.skip();
    }
  }
  if (name.empty()) broken("an attribute of node '" + into.name + "' has no name");
  attribute_def result;
  try {
    result = read_attribute(value, left);
  } catch (const error& why) {
    throw error(why.code(), "attribute '" + name + "' of node '" + into.name + "': " + std::string(why.message()));
  }
  result.name = std::move(name);
  const auto same =
      std::find_if(into.attributes.begin(), into.attributes.end(), [&](const attribute_def& a) { return a.name == result.name; });
  if (same == into.attributes.end()) into.attributes.push_back(std::move(result));
  else *same = std::move(result);  // the last one counts
}

node_def read_node(bytes from, allowance& left) {
  node_def definition;
  reader r(from);
  for (const char* start = from.data(); r.next(); start = r.data().data()) {
    switch (field_of(r)) {
      case 1: definition.name = text_of(r); break;
      case 2: definition.op = text_of(r); break;
      case 3:
        definition.inputs.push_back(text_of(r));
        if (definition.inputs.back().empty()) broken("an input of node '" + definition.name + "' is empty");
        break;
      case 4: definition.device = text_of(r); break;
      case 5: read_attribute_entry(view_of(r), left, definition); break;
      default: keep_field(r, start, definition.rest);
    }
  }
  if (definition.name.empty()) broken("a node has no name");
  if (definition.op.empty()) broken("node '" + definition.name + "' has no op");
  return definition;
}

namespace {

void read_versions(bytes from, graph_def& into) {
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: into.producer = small_integer_of(r); break;
      case 2: into.min_consumer = small_integer_of(r); break;
      case 3: each_integer(r, [&](std::int64_t v) { into.bad_consumers.push_back(static_cast<std::int32_t>(v)); }); break;
      default: r.skip();
    }
  }
}

// Returns the contents of all fields with that number.
std::vector<bytes> parts_of(bytes from, std::uint32_t field) {
  std::vector<bytes> parts;
  reader r(from);
  while (r.next()) {
    if (field_of(r) == field) parts.push_back(view_of(r));
    else r.skip();
  }
  return parts;
}

std::vector<std::string> function_names(bytes library) {
  std::vector<std::string> names;
  for (const bytes function : parts_of(library, 1))
    for (const bytes signature : parts_of(function, 1))
      for (const bytes name : parts_of(signature, 1)) names.emplace_back(name.data(), name.size());
  return names;
}

// Writes a list as the items of a ListValue.
template <class T> bool write_list(const attribute_value& value, writer& to) {
  const auto* list = value.get<std::vector<T>>();
  if (!list) return false;
  add_part(to, 1, [&](writer& items) {
    if constexpr (std::is_same_v<T, std::string>) {
      for (const std::string& s : *list) items.add_bytes(2, s);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      items.add_packed_int64(3, list->begin(), list->end());
    } else if constexpr (std::is_same_v<T, float>) {
      items.add_packed_float(4, list->begin(), list->end());
    } else if constexpr (std::is_same_v<T, bool>) {
      items.add_packed_bool(5, list->begin(), list->end());
    } else if constexpr (std::is_same_v<T, dtype>) {
      std::vector<std::int32_t> numbers;
      for (const dtype t : *list) numbers.push_back(static_cast<std::int32_t>(t));
      items.add_packed_enum(6, numbers.begin(), numbers.end());
    } else {
      constexpr std::uint32_t field = std::is_same_v<T, shape> ? 7 : std::is_same_v<T, any_tensor> ? 8 : 9;
      for (const T& item : *list)
        add_part(items, field, [&](writer& one) {
          if constexpr (std::is_same_v<T, shape>) write_shape(item, one);
          else if constexpr (std::is_same_v<T, any_tensor>) write_tensor(item, one);
          else one.add_string(1, item.name);
        });
    }
  });
  return true;
}

void write_value(const attribute_value& value, writer& to) {
  if (const auto* s = value.get<std::string>()) return to.add_bytes(2, *s);
  if (const auto* i = value.get<std::int64_t>()) return to.add_int64(3, *i);
  if (const auto* f = value.get<float>()) return to.add_float(4, *f);
  if (const auto* b = value.get<bool>()) return to.add_bool(5, *b);
  if (const auto* t = value.get<dtype>()) return to.add_enum(6, static_cast<std::int32_t>(*t));
  if (const auto* s = value.get<shape>()) return add_part(to, 7, [&](writer& part) { write_shape(*s, part); });
  if (const auto* t = value.get<any_tensor>()) return add_part(to, 8, [&](writer& part) { write_tensor(*t, part); });
  if (const auto* f = value.get<function_name>()) return add_part(to, 10, [&](writer& part) { part.add_string(1, f->name); });
  static_cast<void>(write_list<std::string>(value, to) || write_list<std::int64_t>(value, to) || write_list<float>(value, to) ||
                    write_list<bool>(value, to) || write_list<dtype>(value, to) || write_list<shape>(value, to) ||
                    write_list<any_tensor>(value, to) || write_list<function_name>(value, to));
}

void write_attribute(const attribute_def& a, writer& to) {
  to.add_string(1, a.name);
  switch (a.kind) {
    case attribute_def::form::unknown: return to.add_message(2, a.serialized);
    case attribute_def::form::empty_list: return add_part(to, 2, [](writer& value) { value.add_message(1, std::string()); });
    case attribute_def::form::value: return add_part(to, 2, [&](writer& value) { write_value(a.value, value); });
  }
}

void write_node(const node_def& n, writer& to) {
  to.add_string(1, n.name);
  to.add_string(2, n.op);
  for (const std::string& input : n.inputs) to.add_string(3, input);
  if (!n.device.empty()) to.add_string(4, n.device);
  for (const attribute_def& a : n.attributes) {
    try {
      add_part(to, 5, [&](writer& entry) { write_attribute(a, entry); });
    } catch (const error& why) {
      throw error(why.code(), "attribute '" + a.name + "' of node '" + n.name + "': " + std::string(why.message()));
    }
  }
}

}  // namespace

graph_def read_graph(bytes from, allowance& left) {
  graph_def result;
  reader r(from);
  for (const char* start = from.data(); r.next(); start = r.data().data()) {
    switch (field_of(r)) {
      case 1: result.nodes.push_back(read_node(view_of(r), left)); break;
      case 2: result.library += text_of(r); break;  // several fields are merged, as in protobuf
      case 4: read_versions(view_of(r), result); break;
      default: keep_field(r, start, result.rest);
    }
  }
  function_names(result.library);  // refuses invalid libraries
  return result;
}

void write_graph(const graph_def& graph, writer& to) {
  for (const node_def& n : graph.nodes) {
    std::string part;
    writer node(part);
    write_node(n, node);
    part += n.rest;
    check_size(part.size());
    to.add_message(1, part);
  }
  if (!graph.library.empty()) to.add_message(2, graph.library);
  if (graph.producer || graph.min_consumer || !graph.bad_consumers.empty()) {
    add_part(to, 4, [&](writer& versions) {
      if (graph.producer) versions.add_int32(1, graph.producer);
      if (graph.min_consumer) versions.add_int32(2, graph.min_consumer);
      if (!graph.bad_consumers.empty()) versions.add_packed_int32(3, graph.bad_consumers.begin(), graph.bad_consumers.end());
    });
  }
}

}  // namespace protobuf

const attribute_def* node_def::find(std::string_view attribute) const noexcept {
  for (const attribute_def& a : attributes)
    if (a.name == attribute) return &a;
  return nullptr;
}

std::vector<std::string> graph_def::functions() const {
  auto names = protobuf::guarded("FunctionDefLibrary", [&] { return protobuf::function_names(library); });
  return names ? *std::move(names) : std::vector<std::string>();
}

result<graph_def> read_graph_def(std::span<const std::byte> file, const read_limits& limits) {
  return protobuf::guarded("GraphDef", [&] {
    protobuf::allowance left(limits);
    return protobuf::read_graph({reinterpret_cast<const char*>(file.data()), file.size()}, left);
  });
}

result<std::string> write_graph_def(const graph_def& graph) {
  return protobuf::guarded("GraphDef", [&] {
    std::string text;
    protobuf::writer to(text);
    protobuf::write_graph(graph, to);
    text += graph.rest;
    protobuf::check_size(text.size());
    return text;
  });
}

}  // namespace flowgraph
