#include "files.hpp"
#include "functions.hpp"

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

// Collects the differences, one line each.
class differences {
public:
  void add(const std::string& name, const std::string& says) { rows_.push_back({name, says}); }
  std::size_t count() const { return rows_.size(); }
  std::string first() const { return rows_[0][0] + ": " + rows_[0][1]; }
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

// Returns the serialized form of an attribute.
std::string serialized(const fg::attribute_def& a) {
  fg::graph_def alone;
  alone.nodes.push_back({"n", "Op", ""});
  alone.nodes[0].attributes.push_back(a);
  return take(fg::write_graph_def(alone));
}

using function_map = std::map<std::string, file_function>;

// Compares two graphs with their functions. Functions are compared by their bodies, since TensorFlow renumbers their names each
// time it saves.
class graph_comparison {
public:
  graph_comparison(const arguments& given, const fg::graph_def& a, const fg::graph_def& b)
      : given_(given), graphs_{a, b}, functions_{functions_of(a), functions_of(b)} {}

  exit_code report() {
    differences nodes, functions;
    const std::size_t compared = compare(graphs_[0], graphs_[1], nodes);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto [first, second] = pairs_[i];  // a copy: the comparison adds further pairs
      compare_functions(first, second, functions);
    }
    // Functions that have not been compared, since no common node calls them.
    for (const auto& [name, f] : functions_[0])
      if (!has_pair(0, name) && functions_[1].contains(name) && !has_pair(1, name)) compare_functions(name, name, functions);
    for (const int side : {0, 1})
      for (const auto& [name, f] : functions_[side])
        if (!has_pair(side, name))
          functions.add("function " + name, "only in " + given_.operands()[static_cast<std::size_t>(side)]);
    const exit_code of_nodes = nodes.report(compared, "nodes");
    if (functions_[0].empty() && functions_[1].empty()) return of_nodes;
    const exit_code of_functions = functions.report(pairs_.size() + alone(0) + alone(1), "functions");
    return of_nodes == right ? of_functions : of_nodes;
  }

private:
  bool has_pair(int side, const std::string& name) const {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& p) { return (side == 0 ? p.first : p.second) == name; });
  }
  std::size_t alone(int side) const {
    return static_cast<std::size_t>(
        std::count_if(functions_[side].begin(), functions_[side].end(), [&](const auto& f) { return !has_pair(side, f.first); }));
  }
  // Returns whether both names are names of functions, and notes the pair for a later comparison.
  bool pair(const std::string& a, const std::string& b) {
    if (!functions_[0].contains(a) || !functions_[1].contains(b)) return false;
    if (std::find(pairs_.begin(), pairs_.end(), std::pair(a, b)) == pairs_.end()) pairs_.emplace_back(a, b);
    return true;
  }

  bool equal(const fg::attribute_def& a, const fg::attribute_def& b) {
    if (serialized(a) == serialized(b) && functions_named_by(a).empty()) return true;
    const auto first = functions_named_by(a), second = functions_named_by(b);
    if (first.empty() || first.size() != second.size() || a.kind != b.kind) return false;
    if (a.kind == fg::attribute_def::form::unknown && a.serialized.size() != b.serialized.size()) return false;
    bool are_functions = true;
    for (std::size_t i = 0; i < first.size(); ++i)
      are_functions = (pair(first[i], second[i]) || first[i] == second[i]) && are_functions;
    return are_functions;
  }
  std::string changed(const fg::node_def& a, const fg::node_def& b) {
    if (a.op != b.op && !pair(a.op, b.op)) return "op " + a.op + " and " + b.op;
    if (a.op == b.op) pair(a.op, b.op);
    if (inputs_of(a) != inputs_of(b)) return "inputs " + joined(inputs_of(a)) + " and " + joined(inputs_of(b));
    if (given_.has("--devices") && a.device != b.device) return "device '" + a.device + "' and '" + b.device + "'";
    std::set<std::string> names;
    for (const auto* n : {&a, &b})
      for (const auto& attribute : n->attributes)
        if (!attribute.name.starts_with('_') || given_.has("--values")) names.insert(attribute.name);
    std::vector<std::string> differing;
    for (const std::string& name : names) {
      const auto *x = a.find(name), *y = b.find(name);
      if (!x || !y) differing.push_back(name + " only in the " + (x ? "first" : "second"));
      else if (!equal(*x, *y)) differing.push_back(name);
    }
    return differing.empty() ? "" : "attributes " + joined(differing);
  }

  // Compares the nodes of two graphs. Returns the number of different names of nodes.
  std::size_t compare(const fg::graph_def& a, const fg::graph_def& b, differences& found) {
    std::map<std::string, const fg::node_def*> in_b;
    for (const auto& n : b.nodes) in_b.emplace(n.name, &n);
    std::size_t names = in_b.size();
    for (const auto& n : a.nodes) {
      const auto other = in_b.find(n.name);
      if (other == in_b.end()) {
        ++names;
        found.add(n.name, n.op + ", only in " + given_.operands()[0]);
        continue;
      }
      const std::string says = changed(n, *other->second);
      if (!says.empty()) found.add(n.name, says);
      in_b.erase(other);
    }
    for (const auto& [name, n] : in_b) found.add(name, n->op + ", only in " + given_.operands()[1]);
    return names;
  }
  // If the functions differ, adds a line with the first difference and the number of differences.
  void compare_functions(const std::string& first, const std::string& second, differences& found) {
    pair(first, second);
    const file_function &a = functions_[0].find(first)->second, &b = functions_[1].find(second)->second;
    const std::string name = "function " + first + (first == second ? "" : " and " + second);
    differences inner;
    compare(a.body, b.body, inner);
    if (a.inputs != b.inputs) found.add(name, "inputs " + joined(a.inputs) + " and " + joined(b.inputs));
    else if (a.outputs != b.outputs) found.add(name, "outputs " + joined(a.outputs) + " and " + joined(b.outputs));
    else if (a.returns != b.returns) found.add(name, "the outputs come from other nodes");
    else if (inner.count() > 0) found.add(name, std::to_string(inner.count()) + " nodes differ: " + inner.first());
  }

  const arguments& given_;
  const fg::graph_def graphs_[2];
  const function_map functions_[2];
  std::vector<std::pair<std::string, std::string>> pairs_;  // compared, or still to be compared
};

exit_code compare_graphs(const arguments& given, const std::string (&paths)[2], const file_kind (&kinds)[2]) {
  const graph_file a = open_graph(paths[0], kinds[0], given.all("--tag")), b = open_graph(paths[1], kinds[1], given.all("--tag"));
  return graph_comparison(given, a.graph, b.graph).report();
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
    "Graphs by the names of nodes: op, inputs and attributes; functions by their nodes, under any name. Returns 1 where "
    "there are\n"
    "differences.\n\n"
    "  flowgraph diff model.ckpt-100 weights.safetensors --tolerance 1e-6\n",
    diff_options,
    carry_out_diff,
};

}  // namespace command
