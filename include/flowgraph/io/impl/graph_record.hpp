#pragma once

#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/by_name.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/io/detail/program_line.hpp>
#include <flowgraph/io/detail/visit_attribute.hpp>
#include <flowgraph/io/graph_record.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <unordered_set>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// ---- equality to the bit

inline bool is_same_value(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }
inline bool is_same_value(const any_tensor& a, const any_tensor& b) {
  if (a.type() != b.type() || !(a.shape() == b.shape())) return false;
  if (!a.has_value() || a.data() == b.data()) return true;
  if (a.type() == dtype::string) {
    const auto of_a = a.as<std::string>(), of_b = b.as<std::string>();
    return std::equal(of_a.begin(), of_a.end(), of_b.begin());
  }
  return is_plain(a.type()) && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}
template <class T> bool is_same_value(const T& a, const T& b) { return a == b; }
template <class T> bool is_same_value(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return is_same_value(x, y); });
}

inline bool is_same_attribute(const attribute_value& a, const attribute_value& b) {
  if (a.kind() != b.kind()) return false;
  return visit_attribute(a, [&]<class T>(const T& held) { return is_same_value(held, *b.get<T>()); });
}

// The attribute of a recorded node that is a view (passes/views.hpp).
inline constexpr std::string_view attribute_of_views = "_view";

// ---- from a graph

class graph_recorder {
public:
  graph_recorder(const graph_state& g, std::size_t first) : g_(g), first_(first) {}

  result<graph_record> record() {
    const threading::lock_guard lock(g_.mutex);
    if (g_.first_error) return g_.first_error;
    if (first_ > g_.nodes.size())
      return error(error_code::out_of_range, message{"the graph has ", g_.nodes.size(), " nodes; there is no number ", first_});
    result_.first = static_cast<std::uint32_t>(first_);
    result_.seed = g_.seed;
    for (std::size_t i = first_; i < g_.nodes.size(); ++i) add(*g_.nodes[i]);
    for (const auto& b : g_.bodies.records) result_.bodies.push_back({b.name, b.around});
    for (const auto& v : g_.variables)
      if (v.handle.source->id >= first_) result_.variables.push_back({{v.handle.source->id, v.handle.port}, v.is_trainable});
    for (const node* n : g_.initializers)
      if (n->id >= first_) result_.initializers.push_back(n->id);
    add_names();
    return std::move(result_);
  }

private:
  void add(const node& n) {
    node_record& record = result_.nodes.emplace_back();
    record.op = n.op->name();
    record.name = n.name;
    for (const type_binding t : n.op->types()) record.attributes.emplace_back(t.attribute, t.type);
    for (const attribute_info& a : n.op->attributes())
      if (std::ranges::none_of(n.op->types(), [&](const type_binding& t) { return t.attribute == a.name; }))
        record.attributes.emplace_back(a.name, a.get(n.attributes));
    if (g_.is_view(n.id)) record.attributes.emplace_back(std::string(attribute_of_views), true);
    for (const edge& e : n.inputs) record.inputs.push_back({e.from->id, e.port});
    const auto lists = std::ranges::count_if(n.op->inputs(), [](const argument& a) { return a.kind != argument::form::single; });
    if (n.list_sizes && lists > 1) record.list_sizes.assign(n.list_sizes, n.list_sizes + lists);
    for (const node* c : n.control_inputs) record.control_inputs.push_back(c->id);
    record.device = n.device;
    record.colocated_with.assign(n.colocated_with.begin(), n.colocated_with.end());
    record.line = line_of(n.where);
    record.body = n.body;
    const bool is_variable = n.op->control == control_flow::enter || n.op->control == control_flow::merge;
    if (is_variable && !n.outputs.empty()) record.variable_shape = n.outputs[0].shape;
  }

  std::uint32_t line_of(const std::source_location& where) {
    line_record result{where.file_name(), where.function_name(), where.line(), where.column()};
    const auto [at, is_new] = numbers_.try_emplace({result.file, result.function, result.line, result.column},
                                                   static_cast<std::uint32_t>(result_.lines.size()));
    if (is_new) result_.lines.push_back(std::move(result));
    return at->second;
  }

  // Adds the names and their counts. A node's name that was requested once is left out: the twin counts it itself.
  void add_names() {
    std::unordered_set<std::string> of_nodes;
    for (const node* n : g_.nodes) {
      std::string name(n->name);
      for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
      of_nodes.insert(std::move(name));
    }
    for (const auto& [name, count] : g_.uses)
      if (count != 1 || !of_nodes.contains(std::string(name))) result_.names.emplace_back(name, count);
    std::ranges::sort(result_.names);
  }

  const graph_state& g_;
  std::size_t first_;
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;
  graph_record result_;
};

// ---- to a graph

class graph_maker {
public:
  graph_maker(const graph& g, const graph_record& from, const registry& ops) : graph_(g), g_(g.state()), from_(from), ops_(ops) {}

