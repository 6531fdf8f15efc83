#pragma once
// A draft as a separate graph: the nodes that remain after the passes, and constants for the values that passes have computed.

#include <flowgraph/graph/node.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/runtime/planning/transfers.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Records a draft. Constants come first, so that they precede their readers. Transfers are left out: their readers read the
// transferred values.
class draft_recorder {
public:
  virtual ~draft_recorder() = default;

protected:
  using form = draft_node::form;
  explicit draft_recorder(const draft& from) : from_(from) {}

  // Fills `graph_`.
  error record_nodes() {
    for (draft_node& n : from_) {
      if (n.kind == form::constant) continue;
      for (const draft_edge& e : n.inputs) add_constant(behind(e));
    }
    for (const draft_edge& e : from_.fetches) add_constant(behind(e));
    if (refused_) return refused_;
    number_nodes();
    for (draft_node& n : from_) {
      if (n.kind == form::constant || stands_for_input(n)) continue;
      if (error why = add(n)) return why;
    }
    return {};
  }

  // Returns the number of nodes that a node needs in the record. The last of them has the outputs.
  virtual std::uint32_t nodes_for(const draft_node&) const { return 1; }
  virtual error add(const draft_node& n) {
    if (n.kind == form::feed) return add_feed(n);
    if (n.table->description->constant) return add_waiting_constant(n);
    return add_op(n);
  }
  virtual std::string name_of_feed(const draft_node&) const { return message{"_feed_", graph_.nodes.size()}; }
  // Returns the name for the constant of output `port` of a node whose values are known.
  virtual std::string name_of_constant(const draft_node&, std::uint32_t) const {
    return message{"_constant_", graph_.nodes.size()};
  }
  virtual std::string name_of_op(const draft_node& n) const { return std::string(n.name); }
  // Returns the device that the node requires.
  virtual std::string device_of(const draft_node&) const { return {}; }
  // Returns the error for a value that only this process has, which cannot be in a record.
  virtual error refused_value(const draft_edge& e) const = 0;
  virtual void added_op(const draft_node&) {}

  static bool stands_for_input(const draft_node& n) { return crosses(n); }
  static draft_edge behind(draft_edge e) {
    while (stands_for_input(*e.from)) e = e.from->inputs[0];
    return e;
  }
  edge_record number_of(const draft_edge& given) const {
    const draft_edge e = behind(given);
    if (e.from->kind == form::constant) {
      const std::uint32_t number = constants_.at({e.from, e.port});
      return {number, graph_.nodes[number].op == "Const" ? 0 : e.port};
    }
    return {numbers_.at(e.from), e.port};
  }
  std::uint32_t number_of(const draft_node* n) const { return numbers_.at(n); }

  node_record& add_node(std::string_view op, std::string name, const std::source_location& where) {
    node_record& n = graph_.nodes.emplace_back();
    n.op = op;
    n.name = std::move(name);
    n.line = line_of(where);
    return n;
  }
  node_record& add_constant(const any_tensor& value, const std::source_location& where, std::string name) {
    node_record& n = add_node("Const", std::move(name), where);
    n.attributes = {{"dtype", value.type()}, {"value", value}};
    return n;
  }
  node_record& add_constant(const any_tensor& value, const std::source_location& where) {
    return add_constant(value, where, message{"_constant_", graph_.nodes.size()});
  }
  void add_controls(const draft_node& n, node_record& to) const {
    for (const draft_node* c : n.controls) {
      const draft_edge e = behind({const_cast<draft_node*>(c), 0});
      if (e.from->kind != form::constant) to.control_inputs.push_back(numbers_.at(e.from));
    }
  }
  void add_inputs(const draft_node& n, node_record& to) const {
    for (const draft_edge& e : n.inputs) to.inputs.push_back(number_of(e));
  }

  static void describe_op(node_record& record, const draft_node& n) {
    const auto types = n.table->types();
    for (const type_binding b : types) record.attributes.emplace_back(b.attribute, b.type);
    for (const attribute_info& a : n.table->attributes()) {
      const auto is_type = [&](const type_binding& b) { return b.attribute == a.name; };
      if (std::none_of(types.begin(), types.end(), is_type)) record.attributes.emplace_back(a.name, a.get(n.attributes));
    }
  }

  const draft& from_;
  graph_record graph_;

private:
  void add_constant(const draft_edge& e) {
    if (e.from->kind != form::constant) return;
    const any_tensor& value = value_of_constant(e);
    const bool is_handle = !is_plain(value.type()) && value.type() != dtype::string;
    const auto [at, is_new] = constants_.try_emplace({e.from, e.port}, static_cast<std::uint32_t>(graph_.nodes.size()));
    if (!is_new) return;
    const draft_node& from = *e.from;
    if (!is_handle) add_constant(value, from.where, name_of_constant(from, e.port));
    else if (!from.inputs.empty()) refused_ = refused_value(e);
    else describe_op(add_node(from.table->name(), name_of_constant(from, e.port), from.where), from);
  }
  void number_nodes() {
    auto next = static_cast<std::uint32_t>(graph_.nodes.size());
    for (draft_node& n : from_) {
      if (n.kind == form::constant || stands_for_input(n)) continue;
      next += nodes_for(n);
      numbers_[&n] = next - 1;
    }
  }
  error add_feed(const draft_node& n) {
    const output_info& o = n.outputs[0];
    node_record& record = add_node("Placeholder", name_of_feed(n), n.where);
    record.attributes = {{"dtype", o.type}, {"shape", o.shape}};
    return {};
  }
  // Adds a constant that waits for other nodes.
  error add_waiting_constant(const draft_node& n) {
    node_record& record = add_constant(*n.table->description->constant(n.attributes), n.where, name_of_constant(n, 0));
    add_inputs(n, record);
    add_controls(n, record);
    return {};
  }
  error add_op(const draft_node& n) {
    const op_table& t = *n.table;
    added_op(n);
    node_record& record = add_node(t.name(), name_of_op(n), n.where);
    record.device = device_of(n);
    describe_op(record, n);
    add_inputs(n, record);
    add_controls(n, record);
    const auto lists = std::ranges::count_if(t.inputs(), [](const argument& a) { return a.kind != argument::form::single; });
    if (n.list_sizes && lists > 1) record.list_sizes.assign(n.list_sizes, n.list_sizes + lists);
    const bool is_variable = t.control == control_flow::enter || t.control == control_flow::merge;
    if (is_variable && !n.outputs.empty()) record.variable_shape = n.outputs[0].shape;
    return {};
  }
  std::uint32_t line_of(const std::source_location& where) {
    const auto key = std::tuple(std::string_view(where.file_name()), where.line(), where.column());
    const auto [at, is_new] = lines_.try_emplace(key, static_cast<std::uint32_t>(graph_.lines.size()));
    if (is_new) graph_.lines.push_back({where.file_name(), where.function_name(), where.line(), where.column()});
    return at->second;
  }

  std::unordered_map<const draft_node*, std::uint32_t> numbers_;
  std::map<std::pair<const draft_node*, std::uint32_t>, std::uint32_t> constants_;
  std::map<std::tuple<std::string_view, unsigned, unsigned>, std::uint32_t> lines_;
  error refused_;
};

}  // namespace flowgraph::detail
