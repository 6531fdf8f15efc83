#pragma once

#include <flowgraph/formats/fields.hpp>
#include <flowgraph/formats/serialized_tensor.hpp>
#include <flowgraph/observe/described_graph.hpp>

#include <map>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns a TensorShapeProto.
inline std::string shape_message(const shape& s) {
  std::string text;
  if (s.rank < 0) put_varint_field(text, 3, 1);
  for (int axis = 0; axis < s.rank; ++axis) {
    std::string dim;
    if (s[axis] != 0) put_varint_field(dim, 1, static_cast<std::uint64_t>(s[axis]));
    put_bytes_field(text, 2, dim);
  }
  return text;
}

// Writes attributes as AttrValue messages.
class attribute_messages {
public:
  explicit attribute_messages(const description_options& options) : options_(options) {}

  std::string of(const attribute_value& v) const {
    std::string text;
    if (const auto* s = v.get<std::string>()) put_bytes_field(text, 2, *s);
    else if (const auto* i = v.get<std::int64_t>()) put_varint_field(text, 3, static_cast<std::uint64_t>(*i));
    else if (const auto* f = v.get<float>()) put_fixed_field(text, 4, *f);
    else if (const auto* b = v.get<bool>()) put_varint_field(text, 5, *b ? 1 : 0);
    else if (const auto* t = v.get<dtype>()) put_varint_field(text, 6, static_cast<std::uint64_t>(*t));
    else if (const auto* extents = v.get<shape>()) put_bytes_field(text, 7, shape_message(*extents));
    else if (const auto* tensor = v.get<any_tensor>()) put_bytes_field(text, 8, message_of(*tensor));
    else if (const auto* function = v.get<function_name>()) put_bytes_field(text, 10, message_of(*function));
    else put_bytes_field(text, 1, list_of(v));
    return text;
  }

private:
  std::string list_of(const attribute_value& v) const {
    std::string text;
    if (const auto* texts = v.get<std::vector<std::string>>())
      for (const std::string& s : *texts) put_bytes_field(text, 2, s);
    else if (const auto* integers = v.get<std::vector<std::int64_t>>())
      for (const std::int64_t i : *integers) put_varint_field(text, 3, static_cast<std::uint64_t>(i));
    else if (const auto* reals = v.get<std::vector<float>>())
      for (const float f : *reals) put_fixed_field(text, 4, f);
    else if (const auto* booleans = v.get<std::vector<bool>>())
      for (const bool b : *booleans) put_varint_field(text, 5, b ? 1 : 0);
    else if (const auto* types = v.get<std::vector<dtype>>())
      for (const dtype t : *types) put_varint_field(text, 6, static_cast<std::uint64_t>(t));
    else if (const auto* shapes = v.get<std::vector<shape>>())
      for (const shape& s : *shapes) put_bytes_field(text, 7, shape_message(s));
    else if (const auto* tensors = v.get<std::vector<any_tensor>>())
      for (const any_tensor& t : *tensors) put_bytes_field(text, 8, message_of(t));
    else if (const auto* functions = v.get<std::vector<function_name>>())
      for (const function_name& f : *functions) put_bytes_field(text, 9, message_of(f));
    return text;
  }

  // Returns a tensor, or the type and shape of a large tensor.
  std::string message_of(const any_tensor& t) const {
    if (!is_counted(t.type()) && !t.is_far() && t.bytes() <= options_.largest_tensor) return serialize_tensor(t);
    std::string text;
    put_varint_field(text, 1, static_cast<std::uint64_t>(t.type()));
    put_bytes_field(text, 2, shape_message(t.shape()));
    return text;
  }
  static std::string message_of(const function_name& f) {
    std::string text;
    put_bytes_field(text, 1, f.name);
    return text;
  }

  description_options options_;
};

// Returns a NodeDef.
inline std::string node_message(const node& n, const attribute_messages& messages) {
  std::string text;
  put_bytes_field(text, 1, n.name);
  put_bytes_field(text, 2, n.op->name());
  for (const edge& e : n.inputs)
    if (e.from) put_bytes_field(text, 3, name_of(*e.from, e.port));
  for (const node* c : n.control_inputs) put_bytes_field(text, 3, '^' + std::string(c->name));
  if (!n.device.empty()) put_bytes_field(text, 4, n.device);

  std::map<std::string_view, std::string> attributes;
  for (const type_binding& t : n.op->types()) attributes.try_emplace(t.attribute, messages.of(t.type));
  for (const attribute_info& a : n.op->attributes()) attributes.try_emplace(a.name, messages.of(a.get(n.attributes)));
  std::vector<shape> shapes;
  for (const output_info& o : n.outputs) shapes.push_back(o.shape);
  if (!shapes.empty()) attributes.try_emplace("_output_shapes", messages.of(shapes));
  if (!n.colocated_with.empty()) {
    std::vector<std::string> with;
    for (const std::string_view other : n.colocated_with) with.push_back("loc:@" + std::string(other));
    attributes.try_emplace("_class", messages.of(with));
  }
  for (const auto& [name, message] : attributes) {
    std::string entry;
    put_bytes_field(entry, 1, name);
    put_bytes_field(entry, 2, message);
    put_bytes_field(text, 5, entry);
  }
  return text;
}

}  // namespace detail

FLOWGRAPH_INLINE std::string described_graph(const graph& g, const description_options& options) {
  const detail::attribute_messages messages(options);
  std::string text, versions;
  for (std::size_t id = 0, size = g.size(); id < size; ++id)
    if (const node* n = g.at(id); n && !n->is_poison()) detail::put_bytes_field(text, 1, detail::node_message(*n, messages));
  detail::put_varint_field(versions, 1, 27);  // the version of TensorFlow whose rules the ops follow
  detail::put_bytes_field(text, 4, versions);
  return text;
}

}  // namespace flowgraph
