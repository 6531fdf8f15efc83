#include "function_body.hpp"
#include "list_arguments.hpp"
#include "lowering.hpp"
#include "op_uses.hpp"
#include "shown_memory.hpp"
#include "symbolic_gradient.hpp"
#include "tensorflow_attributes.hpp"
#include "protobuf.hpp"

#include <flowgraph/graph/by_name.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/loop_map.hpp>
#include <flowgraph/interop/import.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

// An input as the file names it, and the object that it refers to: a node of the file, or a handle of the caller.
struct reference {
  std::string_view name;
  std::uint32_t port = 0;
  bool is_control = false;
  std::size_t in_file = nowhere;
  any_out outside;
};

error refusal(error_code code, const std::string& why, const node_def& n, std::source_location where) {
  return error(code, why).at(n.name, n.op, where);
}

// Parses "^name", "name:1" or "name".
std::optional<reference> parse(std::string_view text) {
  reference result;
  result.is_control = text.starts_with('^');
  if (result.is_control) text.remove_prefix(1);
  result.name = text;
  const auto colon = text.rfind(':');
  if (result.is_control || colon == std::string_view::npos) return result;
  result.name = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 6) return {};
  for (const char c : digits) {
    if (c < '0' || c > '9') return {};
    result.port = result.port * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return result;
}

class importer {
public:
  importer(const graph& g, const graph_def& file, const registry& ops, const import_options& options, std::source_location where)
      : graph_(g), file_(file), ops_(ops), options_(options), where_(where), first_(g.size()) {
    prefix_ = prefix_of(options);
  }

  static std::string prefix_of(const import_options& options) {
    std::string prefix = options.prefix;
    while (prefix.ends_with('/')) prefix.pop_back();
    return prefix.empty() ? prefix : prefix + '/';
  }

