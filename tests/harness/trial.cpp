// Placing and running trials.

#include "trial.hpp"

#include "accelerator/kernels.hpp"

#include <flowgraph/core/message.hpp>
#include <flowgraph/graph/table.hpp>

#include <algorithm>
#include <new>
#include <optional>

namespace harness {

namespace {

// Enough for every sample. Wild arguments that require more must cause an error.
constexpr std::size_t memory_limit = std::size_t{16} << 20;

// Returns a copy of its input in a new buffer.
struct copy_op {
  static constexpr std::string_view name = "HarnessCopy";
  using types = fg::edge_types;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    std::copy(x.begin(), x.end(), y.begin());
  }
};

fg::result<fg::node*> add(const fg::graph& g, const fg::op_table& table, op_value& op, std::span<const fg::any_out> inputs,
                          std::span<const std::uint32_t> list_sizes = {}) {
  fg::graph to = g;
  return to.try_add({&table, op.get(), inputs, list_sizes, {}}, {});
}

fg::result<fg::node*> add(workshop& w, const fg::graph& g, std::string_view name, fg::type_binding type,
                          std::initializer_list<std::pair<std::string_view, fg::attribute_value>> attributes,
                          std::initializer_list<fg::any_out> inputs = {}) {
  auto table = w.ops.find(name, {&type, 1});
  if (!table) return table.error();
  op_value op(**table);
  for (const auto& [attribute, value] : attributes) op.set(attribute, value);
  return add(g, **table, op, {inputs.begin(), inputs.size()});
}

fg::result<fg::node*> add_copy(const fg::graph& g, const fg::any_out& of) {
  const fg::op_table* table = fg::visit_type(
      of.type(), []<class T>() -> const fg::op_table* { return &fg::table_of<copy_op, T>; },
      []() -> const fg::op_table* { return nullptr; });
  op_value op(*table);
  return add(g, *table, op, {&of, 1});
}

fg::shape told(const fg::shape& s, knowledge k) {
  if (k == knowledge::nothing) return fg::shape::unknown();
  fg::shape partly = s;
  if (k == knowledge::some_extents)
    for (int i = 0; i < s.rank; i += 2) partly[i] = -1;
  return partly;
}

// Adds the variable, a source for its value until it has one, and the assignment of its value.
fg::error add_variable(workshop& w, placed& p, const trial& t, std::size_t i, const fg::any_tensor& value, knowledge k) {
  const bool reference = t.argument(i).is_reference;
  const fg::dtype type = value.type();
  auto v = add(w, p.graph, reference ? "VariableV2" : "VarHandleOp", {"dtype", type},
               {{"shape", told(value.shape(), k)}, {"shared_name", fg::message{"v", i}.string()}});
  if (!v) return v.error();
  auto initial = add_placeholder(w, p.graph, type, value.shape());
  if (!initial) return initial.error();
  auto assign = reference ? add(w, p.graph, "Assign", {"T", type}, {}, {fg::any_out{*v, 0}, *initial})
                          : add(w, p.graph, "AssignVariableOp", {"dtype", type}, {}, {fg::any_out{*v, 0}, *initial});
  if (!assign) return assign.error();
  p.inputs.push_back({*v, 0});
  p.initial_feeds.emplace_back(*initial, value);
  p.initializers.push_back(*assign);
  if (reference) {
    p.variables.push_back({*v, 0});
    return {};
  }
  auto read = add(w, p.graph, "ReadVariableOp", {"dtype", type}, {}, {fg::any_out{*v, 0}});
  if (!read) return read.error();
  p.variables.push_back({*read, 0});
  return {};
}

// Sets an attribute, if the op has an attribute with that name.
void set_where_known(op_value& op, const fg::op_table& table, std::string_view name, const fg::attribute_value& value) {
  for (const fg::attribute_info& a : table.attributes())
    if (a.name == name) op.set(name, value);
}
fg::result<fg::node*> add_queue_op(workshop& w, placed& p, std::string_view name, bool by_reference,
                                   std::span<const fg::any_out> inputs, std::span<fg::node* const> after = {}) {
  const std::string full = std::string(name) + (by_reference ? "" : "V2");
  auto table = w.ops.find(full, {});
  if (!table) return table.error();
  op_value op(**table);
  set_where_known(op, **table, "component_types", std::vector<fg::dtype>{fg::dtype::int32, fg::dtype::float32});
  set_where_known(op, **table, "shapes", std::vector<fg::shape>{{}, {2}});
  return p.graph.try_add({*table, op.get(), inputs, {}, after}, {});
}

// Adds the queue, and the nodes that fill it.
fg::error add_queue(workshop& w, placed& p, const trial& t, std::size_t i) {
  const bool by_reference = t.argument(i).is_reference;
  auto q = add_queue_op(w, p, "FIFOQueue", by_reference, {});
  if (!q) return q.error();
  const fg::any_out handle{*q, 0};
  p.inputs.push_back(handle);
  std::vector<fg::any_out> inputs{handle};
  for (const fg::any_tensor& value : {direction(fg::dtype::int32, {3}), direction(fg::dtype::float32, {3, 2})}) {
    auto fed = add_placeholder(w, p.graph, value.type(), value.shape());
    if (!fed) return fed.error();
    p.initial_feeds.emplace_back(*fed, value);
    inputs.push_back(*fed);
  }
  auto fill = add_queue_op(w, p, "QueueEnqueueMany", by_reference, inputs);
  if (!fill) return fill.error();
  p.initializers.push_back(*fill);
  if (t.how->inputs[i].queue == input::queue_form::open) return {};
  fg::node* const filled = *fill;
  auto close = add_queue_op(w, p, "QueueClose", by_reference, {&handle, 1}, {&filled, 1});
  if (!close) return close.error();
  p.initializers.push_back(*close);
  return {};
}

fg::error add_input(workshop& w, placed& p, const trial& t, std::size_t i, const fg::any_tensor& value, knowledge k) {
  const input& in = t.how->inputs[i];
  if (in.is_variable) return add_variable(w, p, t, i, value, k);
  if (in.queue != input::queue_form::none) return add_queue(w, p, t, i);
  if (in.is_given && k == knowledge::values) {
    auto constant = add(w, p.graph, "Const", {"dtype", value.type()}, {{"value", value}});
    if (!constant) return constant.error();
    p.inputs.push_back({*constant, 0});
    return {};
  }
  auto placeholder = add_placeholder(w, p.graph, value.type(), told(value.shape(), k));
  if (!placeholder) return placeholder.error();
  p.inputs.push_back(*placeholder);
  p.feeds.emplace_back(*placeholder, value);
  return {};
}

}  // namespace

