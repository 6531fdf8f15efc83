#pragma once

#include <flowgraph/op/attribute.hpp>

#include <cstdio>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM std::string_view name_of(attribute_kind kind) {
  constexpr std::string_view names[] = {"int",        "float",       "bool",         "string",      "type",       "shape",
                                        "tensor",     "func",        "list(int)",    "list(float)", "list(bool)", "list(string)",
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
  std::string operator()(const any_tensor& v) const { return std::string(name_of(v.type())) + flowgraph::to_string(v.shape()); }
  std::string operator()(const function_name& v) const { return v.name; }
  template <class Item> std::string operator()(const std::vector<Item>& list) const {
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i) text += ", ";
      text += (*this)(static_cast<const Item&>(list[i]));
    }
    return text + "]";
  }
};

}  // namespace detail

namespace detail {

// A deleter for all types, since each type would otherwise have a reference counter of its own class. It is a class of this
// library, so that the standard library's instantiations for it remain hidden; those for a function would not.
struct attribute_deleter {
  void (*destroy)(const void* held);
  void operator()(const void* held) const { destroy(held); }
};
template <class T> std::shared_ptr<const void> hold(T value) {
  const void* const held = new T(std::move(value));
  return {held, attribute_deleter{[](const void* one) { delete static_cast<const T*>(one); }}};
}

}  // namespace detail

FLOWGRAPH_SELDOM attribute_value::attribute_value(const char* v) : attribute_value(std::string(v)) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::int64_t v)
    : kind_(attribute_kind::integer), held_(detail::hold<std::int64_t>(v)) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(float v) : kind_(attribute_kind::real), held_(detail::hold<float>(v)) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(bool v) : kind_(attribute_kind::boolean), held_(detail::hold<bool>(v)) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::string v)
    : kind_(attribute_kind::string), held_(detail::hold<std::string>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(dtype v) : kind_(attribute_kind::type), held_(detail::hold<dtype>(v)) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(flowgraph::shape v)
    : kind_(attribute_kind::shape), held_(detail::hold<flowgraph::shape>(v)) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(any_tensor v)
    : kind_(attribute_kind::tensor), held_(detail::hold<any_tensor>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(function_name v)
    : kind_(attribute_kind::function), held_(detail::hold<function_name>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::vector<std::int64_t> v)
    : kind_(attribute_kind::list_of_integers), held_(detail::hold<std::vector<std::int64_t>>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::vector<float> v)
    : kind_(attribute_kind::list_of_reals), held_(detail::hold<std::vector<float>>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::vector<bool> v)
    : kind_(attribute_kind::list_of_booleans), held_(detail::hold<std::vector<bool>>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::vector<std::string> v)
    : kind_(attribute_kind::list_of_strings), held_(detail::hold<std::vector<std::string>>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::vector<dtype> v)
    : kind_(attribute_kind::list_of_types), held_(detail::hold<std::vector<dtype>>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::vector<flowgraph::shape> v)
    : kind_(attribute_kind::list_of_shapes), held_(detail::hold<std::vector<flowgraph::shape>>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::vector<any_tensor> v)
    : kind_(attribute_kind::list_of_tensors), held_(detail::hold<std::vector<any_tensor>>(std::move(v))) {}
FLOWGRAPH_SELDOM attribute_value::attribute_value(std::vector<function_name> v)
    : kind_(attribute_kind::list_of_functions), held_(detail::hold<std::vector<function_name>>(std::move(v))) {}

namespace detail {

// Prints `value` to `text` if it is a T or a list of T.
template <class T> bool print_attribute(const attribute_value& value, std::string& text) {
  if (const T* one = value.get<T>()) text = attribute_printer{}(*one);
  else if (const std::vector<T>* list = value.get<std::vector<T>>()) text = attribute_printer{}(*list);
  else return false;
  return true;
}

}  // namespace detail

FLOWGRAPH_SELDOM std::string to_string(const attribute_value& value) {
  using namespace detail;
  std::string text;
  (void)(print_attribute<std::int64_t>(value, text) || print_attribute<float>(value, text) ||
         print_attribute<bool>(value, text) || print_attribute<std::string>(value, text) || print_attribute<dtype>(value, text) ||
         print_attribute<shape>(value, text) || print_attribute<any_tensor>(value, text) ||
         print_attribute<function_name>(value, text));
  return text;
}

}  // namespace flowgraph
