#pragma once
// Access to the value of an attribute by its type.

#include <flowgraph/op/attribute.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Calls `f` with the value of the attribute.
template <class F> decltype(auto) visit_attribute(const attribute_value& v, F&& f) {
  switch (v.kind()) {
    case attribute_kind::integer: return f(*v.get<std::int64_t>());
    case attribute_kind::real: return f(*v.get<float>());
    case attribute_kind::boolean: return f(*v.get<bool>());
    case attribute_kind::string: return f(*v.get<std::string>());
    case attribute_kind::type: return f(*v.get<dtype>());
    case attribute_kind::shape: return f(*v.get<shape>());
    case attribute_kind::tensor: return f(*v.get<any_tensor>());
    case attribute_kind::function: return f(*v.get<function_name>());
    case attribute_kind::list_of_integers: return f(*v.get<std::vector<std::int64_t>>());
    case attribute_kind::list_of_reals: return f(*v.get<std::vector<float>>());
    case attribute_kind::list_of_booleans: return f(*v.get<std::vector<bool>>());
    case attribute_kind::list_of_strings: return f(*v.get<std::vector<std::string>>());
    case attribute_kind::list_of_types: return f(*v.get<std::vector<dtype>>());
    case attribute_kind::list_of_shapes: return f(*v.get<std::vector<shape>>());
    case attribute_kind::list_of_tensors: return f(*v.get<std::vector<any_tensor>>());
    case attribute_kind::list_of_functions: break;
  }
  return f(*v.get<std::vector<function_name>>());
}
}  // namespace flowgraph::detail