  result<imported> run() {
    if (error why = all()) {
      take_back();
      return why;
    }
    note_variables();
    protobuf::mark_views(graph_, first_);
    imported result;
    result.nodes = std::move(nodes_);
    for (const node_def& n : file_.nodes) result.names.push_back(n.name);
    return result;
  }

private:
  void note_variables() {
    graph g = graph_;
    const auto& trainable = options_.trainable_variables;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::string_view op = nodes_[i]->op->name();
      if (op != "VariableV2" && op != "Variable" && op != "VarHandleOp") continue;
      const bool is_trainable = std::find(trainable.begin(), trainable.end(), file_.nodes[i].name) != trainable.end();
      g.add_variable({nodes_[i], 0}, is_trainable);
    }
  }

  error all() {
    if (error why = index()) return why;
    if (error why = check_ops()) return why;
    if (error why = resolve_inputs()) return why;
    if (error why = put_in_order()) return why;
    nodes_.assign(file_.nodes.size(), nullptr);
    for (const std::size_t i : order_)
      if (error why = make(i)) return why;
    for (const std::size_t i : order_)
      if (error why = close_loops(i)) return why;
    for (std::size_t i = 0; i < file_.nodes.size(); ++i)
      if (error why = colocate(i)) return why;
    return {};
  }

  error index() {
    for (std::size_t i = 0; i < file_.nodes.size(); ++i)
      if (!by_name_.emplace(file_.nodes[i].name, i).second)
        return refusal(error_code::invalid_argument, "the file has two nodes of one name", file_.nodes[i], where_);
    return {};
  }

  error check_ops() const {
    protobuf::op_uses<node_def> unknown;
    for (const node_def& n : file_.nodes) unknown.add(n.op, n);
    unknown.drop_those([&](std::string_view op) { return is_gradient(op) || !ops_.tables(op).empty(); });
    if (unknown.empty()) return {};
    return error(error_code::not_found, message{"the file has ops that are not registered: ", unknown.text()}).at(where_);
  }

  // Returns the caller's handle that replaces an input of the file; null if no handle replaces it.
  const any_out* mapped(const reference& r) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const auto& key = keys_[i];
      if (!key || key->name != r.name || key->is_control != r.is_control || key->port != r.port) continue;
      used_[i] = true;
      return &options_.inputs[i].second;
    }
    return nullptr;
  }

  error resolve_input(const node_def& n, const std::string& text, reference& result) {
    const auto parsed = parse(text);
    if (!parsed) return refusal(error_code::invalid_argument, "input '" + text + "' is not of the form name:port", n, where_);
    result = *parsed;
    if (const any_out* given = mapped(result)) {
      result.outside = *given;
      return {};
    }
    if (const auto at = by_name_.find(result.name); at != by_name_.end()) {
      result.in_file = at->second;
      return {};
    }
    if (options_.extend)
      if (node* there = graph_.find(graph_.state().scope.prefix + prefix_ + std::string(result.name))) {
        result.outside = {there, result.port};
        return {};
      }
    return refusal(error_code::invalid_argument, "the file has no node for input '" + text + "'", n, where_);
  }

  error resolve_inputs() {
    used_.assign(options_.inputs.size(), false);
    for (const auto& [name, given] : options_.inputs) keys_.push_back(parse(name));
    inputs_.resize(file_.nodes.size());
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
      const node_def& n = file_.nodes[i];
      for (const std::string& text : n.inputs) {
        reference& result = inputs_[i].emplace_back();
        if (error why = resolve_input(n, text, result)) return why;
        if (!result.is_control && inputs_[i].size() > 1 && inputs_[i][inputs_[i].size() - 2].is_control)
          return refusal(error_code::invalid_argument, "input '" + text + "' comes after a control input", n, where_);
      }
    }
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (!used_[i])
        return detail::invalid_argument({"no node of the file reads '", options_.inputs[i].first, "', which is to be replaced"})
            .at(where_);
    return {};
  }

  // Returns whether the node is a SymbolicGradient, which lower_calls leaves to the import.
  bool is_gradient(std::string_view op) const { return op == "SymbolicGradient" && ops_.tables(op).empty(); }

  control_flow control_of(std::size_t i) const {
    const std::string& op = file_.nodes[i].op;
    return is_gradient(op) ? control_flow::none : ops_.tables(op).front()->control;
  }

  bool is_back_edge(std::size_t to, const reference& r) const {
    return r.in_file != nowhere && !r.is_control && control_of(to) == control_flow::merge &&
           control_of(r.in_file) == control_flow::next_iteration;
  }

  // Keeps the order of the file, but puts each node after the nodes that it reads.
  error put_in_order() {
    enum class mark : std::uint8_t { unseen, open, done };
    std::vector<mark> marks(file_.nodes.size(), mark::unseen);
    std::vector<std::pair<std::size_t, std::size_t>> path;  // a node, and the index of its next input
    for (std::size_t start = 0; start < file_.nodes.size(); ++start) {
      if (marks[start] != mark::unseen) continue;
      path.push_back({start, 0});
      marks[start] = mark::open;
      while (!path.empty()) {
        auto& [at, next] = path.back();
        if (next == inputs_[at].size()) {
          marks[at] = mark::done;
          order_.push_back(at);
          path.pop_back();
          continue;
        }
        const reference& r = inputs_[at][next++];
        if (r.in_file == nowhere || is_back_edge(at, r) || marks[r.in_file] == mark::done) continue;
        if (marks[r.in_file] == mark::open)
          return refusal(error_code::invalid_argument, "the node depends on itself without a NextIteration and a Merge between",
                         file_.nodes[at], where_);
        marks[r.in_file] = mark::open;
        path.push_back({r.in_file, 0});
      }
    }
    return {};
  }

  any_out handle(const reference& r) const {
    if (r.in_file == nowhere) return r.outside;
    return {nodes_[r.in_file], r.port};
  }

  error convert_attributes(const node_def& n, const op_table& table, named_node& wanted) const {
    for (const attribute_def& a : n.attributes) {
      if (a.name.starts_with('_')) continue;
      const auto is_type =
          std::any_of(table.types().begin(), table.types().end(), [&](const type_binding& t) { return t.attribute == a.name; });
      const auto info = std::find_if(table.attributes().begin(), table.attributes().end(),
                                     [&](const attribute_info& i) { return i.name == a.name; });
      if (info == table.attributes().end() && !is_type && list_names(n.op, a.name).known) continue;
      switch (a.kind) {
        case attribute_def::form::value: wanted.attributes.emplace_back(a.name, a.value); break;
        case attribute_def::form::empty_list: {
          auto empty = info == table.attributes().end() ? std::nullopt : empty_list(info->kind);
          if (!empty) return refusal(error_code::invalid_argument, "attribute '" + a.name + "' is an empty list", n, where_);
          wanted.attributes.emplace_back(a.name, *empty);
          break;
        }
        case attribute_def::form::unknown:
          return refusal(error_code::unimplemented,
                         "attribute '" + a.name + "' is " + a.what + ", which has no counterpart in flowgraph", n, where_);
      }
    }
    for (const protobuf::type_default& d : protobuf::type_defaults)
      if (d.op == n.op && !n.find(d.attribute) &&
          std::any_of(table.types().begin(), table.types().end(),
                      [&](const type_binding& t) { return t.attribute == d.attribute; }))
        wanted.attributes.emplace_back(d.attribute, d.type);
    return {};
  }

  // Sets the sizes of list inputs if there are several.
  error count_lists(const node_def& n, const op_table& table, named_node& wanted) const {
    std::size_t lists = 0;
    for (const argument& a : table.inputs()) lists += a.kind == argument::form::single ? 0 : 1;
    if (lists < 2) return {};
    for (const std::string_view name : list_names(n.op, {}).inputs) {
      const attribute_def* a = n.find(name);
      const std::int64_t* number = a ? a->value.get<std::int64_t>() : nullptr;
      const auto* types = a ? a->value.get<std::vector<dtype>>() : nullptr;
      const bool empty = a ? a->kind == attribute_def::form::empty_list : protobuf::may_omit_lists(n.op);
      if (!empty && !types && !(number && *number >= 0 && *number <= static_cast<std::int64_t>(wanted.inputs.size())))
        return refusal(error_code::invalid_argument,
                       "attribute '" + std::string(name) + "' does not say how long a list of inputs is", n, where_);
      wanted.list_sizes.push_back(empty ? 0
                                        : static_cast<std::uint32_t>(number ? static_cast<std::size_t>(*number) : types->size()));
    }
    return {};
  }

  // Checks the number or the types of list inputs against the file if the op's table does not specify them.
  error check_lists(const node_def& n, const op_table& table, const named_node& wanted) const {
    const list_names names(n.op, {});
    std::size_t lists = 0, singles = 0, at = 0;
    for (const argument& a : table.inputs()) (a.kind == argument::form::single ? singles : lists) += 1;
    if (names.inputs.size() != lists || wanted.inputs.size() < singles) return {};
    auto name = names.inputs.begin();
    auto size = wanted.list_sizes.begin();
    for (const argument& a : table.inputs()) {
      if (a.kind == argument::form::single) {
        ++at;
        continue;
      }
      const std::size_t there = lists == 1 ? wanted.inputs.size() - singles : *size++;
      if (there > wanted.inputs.size() - at) return {};  // refused with the node
      if (error why = check_list(n, *name++, std::span(wanted.inputs).subspan(at, there))) return why;
      at += there;
    }
    return {};
  }
  error check_list(const node_def& n, std::string_view name, std::span<const any_out> inputs) const {
    const attribute_def* a = n.find(name);
    if (!a) return {};
    const std::int64_t* number = a->value.get<std::int64_t>();
    const auto* types = a->value.get<std::vector<dtype>>();
    const bool empty = a->kind == attribute_def::form::empty_list;
    const std::int64_t said = empty ? 0 : number ? *number : types ? static_cast<std::int64_t>(types->size()) : -1;
    if (said != static_cast<std::int64_t>(inputs.size()))
      return refusal(error_code::invalid_argument,
                     message{"attribute '", name, "' says that a list has ", said, " inputs, found ", inputs.size()}, n, where_);
    for (std::size_t i = 0; types && !empty && i < inputs.size(); ++i)
      if (inputs[i].is_usable() && inputs[i].type() != (*types)[i])
        return refusal(error_code::invalid_argument,
                       message{"attribute '", name, "' says that input ", i, " of a list is ", name_of((*types)[i]), ", found ",
                               inputs[i].name(), " of type ", name_of(inputs[i].type())},
                       n, where_);
    return {};
  }

  error make(std::size_t i) {
    const node_def& n = file_.nodes[i];
    named_node wanted;
    wanted.op = n.op;
    wanted.keep_name = true;
    wanted.is_of_part = options_.is_part;
    const reference* first = nullptr;  // a first input that exists; until a loop's back edge exists, this input replaces it
    for (const reference& r : inputs_[i])
      if (!first && !r.is_control && !is_back_edge(i, r)) first = &r;
    for (const reference& r : inputs_[i]) {
      const bool later = is_back_edge(i, r);
      if (later && !first) return refusal(error_code::invalid_argument, "a loop has no entry", n, where_);
      const any_out from = handle(later ? *first : r);
      if (r.is_control) wanted.control_inputs.push_back(from.source);
      else wanted.inputs.push_back(from);
    }
    for (const any_out& in : wanted.inputs)
      if (in.is_usable() && in.port >= in.source->outputs.size())
        return refusal(error_code::invalid_argument,
                       "node '" + std::string(in.source->name) + "' has no output " + std::to_string(in.port), n, where_);
    std::optional<graph::scope> on;
    if (!n.device.empty()) on.emplace(graph(graph_).on_device(n.device));
    if (is_gradient(n.op)) {
      if (error why = make_gradients(n, wanted)) return why;
    } else {
      const op_table& table = *ops_.tables(n.op).front();
      if (error why = convert_attributes(n, table, wanted)) return why;
      if (error why = count_lists(n, table, wanted)) return why;
      if (error why = check_lists(n, table, wanted)) return why;
    }
    const std::string name = prefix_ + n.name;
    auto result = add_by_name(graph_, ops_, wanted, {name, where_});
    if (!result) return result.error();
    nodes_[i] = *result;
    return {};
  }

  // The inputs of the node are the outputs of a function, its arguments, and the gradients of its outputs. `wanted` becomes a node
  // that returns the gradients of the arguments.
  error make_gradients(const node_def& n, named_node& wanted) const {
    const auto outputs = static_cast<std::size_t>(*n.find("outputs")->value.get<std::int64_t>());
    const std::span<const any_out> all(wanted.inputs);
    const std::size_t inputs = all.size() - 2 * outputs;
    const std::string name = prefix_ + n.name;
    auto result = protobuf::add_gradients(graph_, ops_, all.first(outputs), all.subspan(outputs, inputs), all.last(outputs),
                                          {name, where_});
    if (!result) return result.error().at(n.name, n.op, where_);
    wanted.inputs = *std::move(result);
    wanted.op = wanted.inputs.size() == 1 ? "Identity" : "IdentityN";
    std::vector<dtype> types;
    for (const any_out& g : wanted.inputs) types.push_back(g.type());
    if (types.size() > 1) wanted.attributes.emplace_back("T", types);
    return {};
  }

  error close_loops(std::size_t i) {
    std::uint32_t index = 0;
    for (const reference& r : inputs_[i]) {
      if (r.is_control) continue;
      if (is_back_edge(i, r)) {
        const any_out from = handle(r);
        if (r.port >= from.source->outputs.size() || from.type() != nodes_[i]->outputs[0].type ||
            (nodes_[i]->input_argument(index).is_reference && !from.source->outputs[r.port].is_reference))
          return refusal(error_code::invalid_argument,
                         "'" + std::string(from.source->name) + "' cannot close the loop at input " + std::to_string(index),
                         file_.nodes[i], where_);
        graph(graph_).set_back_edge(nodes_[i], index, from);
      }
      ++index;
    }
    return {};
  }

  // "loc:@name" places a node on the device of another node of the file or of the graph.
  error colocate(std::size_t i) {
    const attribute_def* a = file_.nodes[i].find("_class");
    const auto* classes = a ? a->value.get<std::vector<std::string>>() : nullptr;
    if (!classes) return {};
    detail::graph_state& g = graph_.state();
    std::vector<std::string> names;
    for (const std::string_view with : *classes) {
      if (!with.starts_with("loc:@")) continue;
      const auto at = by_name_.find(with.substr(5));
      if (at == by_name_.end() && options_.is_part) continue;
      names.emplace_back(at != by_name_.end() ? nodes_[at->second]->name : with.substr(5));
    }
    const std::lock_guard lock(g.mutex);
    const auto kept = g.memory.array<std::string_view>(names.size());
    for (std::size_t k = 0; k < names.size(); ++k) kept[k] = g.memory.text(names[k]);
    nodes_[i]->colocated_with = kept;
    return {};
  }

  // Removes the added nodes. No other thread has seen them, since only one thread at a time builds a graph.
  void take_back() {
    detail::graph_state& g = graph_.state();
    const std::lock_guard lock(g.mutex);
    for (; g.nodes.size() > first_; g.nodes.pop_back()) {
      node* n = g.nodes.back();
      g.by_name.erase(n->name);
      n->op->destroy(n->attributes);
    }
  }

  const graph& graph_;
  const graph_def& file_;
  const registry& ops_;
  const import_options& options_;
  std::source_location where_;
  std::size_t first_;
  std::string prefix_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::vector<std::vector<reference>> inputs_;
  std::vector<std::optional<reference>> keys_;  // of options_.inputs
  std::vector<bool> used_;
  std::vector<std::size_t> order_;
  std::vector<node*> nodes_;
};

}  // namespace

