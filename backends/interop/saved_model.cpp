#include <flowgraph/interop/saved_model.hpp>

#include "graph_def.hpp"
#include "object_graph.hpp"

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

using protobuf::bytes;
using protobuf::field_of;
using protobuf::reader;

// Reads an entry of a map from names to messages.
template <class F> void read_entry(bytes from, F&& value) {
  std::string key;
  bytes held;
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 1) key = protobuf::text_of(r);
    else if (field_of(r) == 2) held = protobuf::view_of(r);
    else r.skip();
  }
  value(std::move(key), held);
}

// Returns the first field of a message, which is a string. In a TensorInfo it is the name of an edge; for other encodings of a
// TensorInfo the result is empty.
std::string first_text(bytes from) {
  std::string text;
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 1) text = protobuf::text_of(r);
    else r.skip();
  }
  return text;
}

signature_def read_signature(std::string name, bytes from) {
  signature_def result;
  result.name = std::move(name);
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 1 || field_of(r) == 2) {
      auto& edges = field_of(r) == 1 ? result.inputs : result.outputs;
      read_entry(protobuf::view_of(r),
                 [&](std::string key, bytes info) { edges.emplace_back(std::move(key), first_text(info)); });
    } else if (field_of(r) == 3) {
      result.method = protobuf::text_of(r);
    } else {
      r.skip();
    }
  }
  return result;
}

void read_info(bytes from, meta_graph& into) {
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 4) into.tags.push_back(protobuf::text_of(r));
    else r.skip();
  }
}

void read_saver(bytes from, saver_def& into) {
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 1) into.filename_tensor = protobuf::text_of(r);
    else if (field_of(r) == 2) into.save_tensor = protobuf::text_of(r);
    else if (field_of(r) == 3) into.restore_node = protobuf::text_of(r);
    else r.skip();
  }
}

// Reads a collection. A collection of nodes contains names as strings. A collection of variables contains VariableDefs as bytes,
// which begin with the name of an edge, or in old files just these names.
void read_variables(bytes from, std::vector<std::string>& into) {
  reader collection(from);
  while (collection.next()) {
    const std::uint32_t kind = field_of(collection);
    if (kind != 1 && kind != 2) {
      collection.skip();
      continue;
    }
    reader list(protobuf::view_of(collection));
    while (list.next()) {
      if (field_of(list) != 1) {
        list.skip();
        continue;
      }
      std::string name = kind == 1 ? protobuf::text_of(list) : first_text(protobuf::view_of(list));
      if (name.ends_with(":0")) name.resize(name.size() - 2);
      into.push_back(std::move(name));
    }
  }
}

void read_asset(bytes from, meta_graph& into) {
  auto& [edge, file] = into.assets.emplace_back();
  reader r(from);
  while (r.next()) {
    if (field_of(r) == 1) edge = first_text(protobuf::view_of(r));
    else if (field_of(r) == 2) file = protobuf::text_of(r);
    else r.skip();
  }
}

meta_graph read_meta(bytes from, protobuf::allowance& left) {
  meta_graph result;
  bytes objects;
  reader r(from);
  while (r.next()) {
    switch (field_of(r)) {
      case 1: read_info(protobuf::view_of(r), result); break;
      case 2: result.graph = protobuf::read_graph(protobuf::view_of(r), left); break;
      case 3: read_saver(protobuf::view_of(r), result.saver); break;
      case 4:
        read_entry(protobuf::view_of(r), [&](std::string key, bytes held) {
          if (key == "trainable_variables") read_variables(held, result.trainable_variables);
          if (key == "saved_model_main_op" || key == "main_op" || key == "legacy_init_op")
            read_variables(held, result.initializers);
        });
        break;
      case 5:
        read_entry(protobuf::view_of(r),
                   [&](std::string key, bytes held) { result.signatures.push_back(read_signature(std::move(key), held)); });
        break;
      case 6: read_asset(protobuf::view_of(r), result); break;
      case 7: objects = protobuf::view_of(r); break;
      default: r.skip();
    }
  }
  result.variables = protobuf::read_object_variables(objects, result.graph);
  for (const object_variable& v : result.variables)
    if (v.is_trainable && !v.node.empty() &&
        std::ranges::find(result.trainable_variables, v.node) == result.trainable_variables.end())
      result.trainable_variables.push_back(v.node);
  return result;
}

bytes all_of(std::span<const std::byte> file) { return {reinterpret_cast<const char*>(file.data()), file.size()}; }

}  // namespace

const signature_def* meta_graph::find(std::string_view signature) const noexcept {
  for (const signature_def& s : signatures)
    if (s.name == signature) return &s;
  return nullptr;
}

const meta_graph* saved_model::find(std::span<const std::string_view> tags) const noexcept {
  for (const meta_graph& g : graphs)
    if (std::all_of(tags.begin(), tags.end(),
                    [&](std::string_view t) { return std::find(g.tags.begin(), g.tags.end(), t) != g.tags.end(); }))
      return &g;
  return nullptr;
}

result<meta_graph> read_meta_graph(std::span<const std::byte> file, const read_limits& limits) {
  return protobuf::guarded("MetaGraphDef", [&] {
    protobuf::allowance left(limits);
    return read_meta(all_of(file), left);
  });
}

result<saved_model> read_saved_model(std::span<const std::byte> file, const read_limits& limits) {
  return protobuf::guarded("SavedModel", [&] {
    protobuf::allowance left(limits);
    saved_model result;
    reader r(all_of(file));
    while (r.next()) {
      if (field_of(r) == 2) result.graphs.push_back(read_meta(protobuf::view_of(r), left));
      else r.skip();
    }
    return result;
  });
}

}  // namespace flowgraph