std::string_view name_of(knowledge k) {
  constexpr std::string_view names[] = {"known shapes", "some extents unknown", "shapes unknown", "constant values"};
  return names[static_cast<std::size_t>(k)];
}
std::string_view name_of(way how) {
  constexpr std::string_view names[] = {"plain",
                                        "2 threads",
                                        "4 threads",
                                        "dynamic",
                                        "prepared",
                                        "prepared with 4 threads",
                                        "on an accelerator",
                                        "a step on an accelerator",
                                        "on an accelerator with an executor of its own"};
  return names[static_cast<std::size_t>(how)];
}

std::string trial::name() const {
  std::string text = to_string(*table) + '(';
  for (std::size_t i = 0; i < input_count(); ++i) {
    const input& in = how->inputs[i];
    text += (i ? ", " : "") +
            std::string(in.is_variable   ? "variable"
                        : in.is_handle() ? "queue"
                        : in.is_given    ? "given"
                                         : "random") +
            to_string(in.shape);
  }
  for (const auto& [attribute, value] : how->attributes) {
    const auto* plain = std::get_if<fg::attribute_value>(&value);
    text += "; " + std::string(attribute) + " = " + (plain ? fg::to_string(*plain) : "a tensor");
  }
  return text + ')';
}

bool trial::is_large() const {
  for (const input& in : how->inputs)
    if (in.shape.size() > 500 ||
        (in.is_given && std::any_of(in.elements.begin(), in.elements.end(), [](double e) { return e > 500; })))
      return true;
  return false;
}

const fg::argument& trial::argument(std::size_t index) const {
  std::size_t singles = 0, list = 0, at = 0;
  for (const fg::argument& a : table->inputs()) singles += a.kind == fg::argument::form::single ? 1 : 0;
  for (const fg::argument& a : table->inputs()) {
    std::size_t n = 1;
    if (a.kind != fg::argument::form::single) n = how->list_sizes.empty() ? input_count() - singles : how->list_sizes[list++];
    at += n;
    if (index < at) return a;
  }
  return table->inputs().back();
}

fg::dtype trial::type(std::size_t i) const {
  const fg::argument& a = argument(i);
  if (how->inputs[i].queue != input::queue_form::none) return fg::dtype::float32;  // the run makes its value
  if (how->inputs[i].is_variable && !a.is_reference) return table->types().empty() ? fg::dtype::float32 : table->types()[0].type;
  if (a.kind == fg::argument::form::mixed_list) return i % 2 ? fg::dtype::int32 : fg::dtype::float32;
  return a.type_parameter >= 0 ? table->types()[static_cast<std::size_t>(a.type_parameter)].type : a.fixed;
}