  error make() {
    if (g_.nodes.size() != from_.first)
      return error(error_code::failed_precondition,
                   message{"the record begins with node ", from_.first, ", the graph has ", g_.nodes.size()});
    if (error why = check()) return why;
    // The shapes that the record gives for loops are used if they are consistent. That can be checked only when all nodes exist.
    believes_.assign(from_.nodes.size(), true);
    for (int attempt = 0;; ++attempt) {
      if (attempt == most_attempts) believes_.assign(from_.nodes.size(), false);
      if (error why = add_all()) return take_back(), why;
      if (!find_untrue()) break;
      take_back();
    }
    finish();
    return {};
  }

private:
  static constexpr int most_attempts = 3;

  const node_record& at(std::size_t id) const { return from_.nodes[id - from_.first]; }
  std::size_t end() const { return from_.first + from_.nodes.size(); }
  static error wrong(std::string_view what) { return invalid_argument({"the record is not of a graph: ", what}); }
  error wrong(const node_record& n, std::string_view what) const { return wrong(what).at(n.name, n.op, place_of(n)); }
  std::source_location place_of(const node_record& n) const {
    if (n.line >= from_.lines.size()) return {};
    const line_record& l = from_.lines[n.line];
    return location_of(l.file, l.function, l.line, l.column, std::source_location::current());
  }

  // Checks the properties that do not belong to single nodes.
  error check() const {
    if (from_.nodes.size() > 0xffffffffu - from_.first) return wrong("there are too many nodes");
    for (std::size_t i = 0; i < from_.bodies.size(); ++i)
      if (from_.bodies[i].around > i) return wrong("a body stands in one that comes later");
    if (from_.bodies.size() < g_.bodies.records.size()) return wrong("bodies are missing that the graph has");
    for (const variable_record& v : from_.variables)
      if (v.of.node < from_.first || v.of.node >= end()) return wrong("a variable is not one of its nodes");
    for (const std::uint32_t i : from_.initializers)
      if (i < from_.first || i >= end()) return wrong("an initializer is not one of its nodes");
    return {};
  }

  error add_all() {
    const graph::scope outermost = graph(graph_).in_scope("");
    const open_body outside(g_, nullptr, 0);
    const open_to_closed_bodies closed(g_);
    for (std::size_t i = 0; i < from_.nodes.size(); ++i)
      if (error why = add(i)) return why;
    for (std::size_t i = 0; i < from_.nodes.size(); ++i)
      if (error why = close_loops(i)) return why;
    for (const variable_record& v : from_.variables)
      if (v.of.port >= g_.nodes[v.of.node]->outputs.size())
        return wrong(at(v.of.node), "the node has no output of the number that is to be a variable");
    return {};
  }

  bool is_back_edge(std::size_t id, std::uint32_t input) const { return input >= id; }

  error add(std::size_t i) {
    const node_record& n = from_.nodes[i];
    const std::size_t id = from_.first + i;
    named_node wanted;
    wanted.op = n.op;
    wanted.attributes = n.attributes;
    const bool is_view = std::erase_if(wanted.attributes, [](const auto& a) { return a.first == attribute_of_views; }) > 0;
    wanted.list_sizes = n.list_sizes;
    wanted.keep_name = true;
    wanted.is_of_part = true;
    const auto tables = ops_.tables(n.op);
    const bool is_merge = !tables.empty() && tables.front()->control == control_flow::merge;
    const edge_record* there = nullptr;  // replaces a loop's back edge until its source exists
    for (const edge_record& e : n.inputs)
      if (!there && !is_back_edge(id, e.node)) there = &e;
    for (const edge_record& e : n.inputs) {
      if (e.node >= end()) return wrong(n, "an input is of a node that it has not");
      if (is_back_edge(id, e.node) && !(is_merge && there)) return wrong(n, "an input comes later, and closes no loop");
      const edge_record& given = is_back_edge(id, e.node) ? *there : e;
      wanted.inputs.push_back({g_.nodes[given.node], given.port});
    }
    for (const std::uint32_t c : n.control_inputs) {
      if (c >= id) return wrong(n, "the node waits for one that comes later");
      wanted.control_inputs.push_back(g_.nodes[c]);
    }
    if (n.line >= from_.lines.size() || n.body > from_.bodies.size())
      return wrong(n, "the node has the number of no line, or of no body");
    const std::source_location where = place_of(n);
    auto result = add_by_name(graph_, ops_, wanted, {n.name, where});
    if (!result) return result.error();
    describe(**result, n, where);
    if (is_view) {
      const threading::lock_guard lock(g_.mutex);
      g_.mark_view((*result)->id);
    }
    if (believes_[i]) believe(**result, n, is_merge);
    return {};
  }

  void describe(node& result, const node_record& n, const std::source_location& where) {
    const threading::lock_guard lock(g_.mutex);
    g_.constrain(result, n.device);
    const auto with = g_.memory.array<std::string_view>(n.colocated_with.size());
    for (std::size_t k = 0; k < with.size(); ++k) with[k] = g_.memory.text(n.colocated_with[k]);
    result.colocated_with = with;
    result.where = where;
    result.body = n.body;
  }

