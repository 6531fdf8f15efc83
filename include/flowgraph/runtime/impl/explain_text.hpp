#pragma once
// Explanations as text and as a graph for Graphviz.

#include <flowgraph/graph/text.hpp>
#include <flowgraph/runtime/explain.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline void append_list(std::string& text, const std::vector<std::string>& items) {
  if (!items.empty()) text += " -> ";
  joiner list(text, ", ");
  for (const std::string& item : items) list.add(item);
}

FLOWGRAPH_COLD inline void append_crossings(std::string& text, const explanation& e) {
  for (std::size_t i = 0; i < e.frames.size(); ++i) {
    const explained_loop& f = e.frames[i];
    if (f.transfers == 0) continue;
    text += message{f.transfers, f.transfers == 1 ? " transfer" : " transfers"}.string();
    if (i > 0) text += " in each iteration of " + f.name;
    if (f.crossing_bytes > 0) text += message{", ", f.crossing_bytes, " bytes"}.string();
    if (f.of_unknown_size > 0) text += message{", ", f.of_unknown_size, " of unknown size"}.string();
    text += '\n';
  }
}
FLOWGRAPH_COLD inline void append_parts(std::string& text, const explanation& e) {
  for (const explained_part& p : e.parts) {
    text += message{"part ", p.device, ": ", p.nodes, " nodes, sends ", p.sent, ", receives ", p.received}.string();
    for (const std::size_t f : p.loops) text += ", goes through " + e.frames[f].name;
    text += '\n';
  }
  for (const explained_exchange& x : e.exchanges) {
    text += "  " + x.kind + ' ' + x.name + ": " + e.parts[x.from].device + " to " + e.parts[x.to].device;
    if (x.frame > 0) text += " in each iteration of " + e.frames[x.frame].name;
    if (!x.is_alone) text += ", along with a value";
    text += '\n';
  }
}

// Returns the nodes of a frame, and its loops as boxes.
FLOWGRAPH_COLD inline std::string boxes_of(const explanation& e, std::size_t frame, const std::string& indent) {
  std::string text;
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    const explained_node& n = e.nodes[i];
    if (n.frame == frame)
      text += indent + message{"n", i}.string() +
              " [label=" + (n.op.empty() ? detail::quoted(n.name, n.kind) : detail::quoted(n.name, n.op)) +
              (n.is_folded                                ? ", style=filled"
               : n.kind == "feed" || n.kind == "constant" ? ", shape=ellipse"
                                                          : "") +
              "];\n";
  }
  for (std::size_t f = 1; f < e.frames.size(); ++f)
    if (e.frames[f].around == frame)
      text += indent + "subgraph " + detail::quoted(message{"cluster_", f}.string()) + " {\n" + indent +
              "  label=" + detail::quoted(e.frames[f].name) + ";\n" + boxes_of(e, f, indent + "  ") + indent + "}\n";
  return text;
}

}  // namespace detail

FLOWGRAPH_SELDOM std::string to_text(const explanation& e) {
  std::string text = message{e.nodes.size(), " nodes\n"};
  for (const explained_node& n : e.nodes) {
    text += "  " + n.name + " = " + (n.op.empty() ? n.kind : n.op);
    if (!n.op.empty() && n.kind != "constant") {
      text += '(';
      detail::joiner list(text, ", ");
      for (const explained_edge& in : n.inputs) {
        const std::string& from = e.nodes[in.from].name;
        using form = explained_edge::form;
        list.add(in.kind == form::control ? '^' + from
                 : in.kind == form::order ? '~' + from
                 : in.port == 0           ? from
                                          : message{from, ':', in.port}.string());
      }
      text += ')';
    }
    detail::append_list(text, n.outputs);
    if (!n.device.empty()) text += " @" + n.device;
    if (!n.reason.empty()) text += " (" + n.reason + ')';
    if (n.frame > 0) text += " in " + e.frames[n.frame].name;
    if (n.is_folded) text += " folded";
    text += '\n';
    for (const std::string& m : n.members) text += "    " + m + '\n';
  }
  for (const pass_report& p : e.passes) {
    text += message{"pass ", p.name, p.is_on ? ": " : " is off: ", p.changed, " nodes changed"}.string();
    if (p.too_large > 0) text += message{", ", p.too_large, " left alone as too large"}.string();
    text += '\n';
    for (const std::string& note : p.notes) text += "  " + note + '\n';
  }
  for (const loop_report& l : e.loops)
    text += "loop " + l.name +
            (l.is_of_scalars ? " is straight, and computes scalars\n"
             : l.is_straight ? " is straight\n"
                             : " is queued: " + l.why + '\n');
  detail::append_crossings(text, e);
  detail::append_parts(text, e);
  if (!e.queued.empty()) return text + "no schedule: " + e.queued + '\n';
  text +=
      message{"schedule: ", e.calls.size(), " entries, ", e.buffers, " buffers, ", e.arena_bytes, " bytes of working memory\n"}
          .string();
  for (const explained_call& c : e.calls) {
    text += std::string(2 + 2 * c.depth, ' ') + c.kind;
    if (!c.name.empty()) text += ' ' + c.name;
    if (!c.op.empty()) text += ' ' + c.op;
    detail::append_list(text, c.outputs);
    if (!c.when.empty()) text += " (" + c.when + ')';
    text += '\n';
  }
  return text;
}

FLOWGRAPH_SELDOM std::string to_dot(const explanation& e) {
  std::string text = "digraph {\n  node [shape=box];\n" + detail::boxes_of(e, 0, "  ");
  for (std::size_t i = 0; i < e.nodes.size(); ++i)
    for (const explained_edge& in : e.nodes[i].inputs) {
      using form = explained_edge::form;
      text += message{"  n", in.from, " -> n", i}.string();
      if (in.kind == form::data && in.port < e.nodes[in.from].outputs.size())
        text += " [label=" + detail::quoted(e.nodes[in.from].outputs[in.port]) + "]";
      if (in.kind != form::data) text += in.kind == form::control ? " [style=dashed]" : " [style=dotted]";
      text += ";\n";
    }
  return text + "}\n";
}

}  // namespace flowgraph