std::vector<fg::any_out> placed::outputs() const {
  std::vector<fg::any_out> all;
  for (std::uint32_t port = 0; port < node->outputs.size(); ++port) all.push_back({node, port});
  return all;
}

fg::result<fg::any_out> add_placeholder(workshop& w, const fg::graph& g, fg::dtype type, const fg::shape& shape) {
  auto made = add(w, g, "Placeholder", {"dtype", type}, {{"shape", shape}});
  if (!made) return made.error();
  return fg::any_out{*made, 0};
}

fg::result<placed> place(workshop& w, const trial& t, const tensors& values, knowledge k, bool copied) {
  placed p;
  for (std::size_t i = 0; i < t.input_count(); ++i)
    if (fg::error why = add_input(w, p, t, i, values[i], k)) return why;
  std::vector<fg::any_out> handles = p.inputs;
  for (std::size_t i = 0; copied && i < handles.size(); ++i) {
    if (t.how->inputs[i].is_handle()) continue;
    auto copy = add_copy(p.graph, handles[i]);
    if (!copy) return copy.error();
    handles[i] = {*copy, 0};
    p.copies.push_back(handles[i]);
  }
  op_value op(*t.table);
  if (const std::string refused = set_all(op, t); !refused.empty())
    return fg::error(fg::error_code::invalid_argument, "the sample's attribute '" + refused + "' is refused");
  auto made = add(p.graph, *t.table, op, handles, t.how->list_sizes);
  if (!made) return made.error();
  p.node = *made;
  return p;
}

fg::result<outcome> run(workshop& w, const placed& p, way how, std::span<const fg::any_out> more) {
  fg::session_options options;
  options.memory_limit = memory_limit;
  options.dynamic = how == way::dynamic;
  if (how == way::pool_of_2) options.pool = &w.pool_of_2;
  if (how == way::pool_of_4 || how == way::prepared_in_pool) options.pool = &w.pool_of_4;
  const bool is_accelerated = how == way::accelerated || how == way::accelerated_step || how == way::accelerated_part;
  if (how == way::accelerated_part) options.cut = fg::per_device;
  std::optional<accelerator::accelerators> beside;
  if (is_accelerated) {
    beside.emplace(std::hash<std::string_view>()(p.node->op->name()), 1, std::size_t{1} << 28);
    beside->learn(p.graph);
    for (fg::node* n : p.graph.state().nodes) n->device = "/device:accel:0";
    options.devices = beside->devices();
    options.soft_placement = true;
  }
  fg::session s(p.graph, options);
  if (!p.initializers.empty())
    if (auto made = s.try_run({p.initial_feeds, {}, p.initializers}); !made) return made.error();

  // Feeds tensors without other owners, so that a write to them is found.
  std::vector<fg::fed> feeds;
  for (const fg::fed& f : p.feeds) feeds.emplace_back(f.where, f.value.copy().value());
  std::vector<fg::any_out> fetches = p.outputs();
  fetches.insert(fetches.end(), more.begin(), more.end());
  const fg::target itself = p.node;
  const std::span<const fg::target> targets(&itself, p.node->outputs.empty() ? 1 : 0);

  outcome o;
  if (how == way::prepared || how == way::prepared_in_pool || how == way::accelerated_step) {
    std::vector<fg::any_out> edges;
    std::vector<fg::any_tensor> in;
    for (const fg::fed& f : feeds) edges.push_back(f.where), in.push_back(f.value);
    auto step = s.try_prepare(edges, fetches, targets);
    if (!step) return step.error();
    for (int rounds = p.node->op->stateful ? 1 : 3; rounds > 0; --rounds) {
      o.outputs.resize(fetches.size());
      if (const auto ran = step->try_run(in, o.outputs); !ran) return ran.error();
    }
  } else {
    auto made = s.try_run({feeds, fetches, targets});
    if (!made) return made.error();
    o.outputs = *std::move(made);
  }
  for (std::size_t i = 0; i < feeds.size(); ++i) o.feeds_intact = o.feeds_intact && same_bits(feeds[i].value, p.feeds[i].value);
  if (!p.variables.empty()) {
    auto made = s.try_run({{}, p.variables, {}});
    if (!made) return made.error();
    o.variables = *std::move(made);
  }
  return o;
}

}  // namespace harness
