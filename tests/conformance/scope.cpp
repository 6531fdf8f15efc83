#include "scope.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace conformance {

namespace {

const std::set<std::string_view> core_families = {
    "math", "comparison", "logical", "bitwise", "reduction", "scan",    "segment", "sparse_segment",    "array",
    "nn",   "conv",       "pool",    "random",  "state",     "scatter", "debug",   "resource_variable", "training"};
// The linear algebra of the core; its other ops, and some of nn, belong to later parts.
bool is_core_linear_algebra(std::string_view op) {
  for (const std::string_view part : {"MatrixDiag", "MatrixSetDiag", "MatrixBandPart", "BatchMatrixDiag", "BatchMatrixSetDiag",
                                      "BatchMatrixBandPart", "BatchMatMul"})
    if (op.starts_with(part)) return true;
  return op == "MatMul" || op == "Einsum";
}
bool is_sequence(std::string_view op) {
  return op.find("CTC") != op.npos || op.find("BlockLSTM") != op.npos || op.starts_with("LSTMBlockCell") ||
         op.starts_with("GRUBlockCell");
}
// Control flow that the engine itself executes.
const std::set<std::string_view> engine_ops = {"Switch",   "RefSwitch",      "Merge",   "RefMerge",      "Enter",
                                               "RefEnter", "Exit",           "RefExit", "NextIteration", "RefNextIteration",
                                               "LoopCond", "ControlTrigger", "NoOp"};

// "T", "[N]T", "*Tlist", "T&"
declared_argument argument_of(const json& pair) {
  if (pair.items().size() != 2) throw std::runtime_error("an argument is not a name and a type");
  std::string type = pair.items()[1].text();
  declared_argument made;
  if (type.ends_with('&')) made.is_reference = true, type.pop_back();
  if (type.starts_with('*')) {
    made.is_mixed = true;
    type.erase(0, 1);
  } else if (type.starts_with('[')) {
    const auto end = type.find(']');
    made.count = type.substr(1, end - 1);
    type.erase(0, end + 1);
  }
  made.type = type;
  made.name = pair.items()[0].text();
  return made;
}

void note_host_argument(declared_op& op, const std::string& name) {
  bool is_there = false;
  for (std::vector<declared_argument>* all : {&op.inputs, &op.outputs})
    for (declared_argument& a : *all)
      if (a.name == name) is_there = a.is_on_host = true;
  if (!is_there) throw std::runtime_error("registry: no argument is named '" + name + "'");
}

std::vector<std::string> texts(const json* list) {
  std::vector<std::string> made;
  if (list)
    for (const json& item : list->items()) made.push_back(item.text());
  return made;
}

const json& member(const json& of, std::string_view name) {
  const json* found = of.find(name);
  if (!found) throw std::runtime_error("registry: '" + std::string(name) + "' is missing");
  return *found;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  std::string read(in ? static_cast<std::size_t>(in.tellg()) : 0, '\0');
  if (!in.seekg(0).read(read.data(), static_cast<std::streamsize>(read.size())))
    throw std::runtime_error("'" + path + "' cannot be read");
  return read;
}

flowgraph::dtype element_type(std::string_view name) {
  for (int i = 1; i < 32; ++i)
    if (const auto type = static_cast<flowgraph::dtype>(i); name == flowgraph::name_of(type) && name != "invalid") return type;
  return flowgraph::dtype::invalid;
}

scope::scope(const std::string& registry_path, const std::string& scope_path) : registry_(read_json(read_file(registry_path))) {
  read_registry();
  read_families(scope_path);
}

void scope::read_registry() {
  for (const auto& [name, said] : registry_.members()) {
    if (name.empty()) continue;  // the note at the beginning
    declared_op op;
    for (const json& i : member(said, "inputs").items()) op.inputs.push_back(argument_of(i));
    for (const json& o : member(said, "outputs").items()) op.outputs.push_back(argument_of(o));
    for (const auto& [attribute, facts] : member(said, "attrs").members())
      op.attributes[attribute] = {member(facts, "type").text(), facts.find("default"), texts(facts.find("allowed"))};
    if (const json* kernels = said.find("cpu"))
      for (const auto& [attribute, types] : kernels->members()) op.kernels[attribute] = texts(&types);
    if (const json* combinations = said.find("cpu_combinations"))
      for (const json& one : combinations->items())
        for (const auto& [attribute, types] : one.members())
          for (const json& type : types.items()) op.kernels[attribute].push_back(type.text());
    for (const std::string& argument : texts(said.find("host"))) note_host_argument(op, argument);
    op.has_gradient = member(said, "gradient").text() == "yes";
    ops_[name] = std::move(op);
  }
}

void scope::read_families(const std::string& path) {
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string op, family;
    words >> op >> family;
    const auto at = ops_.find(op);
    if (at == ops_.end()) continue;
    at->second.family = family;
    at->second.is_core =
        family == "linear_algebra" ? is_core_linear_algebra(op) : core_families.contains(family) && !is_sequence(op);
  }
}

bool scope::counts(const std::vector<std::string>& ops) const {
  for (const std::string& op : ops) {
    const auto at = ops_.find(op);
    if (!engine_ops.contains(op) && (at == ops_.end() || !at->second.is_core)) return false;
  }
  return true;
}

}  // namespace conformance
