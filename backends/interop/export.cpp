#include "gradient_arrays.hpp"
#include "histories.hpp"
#include "loop_frames.hpp"
#include "op_uses.hpp"
#include "shown_memory.hpp"
#include "tensorflow_attributes.hpp"
#include "tensorflow_ops.hpp"
#include "write_order.hpp"

#include <flowgraph/interop/export.hpp>

#include <algorithm>
#include <unordered_set>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

// The latest version of GraphDef whose rules the exported graphs follow.
constexpr std::int32_t newest_version = 27;

bool is_tensorflow_op(std::string_view op) {
  return protobuf::tensorflow_ops.find(' ' + std::string(op) + ' ') != std::string_view::npos;
}

// Returns whether a node of the initializers belongs to a wanted node: it assigns to this variable, or fills this table.
bool initializes_any(const node& n, const std::vector<bool>& wanted) { return !n.inputs.empty() && wanted[n.inputs[0].from->id]; }

// Returns the nodes that this file and the earlier files contain, in order of creation.
std::vector<const node*> chosen(const graph& g, const export_options& options) {
  std::vector<bool> wanted(g.size(), options.targets.empty());
  std::vector<const node*> open;
  auto want = [&](const node* n) {
    if (!n || n->is_poison() || wanted[n->id]) return;
    wanted[n->id] = true;
    open.push_back(n);
  };
  auto close = [&] {
    while (!open.empty()) {
      const node* n = open.back();
      open.pop_back();
      for (const edge& e : n->inputs) want(e.from);
      for (const node* c : n->control_inputs) want(c);
    }
  };
  for (const target& t : options.targets) want(t.source);
  close();
  if (!options.initializer.empty())
    for (const node* n : g.initializers())
      if (initializes_any(*n, wanted)) want(n);
  close();
  std::vector<const node*> nodes;
  for (std::size_t id = 0; id < wanted.size(); ++id)
    if (wanted[id]) nodes.push_back(g.at(id));
  return nodes;
}

error check_ops(std::span<const node* const> nodes) {
  protobuf::op_uses<node> foreign;
  for (const node* n : nodes) foreign.add(n->op->name(), *n);
  foreign.drop_those([](std::string_view op) { return is_tensorflow_op(op) || protobuf::is_history_op(op); });
  if (foreign.empty()) return {};
  const node& first = foreign.first();
  return error(error_code::unimplemented, message{"TensorFlow does not have these ops: ", foreign.text()})
      .at(first.name, first.op->name(), first.where);
}

class node_writer {
public:
  node_writer(const graph& g, const protobuf::loop_frames& frames, const node& n) : graph_(g), frames_(frames), from_(n) {}

  node_def write() {
    result_.name = from_.name;
    result_.op = from_.op->name();
    result_.device = from_.device;
    for (const edge& e : from_.inputs) result_.inputs.push_back(name_of(*e.from, e.port));
    for (const node* c : from_.control_inputs) result_.inputs.push_back(message{'^', c->name});
    for (const node* c : protobuf::reads_before(graph_, from_))
      if (frames_.are_together(*c, from_)) result_.inputs.push_back(message{'^', c->name});
    for (const type_binding t : from_.op->types()) add(t.attribute, t.type);
    for (const attribute_info& a : from_.op->attributes()) add(a.name, a.get(from_.attributes));
    count_lists();
    if (!from_.colocated_with.empty()) {
      std::vector<std::string> classes;
      for (const std::string_view with : from_.colocated_with) classes.push_back(message{"loc:@", with});
      add("_class", classes);
    }
    std::sort(result_.attributes.begin(), result_.attributes.end(),
              [](const attribute_def& a, const attribute_def& b) { return a.name < b.name; });
    return std::move(result_);
  }

private:
  void add(std::string_view name, attribute_value value) {
    if (result_.find(name)) return;
    attribute_def& a = result_.attributes.emplace_back();
    a.name = name;
    a.value = std::move(value);
  }

  // Returns the types of `size` inputs or outputs from `first` on.
  std::vector<dtype> types(bool inputs, std::size_t first, std::size_t size) const {
    std::vector<dtype> list;
    for (std::size_t i = first; i < first + size; ++i)
      list.push_back(inputs ? from_.inputs[i].from->outputs[from_.inputs[i].port].type : from_.outputs[i].type);
    return list;
  }

