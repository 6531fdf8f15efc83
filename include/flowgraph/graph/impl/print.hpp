#pragma once

#include <flowgraph/graph/print.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline std::string text_of(const output_info& o) {
  return std::string(name_of(o.type)) + (o.is_reference ? "&" : "") + to_string(o.shape);
}

// Appends items with what separates them.
class joiner {
public:
  joiner(std::string& text, std::string_view separator) : text_(text), separator_(separator) {}
  void add(std::string_view item) {
    if (!first_) text_ += separator_;
    first_ = false;
    text_ += item;
  }

private:
  std::string& text_;
  std::string_view separator_;
  bool first_ = true;
};

inline void append_inputs(std::string& text, const node& n) {
  text += '(';
  joiner list(text, ", ");
  for (const edge& e : n.inputs) list.add(name_of(*e.from, e.port));
  for (const node* c : n.control_inputs) list.add('^' + std::string(c->name));
  text += ')';
}

inline void append_attributes(std::string& text, const node& n) {
  if (n.op->attributes.empty()) return;
  text += " {";
  joiner list(text, ", ");
  for (const attribute_info& a : n.op->attributes) list.add(std::string(a.name) + '=' + to_string(a.get(n.attributes)));
  text += '}';
}

// Strings in Graphviz's quotes, each on its line.
template <class... More>
std::string quoted(std::string_view first, const More&... more) {
  std::string made = "\"";
  auto append = [&](std::string_view text) {
    for (const char c : text) {
      if (c == '"' || c == '\\') made += '\\';
      made += c;
    }
  };
  append(first);
  ((made += "\\n", append(more)), ...);
  return made + '"';
}

}  // namespace detail

FLOWGRAPH_INLINE std::string to_string(const node& n) {
  if (n.is_poison()) return "(a node that could not be made)";
  std::string text = std::string(n.name) + " = " + to_string(*n.op);
  detail::append_inputs(text, n);
  detail::append_attributes(text, n);
  if (!n.outputs.empty()) text += " -> ";
  detail::joiner list(text, ", ");
  for (const output_info& o : n.outputs) list.add(detail::text_of(o));
  if (!n.device.empty()) text += " @" + std::string(n.device);
  return text;
}

FLOWGRAPH_INLINE std::string to_text(const graph& g) {
  std::string text;
  for (std::size_t i = 0, size = g.size(); i < size; ++i) text += to_string(*g.at(i)) + '\n';
  return text;
}

FLOWGRAPH_INLINE std::string to_dot(const graph& g) {
  using detail::quoted;
  std::string nodes, edges;
  for (std::size_t i = 0, size = g.size(); i < size; ++i) {
    const node& n = *g.at(i);
    const std::string id = quoted(n.name);
    nodes += "  " + id + " [label=" + quoted(n.name, to_string(*n.op)) + "];\n";
    for (const edge& e : n.inputs)
      edges += "  " + quoted(e.from->name) + " -> " + id + " [label=" + quoted(detail::text_of(e.from->outputs[e.port])) + "];\n";
    for (const node* c : n.control_inputs) edges += "  " + quoted(c->name) + " -> " + id + " [style=dashed];\n";
  }
  return "digraph {\n  node [shape=box];\n" + nodes + edges + "}\n";
}

}  // namespace flowgraph
