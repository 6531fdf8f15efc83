#pragma once
// Functions that format the texts of graphs and plans.

#include <flowgraph/core/shape.hpp>
#include <flowgraph/graph/node.hpp>

#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline std::string text_of(const output_info& o) {
  return std::string(name_of(o.type)) + (o.is_reference ? "&" : "") + to_string(o.shape);
}

// Appends items to a text, with a separator between them.
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

// Returns the strings in Graphviz's quotes, one string per line.
template <class... More> std::string quoted(std::string_view first, const More&... more) {
  std::string result = "\"";
  auto append = [&](std::string_view text) {
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  };
  append(first);
  ((result += "\\n", append(more)), ...);
  return result + '"';
}

}  // namespace flowgraph::detail
