#pragma once

#include <flowgraph/op/attribute.hpp>

#include <cstdio>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE std::string_view name_of(attribute_kind kind) {
  constexpr std::string_view names[] = {"int",       "float",       "bool",       "string",       "type",       "shape",
                                        "tensor",    "func",        "list(int)",  "list(float)",  "list(bool)", "list(string)",
                                        "list(type)", "list(shape)", "list(tensor)", "list(func)"};
  return names[static_cast<std::size_t>(kind)];
}

namespace detail {

struct attribute_printer {
  std::string operator()(std::int64_t v) const { return std::to_string(v); }
  std::string operator()(float v) const {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(v));
    return text;
  }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(const std::string& v) const { return '"' + v + '"'; }
  std::string operator()(dtype v) const { return std::string(name_of(v)); }
  std::string operator()(const shape& v) const { return flowgraph::to_string(v); }
  std::string operator()(const any_tensor& v) const {
    return std::string(name_of(v.type())) + flowgraph::to_string(v.shape());
  }
  std::string operator()(const function_name& v) const { return v.name; }
  template <class Item>
  std::string operator()(const std::vector<Item>& list) const {
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i) text += ", ";
      text += (*this)(static_cast<const Item&>(list[i]));
    }
    return text + "]";
  }
};

}  // namespace detail

FLOWGRAPH_INLINE std::string to_string(const attribute_value& value) { return std::visit(detail::attribute_printer{}, value); }

}  // namespace flowgraph