node* imported::find(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return nodes[i];
  return nullptr;
}

result<any_out> imported::output(std::string_view name) const {
  const auto parsed = parse(name);
  if (!parsed || parsed->is_control) return detail::invalid_argument({"'", name, "' is not of the form name:port"});
  node* n = find(parsed->name);
  if (!n) return error(error_code::not_found, "the file has no node named '" + std::string(parsed->name) + "'");
  if (parsed->port >= n->outputs.size())
    return detail::invalid_argument({"node '", parsed->name, "' has ", n->outputs.size(), " outputs; there is no '", name, "'"});
  return any_out{n, parsed->port};
}

std::vector<std::string> imported::unread_outputs() const {
  std::vector<std::string> list;
  if (nodes.empty()) return list;
  std::unordered_set<const node*> read;
  for (const node* n : nodes)
    for (const edge& e : n->inputs) read.insert(e.from);
  const detail::loop_map loops(*nodes[0]->graph);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    node* const n = nodes[i];
    if (n->inputs.empty() || read.contains(n) || loops.frame_of(*n) != 0) continue;
    for (std::uint32_t port = 0; port < n->outputs.size(); ++port) {
      const output_info& o = n->outputs[port];
      if (o.is_reference || is_counted(o.type) || !loops.guards_of({n, port}).empty()) continue;
      list.push_back(names[i] + ':' + std::to_string(port));
    }
  }
  return list;
}

result<imported> import_graph(const graph& g, const graph_def& file, const registry& ops, const import_options& options,
                              std::source_location where) {
  const std::string frame_prefix = g.state().scope.prefix + importer::prefix_of(options);
  auto lowered = protobuf::lower_calls(file, ops, frame_prefix, where, {options.nested_calls, options.nodes_of_calls});
  if (!lowered) return lowered.error();
  return importer(g, *lowered ? **lowered : file, ops, options, where).run();
}

bool is_call_of_functions(std::string_view op) noexcept { return protobuf::is_call(op); }

}  // namespace flowgraph
