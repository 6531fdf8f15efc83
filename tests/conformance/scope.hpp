#pragma once
// The op types in scope with TensorFlow's declarations (data/registry.json), and the ops that belong to the catalogue's core
// (data/scope.txt).

#include "json.hpp"

#include <flowgraph/core/type.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace conformance {

struct declared_argument {
  std::string type;   // a type attribute, a list attribute, or the name of an element type
  std::string count;  // the attribute that counts a list of one type; empty: there is no such list
  bool is_mixed = false, is_reference = false;
  std::string name;
  bool is_on_host = false;  // in host memory if a kernel is registered for another device than the CPU
};

struct declared_attribute {
  std::string kind;
  const json* preset = nullptr;  // the default; null: the attribute is required
  std::vector<std::string> allowed;
};

struct declared_op {
  std::string family;
  bool is_core = false;
  std::vector<declared_argument> inputs, outputs;
  std::map<std::string, declared_attribute> attributes;
  std::map<std::string, std::vector<std::string>> kernels;  // element types with a kernel, by type attribute
  bool has_gradient = false;
};

class scope {
public:
  // Throws std::runtime_error if the files are invalid.
  scope(const std::string& registry_path, const std::string& scope_path);

  const std::map<std::string, declared_op>& ops() const { return ops_; }
  // Returns whether a case with these ops counts: each op is in the core or executed by the engine.
  bool counts(const std::vector<std::string>& ops) const;

private:
  void read_registry();
  void read_families(const std::string& path);

  json registry_;
  std::map<std::string, declared_op> ops_;
};

std::string read_file(const std::string& path);

// Returns the element type with TensorFlow's name; invalid if flowgraph does not have it.
flowgraph::dtype element_type(std::string_view name);

}  // namespace conformance
