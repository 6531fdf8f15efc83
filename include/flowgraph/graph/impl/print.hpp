#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/print.hpp>
#include <flowgraph/graph/text.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline void append_inputs(std::string& text, const node& n) {
  text += '(';
  joiner list(text, ", ");
  for (const edge& e : n.inputs) list.add(name_of(*e.from, e.port));
  for (const node* c : n.control_inputs) list.add('^' + std::string(c->name));
  text += ')';
}

inline void append_attributes(std::string& text, const node& n) {
  if (n.op->attributes().empty()) return;
  text += " {";
  joiner list(text, ", ");
  for (const attribute_info& a : n.op->attributes()) list.add(std::string(a.name) + '=' + to_string(a.get(n.attributes)));
  text += '}';
}

// The loops of a graph as nested boxes. A node is in the loop of its inputs, as for the planner, and its text is in that box. Box 0
// contains the nodes outside of all loops.
class drawn_frames {
public:
  // The text of the node's box.
  std::string& place(const node& n) {
    std::uint32_t at = 0;
    auto join = [&](const node* from) {
      if (from && from->id < n.id && !is_free(*from)) at = std::max(at, leads_to_[from->id]);
    };
    for (const edge& e : n.inputs) join(e.from);
    for (const node* c : n.control_inputs) join(c);
    const control_flow control = n.op->control;
    leads_to_.push_back(control == control_flow::enter ? inside(at, n) : control == control_flow::exit ? boxes_[at].around : at);
    return boxes_[at].text;
  }
  std::string text(std::uint32_t outer = 0, const std::string& indent = "  ") const {
    std::string result;
    for (std::size_t at = 0; at < boxes_[outer].text.size();) {
      const std::size_t end = boxes_[outer].text.find('\n', at) + 1;
      result += indent + boxes_[outer].text.substr(at, end - at);
      at = end;
    }
    for (const std::uint32_t b : boxes_[outer].inside)
      result += indent + "subgraph " + detail::quoted(message{"cluster_", b}.string()) + " {\n" + indent +
                "  label=" + detail::quoted(boxes_[b].name) + ";\n" + text(b, indent + "  ") + indent + "}\n";
    return result;
  }

private:
  struct box {
    std::uint32_t around = 0;
    std::string name, text;
    sequence<std::uint32_t> inside;
  };
  std::uint32_t inside(std::uint32_t at, const node& enter) {
    const attribute_value wanted = attribute_of(enter, "frame_name");
    const std::string& name = *wanted.get<std::string>();
    for (const std::uint32_t b : boxes_[at].inside)
      if (boxes_[b].name == name) return b;
    const auto result = static_cast<std::uint32_t>(boxes_.size());
    boxes_.push_back({at, name, {}, {}});
    boxes_[at].inside.push_back(result);
    return result;
  }
  sequence<box> boxes_{1};
  sequence<std::uint32_t> leads_to_;  // by node id: the box of its consumers
};

}  // namespace detail

FLOWGRAPH_SELDOM std::string to_string(const node& n) {
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

FLOWGRAPH_SELDOM std::string to_text(const graph& g) {
  std::string text;
  for (std::size_t i = 0, size = g.size(); i < size; ++i) text += to_string(*g.at(i)) + '\n';
  return text;
}

FLOWGRAPH_SELDOM std::string to_dot(const graph& g) {
  detail::drawn_frames frames;
  std::string edges;
  for (std::size_t i = 0, size = g.size(); i < size; ++i) {
    const node& n = *g.at(i);
    const std::string id = detail::quoted(n.name);
    frames.place(n) += id + " [label=" + detail::quoted(n.name, to_string(*n.op)) + "];\n";
    for (const edge& e : n.inputs)
      edges += "  " + detail::quoted(e.from->name) + " -> " + id +
               " [label=" + detail::quoted(detail::text_of(e.from->outputs[e.port])) + "];\n";
    for (const node* c : n.control_inputs) edges += "  " + detail::quoted(c->name) + " -> " + id + " [style=dashed];\n";
  }
  return "digraph {\n  node [shape=box];\n" + frames.text() + edges + "}\n";
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
