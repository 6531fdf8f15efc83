#pragma once
// The lists of ops in TensorFlow's files: which attributes count them, and empty ones.

#include "tensorflow_attributes.hpp"

#include <flowgraph/op/attribute.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns an empty list of the kind that the op expects.
inline std::optional<attribute_value> empty_list(attribute_kind kind) {
  switch (kind) {
    case attribute_kind::list_of_integers: return std::vector<std::int64_t>();
    case attribute_kind::list_of_reals: return std::vector<float>();
    case attribute_kind::list_of_booleans: return std::vector<bool>();
    case attribute_kind::list_of_strings: return std::vector<std::string>();
    case attribute_kind::list_of_types: return std::vector<dtype>();
    case attribute_kind::list_of_shapes: return std::vector<shape>();
    case attribute_kind::list_of_tensors: return std::vector<any_tensor>();
    case attribute_kind::list_of_functions: return std::vector<function_name>();
    default: return {};
  }
}

// The attributes that give the numbers or the types of an op's list inputs, in order. `known`: whether `name` does so for a list of
// inputs or outputs.
struct list_names {
  std::vector<std::string_view> inputs;
  bool known = false;

  list_names(std::string_view op, std::string_view name) {
    for (const protobuf::list_attributes& row : protobuf::list_attributes_of_ops) {
      if (row.op != op) continue;
      split(row.inputs, name, &inputs);
      split(row.outputs, name, nullptr);
    }
  }

private:
  void split(std::string_view rest, std::string_view name, std::vector<std::string_view>* into) {
    while (!rest.empty()) {
      const auto end = std::min(rest.find(' '), rest.size());
      known = known || rest.substr(0, end) == name;
      if (into) into->push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
};

}  // namespace flowgraph