  // Returns whether every tensor of shape `found` has shape `declared`.
  static bool is_within(const shape& found, const shape& declared) {
    if (declared.rank < 0) return true;
    if (found.rank != declared.rank) return false;
    for (int i = 0; i < found.rank; ++i)
      if (declared.dims[i] >= 0 && found.dims[i] != declared.dims[i]) return false;
    return true;
  }
  // Returns the shape of an edge. The first value of a loop may have a better known shape before its Enter.
  static const shape& shape_of(const edge& e) {
    const bool enters = e.from->op->control == control_flow::enter && e.from->outputs[e.port].shape.rank < 0;
    const edge& known = enters ? e.from->inputs[0] : e;
    return known.from->outputs[known.port].shape;
  }

  void believe(node& result, const node_record& n, bool is_merge) {
    if (result.outputs.empty() || n.variable_shape.rank > shape::max_rank) return;
    const bool is_enter = result.op->control == control_flow::enter && is_within(shape_of(result.inputs[0]), n.variable_shape);
    if (is_enter || is_merge) know_shape({&result, 0}, n.variable_shape);
  }
  // Under the assumption that all shapes of the record are correct, each input of a Merge must fit the Merge's recorded shape.
  // Returns whether one did not.
  bool find_untrue() {
    bool found = false;
    for (std::size_t i = 0; i < from_.nodes.size(); ++i) {
      const node& n = *g_.nodes[from_.first + i];
      if (n.op->control != control_flow::merge || !believes_[i]) continue;
      const bool is_true =
          std::ranges::all_of(n.inputs, [&](const edge& e) { return is_within(shape_of(e), n.outputs[0].shape); });
      if (!is_true) believes_[i] = false, found = true;
    }
    return found;
  }

  error close_loops(std::size_t i) {
    const node_record& n = from_.nodes[i];
    node& to = *g_.nodes[from_.first + i];
    for (std::uint32_t k = 0; k < n.inputs.size(); ++k) {
      const edge_record& e = n.inputs[k];
      if (!is_back_edge(from_.first + i, e.node)) continue;
      node& last = *g_.nodes[e.node];
      const bool closes = last.op->control == control_flow::next_iteration && e.port < last.outputs.size() &&
                          last.outputs[e.port].type == to.outputs[0].type &&
                          (!to.input_argument(k).is_reference || last.outputs[e.port].is_reference);
      if (!closes) return wrong(n, message{"'", last.name, "' cannot close the loop at input ", k}.string());
      graph(graph_).set_back_edge(&to, k, {&last, e.port});
    }
    return {};
  }

  void finish() {
    for (std::size_t i = g_.bodies.records.size(); i < from_.bodies.size(); ++i) {
      const open_body around(g_, nullptr, from_.bodies[i].around);
      next_body_number(g_, from_.bodies[i].name);
    }
    for (const variable_record& v : from_.variables) graph(graph_).add_variable({g_.nodes[v.of.node], v.of.port}, v.is_trainable);
    for (const std::uint32_t i : from_.initializers) graph(graph_).add_initializer(g_.nodes[i]);
    for (const auto& [name, count] : from_.names) {
      std::uint32_t* const known = g_.count_of(name);
      if (known) *known = std::max(*known, count);
      else g_.uses.emplace(g_.memory.text(name), count);
    }
    graph(graph_).set_seed(from_.seed);
  }

  void take_back() {
    const threading::lock_guard lock(g_.mutex);
    for (; g_.nodes.size() > from_.first; g_.nodes.pop_back()) {
      node* const n = g_.nodes.back();
      g_.by_name.erase(n->name);
      n->op->destroy(n->attributes);
    }
    while (!g_.views.ids.empty() && g_.views.ids.back() >= from_.first) g_.views.ids.pop_back();
  }

  const graph& graph_;
  graph_state& g_;
  const graph_record& from_;
  const registry& ops_;
  std::vector<bool> believes_;
};

}  // namespace detail

FLOWGRAPH_SELDOM bool node_record::operator==(const node_record& other) const {
  const auto is_same = [](const auto& a, const auto& b) {
    return a.first == b.first && detail::is_same_attribute(a.second, b.second);
  };
  return op == other.op && name == other.name && inputs == other.inputs && list_sizes == other.list_sizes &&
         control_inputs == other.control_inputs && device == other.device && colocated_with == other.colocated_with &&
         line == other.line && body == other.body && variable_shape == other.variable_shape &&
         std::equal(attributes.begin(), attributes.end(), other.attributes.begin(), other.attributes.end(), is_same);
}

FLOWGRAPH_SELDOM result<graph_record> record_of(const graph& g, std::size_t first) {
  return detail::graph_recorder(g.state(), first).record();
}

FLOWGRAPH_SELDOM result<void> add_record(const graph& g, const graph_record& record, const registry& ops) {
  return detail::graph_maker(g, record, ops).make();
}

FLOWGRAPH_SELDOM result<graph> graph_of(const graph_record& record, const registry& ops) {
  graph result;
  if (const auto added = add_record(result, record, ops); !added) return added.error();
  return result;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
