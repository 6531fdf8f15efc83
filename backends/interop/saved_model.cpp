#include <flowgraph/interop/saved_model.hpp>

#include "graph_def.hpp"
#include "object_graph.hpp"

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

using wire::bytes;
using wire::reader;

std::uint32_t number(const reader& r) { return static_cast<std::uint32_t>(r.tag()); }

// Reads an entry of a map from names to messages.
template <class F> void read_entry(bytes from, F&& value) {
  std::string key;
  bytes held;
  reader r(from);
  while (r.next()) {
    if (number(r) == 1) key = wire::text_of(r);
    else if (number(r) == 2) held = wire::view_of(r);
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
    if (number(r) == 1) text = wire::text_of(r);
    else r.skip();
  }
  return text;
}

signature_def read_signature(std::string name, bytes from) {
  signature_def made;
  made.name = std::move(name);
  reader r(from);
  while (r.next()) {
    if (number(r) == 1 || number(r) == 2) {
      auto& edges = number(r) == 1 ? made.inputs : made.outputs;
      read_entry(wire::view_of(r), [&](std::string key, bytes info) { edges.emplace_back(std::move(key), first_text(info)); });
    } else if (number(r) == 3) {
      made.method = wire::text_of(r);
    } else {
      r.skip();
    }
  }
  return made;
}

void read_info(bytes from, meta_graph& into) {
  reader r(from);
  while (r.next()) {
    if (number(r) == 4) into.tags.push_back(wire::text_of(r));
    else r.skip();
  }
}

void read_saver(bytes from, saver_def& into) {
  reader r(from);
  while (r.next()) {
    if (number(r) == 1) into.filename_tensor = wire::text_of(r);
    else if (number(r) == 2) into.save_tensor = wire::text_of(r);
    else if (number(r) == 3) into.restore_node = wire::text_of(r);
    else r.skip();
  }
}

// Reads a collection. A collection of nodes contains names as strings. A collection of variables contains VariableDefs as bytes,
// which begin with the name of an edge, or in old files just these names.
void read_variables(bytes from, std::vector<std::string>& into) {
  reader collection(from);
  while (collection.next()) {
    const std::uint32_t kind = number(collection);
    if (kind != 1 && kind != 2) {
      collection.skip();
      continue;
    }
    reader list(wire::view_of(collection));
    while (list.next()) {
      if (number(list) != 1) {
        list.skip();
        continue;
      }
      std::string name = kind == 1 ? wire::text_of(list) : first_text(wire::view_of(list));
      if (name.ends_with(":0")) name.resize(name.size() - 2);
      into.push_back(std::move(name));
    }
  }
}

void read_asset(bytes from, meta_graph& into) {
  auto& [edge, file] = into.assets.emplace_back();
  reader r(from);
  while (r.next()) {
    if (number(r) == 1) edge = first_text(wire::view_of(r));
    else if (number(r) == 2) file = wire::text_of(r);
    else r.skip();
  }
}

meta_graph read_meta(bytes from, wire::allowance& left) {
  meta_graph made;
  bytes objects;
  reader r(from);
  while (r.next()) {
    switch (number(r)) {
      case 1: read_info(wire::view_of(r), made); break;
      case 2: made.graph = wire::read_graph(wire::view_of(r), left); break;
      case 3: read_saver(wire::view_of(r), made.saver); break;
      case 4:
        read_entry(wire::view_of(r), [&](std::string key, bytes held) {
          if (key == "trainable_variables") read_variables(held, made.trainable_variables);
          if (key == "saved_model_main_op" || key == "main_op" || key == "legacy_init_op")
            read_variables(held, made.initializers);
        });
        break;
      case 5:
        read_entry(wire::view_of(r),
                   [&](std::string key, bytes held) { made.signatures.push_back(read_signature(std::move(key), held)); });
        break;
      case 6: read_asset(wire::view_of(r), made); break;
      case 7: objects = wire::view_of(r); break;
      default: r.skip();
    }
  }
  made.variables = wire::read_object_variables(objects, made.graph);
  for (const object_variable& v : made.variables)
    if (v.is_trainable && !v.node.empty() &&
        std::ranges::find(made.trainable_variables, v.node) == made.trainable_variables.end())
      made.trainable_variables.push_back(v.node);
  return made;
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
  return wire::guarded("MetaGraphDef", [&] {
    wire::allowance left(limits);
    return read_meta(all_of(file), left);
  });
}

result<saved_model> read_saved_model(std::span<const std::byte> file, const read_limits& limits) {
  return wire::guarded("SavedModel", [&] {
    wire::allowance left(limits);
    saved_model made;
    reader r(all_of(file));
    while (r.next()) {
      if (number(r) == 2) made.graphs.push_back(read_meta(wire::view_of(r), left));
      else r.skip();
    }
    return made;
  });
}

}  // namespace flowgraph