  // Adds the attributes that count or type the list arguments, if the attributes of the op do not specify this.
  void count_lists() {
    std::string_view input_names, output_names;
    for (const protobuf::list_attributes& row : protobuf::list_attributes_of_ops)
      if (row.op == from_.op->name()) input_names = row.inputs, output_names = row.outputs;
    std::size_t list = 0;
    for (const bool inputs : {true, false}) {
      const auto arguments = inputs ? from_.op->inputs() : from_.op->outputs();
      std::string_view names = inputs ? input_names : output_names;
      std::size_t singles = 0, at = 0;
      for (const argument& a : arguments) singles += a.kind == argument::form::single ? 1 : 0;
      for (const argument& a : arguments) {
        if (a.kind == argument::form::single) {
          ++at;
          continue;
        }
        const std::size_t present = inputs ? from_.inputs.size() : from_.outputs.size();
        const std::size_t size = from_.list_sizes ? from_.list_sizes[list++] : present - singles;
        const auto end = std::min(names.find(' '), names.size());
        if (end > 0) {
          if (a.kind == argument::form::list) add(names.substr(0, end), static_cast<std::int64_t>(size));
          else add(names.substr(0, end), types(inputs, at, size));
        }
        names.remove_prefix(std::min(end + 1, names.size()));
        at += size;
      }
    }
  }

  const graph& graph_;
  const protobuf::loop_frames& frames_;
  const node& from_;
  node_def result_;
};

// Returns a node that runs the exported initializers. TensorFlow runs them in any order.
result<node_def> initializer_of(const graph& g, std::span<const node* const> all, const std::string& name) {
  const auto refuse = [&](std::string why) { return error(error_code::invalid_argument, "export: " + std::move(why)); };
  if (g.find(name)) return refuse("the graph has a node '" + name + "' already, and export_options::initializer names another");
  node_def definition{name, "NoOp", ""};
  for (const node* const n : g.initializers()) {
    if (std::find(all.begin(), all.end(), n) == all.end()) continue;
    std::vector<const node*> open;
    for (std::size_t i = 1; i < n->inputs.size(); ++i) open.push_back(n->inputs[i].from);
    std::unordered_set<const node*> seen;
    while (!open.empty()) {
      const node* const before = open.back();
      open.pop_back();
      if (!seen.insert(before).second) continue;
      if (before->op->of_variable != variable_role::none)
        return refuse(message{"the initial value of '", n->inputs[0].from->name, "' reads the variable '", before->name,
                              "', and TensorFlow runs initializers in any order"}
                          .string());
      for (const edge& e : before->inputs) open.push_back(e.from);
    }
    definition.inputs.push_back(message{'^', n->name});
  }
  return definition;
}

}  // namespace

result<graph_def> export_graph(const graph& g, const export_options& options) {
  if (error why = g.first_error()) return why;
  const auto all = chosen(g, options);
  const auto first = std::find_if(all.begin(), all.end(), [&](const node* n) { return n->id >= options.first; });
  const std::span<const node* const> nodes(first, all.end());
  if (error why = protobuf::check_reads(g, nodes)) return why;
  const protobuf::history_map map(g);
  const protobuf::history_writer histories(g, map, nodes);
  protobuf::gradient_array_writer arrays(g, map, all);
  if (!options.foreign_ops) {
    if (error why = check_ops(nodes)) return why;
    if (error why = histories.check(nodes)) return why;
    if (error why = arrays.check(all, options.first)) return why;
  }
  protobuf::loop_frames frames(g, all);
  const auto described = [&](const node& n) { return node_writer(g, frames, n).write(); };
  graph_def result;
  result.producer = newest_version;
  const auto put = [&](const node* n, node_def written) {
    if (!n || options.foreign_ops) return result.nodes.push_back(std::move(written));
    arrays.write(*n, written, result.nodes);
    histories.write(*n, std::move(written), result.nodes);
  };
  for (const node* n : nodes) {
    node_def written = described(*n);
    for (auto& [constant, copy] : frames.bring_constants(*n, written, described)) put(constant, std::move(copy));
    put(n, std::move(written));
    for (const protobuf::removed_op& r : protobuf::removed_ops)
      if (r.op == n->op->name()) result.producer = std::min(result.producer, r.version - 1);
  }
  if (!options.initializer.empty()) {
    auto first_run = initializer_of(g, all, options.initializer);
    if (!first_run) return first_run.error();
    result.nodes.push_back(*std::move(first_run));
  }
  return result;
}

}  // namespace flowgraph
