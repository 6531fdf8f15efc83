#include "files.hpp"

#include <flowgraph/observe/difference.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace command {

namespace {

constexpr option diff_options[] = {
    {"--tolerance", "X", "of tensors: elements may differ by so much, 0"},
    {"--relative", "X", "and by so much times the greater of both, 0"},
    {"--values", "", "of graphs: also look at the values of constants and all other attributes in full"},
    {"--devices", "", "of graphs: also compare the devices that nodes ask for"},
    {"--tag", "TAG", "of a SavedModel: which graph, serve", true},
};

// What differs, a line each.
class differences {
public:
  void add(const std::string& name, const std::string& says) { rows_.push_back({name, says}); }
  exit_code report(std::size_t compared, std::string_view things) const {
    std::fputs(table(rows_, {}).c_str(), stdout);
    std::printf("%zu of %zu %.*s differ\n", rows_.size(), compared, static_cast<int>(things.size()), things.data());
    return rows_.empty() ? right : found_differences;
  }

private:
  std::vector<std::vector<std::string>> rows_;
};

// ---- tensors

exit_code compare_tensors(const arguments& given, const std::string (&paths)[2], const file_kind (&kinds)[2]) {
  const fg::tolerance allowed{given.number("--tolerance", 0), given.number("--relative", 0)};
  const tensor_file a = open_tensors(paths[0], kinds[0]), b = open_tensors(paths[1], kinds[1]);
  const bool are_arrays = kinds[0] == file_kind::array && kinds[1] == file_kind::array;
  std::map<std::string, const tensor_file::entry*> in_b;
  for (const auto& e : b.tensors) in_b.emplace(are_arrays ? "array" : e.name, &e);
  differences found;
  std::size_t names = b.tensors.size();
  for (const auto& e : a.tensors) {
    const std::string name = are_arrays ? "array" : e.name;
    const auto other = in_b.find(name);
    if (other == in_b.end()) {
      ++names;
      found.add(name, "only in " + given.operands()[0]);
      continue;
    }
    const tensor_file::entry& o = *other->second;
    in_b.erase(other);
    if (const std::string& why = e.why.empty() ? o.why : e.why; !why.empty()) {
      found.add(name, "cannot be compared: " + why);
    } else if (e.type_text != o.type_text || !(e.shape == o.shape)) {
      found.add(name, text_of(e.type_text, e.shape) + " and " + text_of(o.type_text, o.shape));
    } else if (const auto apart = fg::difference(take(a.read(e.name)), take(b.read(o.name)), allowed); apart) {
      found.add(name, apart->text());
    }
  }
  for (const auto& [name, e] : in_b) found.add(name, "only in " + given.operands()[1]);
  return found.report(names, "tensors");
}

// ---- graphs

std::vector<std::string> inputs_of(const fg::node_def& n) {
  std::vector<std::string> made = n.inputs;
  for (std::string& i : made)
    if (i.ends_with(":0") && !i.starts_with('^')) i.resize(i.size() - 2);
  std::sort(std::find_if(made.begin(), made.end(), [](const auto& i) { return i.starts_with('^'); }), made.end());
  return made;
}

std::string joined(const std::vector<std::string>& all) {
  std::string made;
  for (const std::string& one : all) made += (made.empty() ? "" : ", ") + one;
  return "(" + made + ")";
}

// The bytes that a file has for an attribute.
std::string serialized(const fg::attribute_def& a) {
  fg::graph_def alone;
  alone.nodes.push_back({"n", "Op", ""});
  alone.nodes[0].attributes.push_back(a);
  return take(fg::write_graph_def(alone));
}

std::string changed(const fg::node_def& a, const fg::node_def& b, const arguments& given) {
  if (a.op != b.op) return "op " + a.op + " and " + b.op;
  if (inputs_of(a) != inputs_of(b)) return "inputs " + joined(inputs_of(a)) + " and " + joined(inputs_of(b));
  if (given.has("--devices") && a.device != b.device) return "device '" + a.device + "' and '" + b.device + "'";
  std::set<std::string> names;
  for (const auto* n : {&a, &b})
    for (const auto& attribute : n->attributes)
      if (!attribute.name.starts_with('_') || given.has("--values")) names.insert(attribute.name);
  std::vector<std::string> differing;
  for (const std::string& name : names) {
    const auto *x = a.find(name), *y = b.find(name);
    if (!x || !y) differing.push_back(name + " only in the " + (x ? "first" : "second"));
    else if (serialized(*x) != serialized(*y)) differing.push_back(name);
  }
  return differing.empty() ? "" : "attributes " + joined(differing);
}

exit_code compare_graphs(const arguments& given, const std::string (&paths)[2], const file_kind (&kinds)[2]) {
  const graph_file a = open_graph(paths[0], kinds[0], given.all("--tag")), b = open_graph(paths[1], kinds[1], given.all("--tag"));
  std::map<std::string, const fg::node_def*> in_b;
  for (const auto& n : b.graph.nodes) in_b.emplace(n.name, &n);
  differences found;
  std::size_t names = in_b.size();
  for (const auto& n : a.graph.nodes) {
    const auto other = in_b.find(n.name);
    if (other == in_b.end()) {
      ++names;
      found.add(n.name, n.op + ", only in " + given.operands()[0]);
      continue;
    }
    const std::string says = changed(n, *other->second, given);
    if (!says.empty()) found.add(n.name, says);
    in_b.erase(other);
  }
  for (const auto& [name, n] : in_b) found.add(name, n->op + ", only in " + given.operands()[1]);
  if (a.graph.library != b.graph.library) found.add("(functions)", "the libraries of functions differ");
  return found.report(names, "nodes");
}

exit_code carry_out_diff(const arguments& given) {
  std::string paths[2] = {given.operands()[0], given.operands()[1]};
  const file_kind kinds[2] = {recognize(paths[0]), recognize(paths[1])};
  if (holds_tensors(kinds[0]) && holds_tensors(kinds[1])) return compare_tensors(given, paths, kinds);
  if (holds_graph(kinds[0]) && holds_graph(kinds[1])) return compare_graphs(given, paths, kinds);
  throw failure{bad_input, "'" + paths[0] + "' is read as " + std::string(name_of(kinds[0])) + ", '" + paths[1] + "' as " +
                               std::string(name_of(kinds[1])) + ": compared are tensors with tensors, and graphs with graphs"};
}

}  // namespace

const verb diff{
    "diff",
    "FIRST SECOND",
    "compares two files of tensors, or two graphs",
    2,
    2,
    "Tensors by their names, also of two formats: a checkpoint with safetensors, .npz or another checkpoint. Told are tensors "
    "that only\n"
    "a single file has, other types and shapes, and how far elements are apart; without --tolerance equal means equal to the "
    "bit.\n"
    "Graphs by the names of nodes: op, inputs and attributes. Returns 1 where there are differences.\n\n"
    "  flowgraph diff model.ckpt-100 weights.safetensors --tolerance 1e-6\n",
    diff_options,
    carry_out_diff,
};

}  // namespace command
