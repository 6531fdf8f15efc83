#include "part_records.hpp"

#include "record_bytes.hpp"

#include <flowgraph/graph/node.hpp>
#include <flowgraph/runtime/parts/exchange.hpp>

#include <map>
#include <tuple>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

namespace {

using namespace detail;
using form = draft_node::form;

any_tensor truth() {
  any_tensor one;
  one.emplace(dtype::boolean, shape{}, std::pmr::new_delete_resource());
  *one.as_writable<bool>().data() = true;
  return one;
}

// Constants stand first, so that whoever reads one finds it made.
class part_recorder {
public:
  part_recorder(const drafted_part& part, const partitions& all, const narrowing& narrows)
      : from_(part), all_(all), narrows_(narrows) {
    for (const auto& [n, edge] : part.exchanges) edges_[n] = edge;
  }

  result<part_record> record() {
    made_.task = from_.place;
    made_.edges = static_cast<std::uint32_t>(all_.edges.size());
    made_.whole_feeds = from_.feeds;
    for (draft_node& n : from_.nodes) {
      if (n.is == form::constant) continue;
      for (const draft_edge& e : n.inputs) add_constant(behind(e));
    }
    for (const draft_edge& e : from_.nodes.fetches) add_constant(behind(e));
    if (refused_) return refused_;
    number_nodes();
    for (draft_node& n : from_.nodes) {
      if (n.is == form::constant || stands_for_input(n)) continue;
      if (error why = add(n)) return why;
    }
    for (const draft_node* n : from_.nodes.feeds) made_.feeds.push_back(numbers_.at(n));
    for (const draft_edge& e : from_.nodes.fetches) made_.fetches.push_back(number_of(e));
    return std::move(made_);
  }

private:
  // Transfers stand for what they carry.
  static bool stands_for_input(const draft_node& n) { return n.is == form::op && is_transfer(*n.table); }
  static draft_edge behind(draft_edge e) {
    while (stands_for_input(*e.from)) e = e.from->inputs[0];
    return e;
  }
  static bool is_op(const draft_node& n, exchange_op op) { return n.table == &exchange_table(op); }
  bool is_narrowed(const draft_node& n) const {
    if (!is_op(n, exchange_op::send) && !is_op(n, exchange_op::receive)) return false;
    const exchange_edge& e = all_.edges[edges_.at(&n)];
    return e.port < e.source->outputs.size() && !e.serves_fetch_alone && narrows_.applies_to(e.source->outputs[e.port]);
  }
  // A node of the part that stands for it is the second of two.
  bool takes_two(const draft_node& n) const { return is_op(n, exchange_op::send_control) || is_narrowed(n); }

  void add_constant(const draft_edge& e) {
    if (e.from->is != form::constant) return;
    const any_tensor& value = value_of_constant(e);
    const bool is_handle = !is_plain(value.type()) && value.type() != dtype::string;
    const auto [at, is_new] = constants_.try_emplace({e.from, e.port}, static_cast<std::uint32_t>(made_.graph.nodes.size()));
    if (!is_new) return;
    const node& origin = *e.from->origin;
    if (!is_handle) add_constant(value, origin);
    else if (!e.from->inputs.empty()) refused_ = unsendable(e);
    else describe_op(add_node(e.from->table->name, message{"_constant_", at->second}, origin), *e.from);
  }
  static error unsendable(const draft_edge& e) {
    const node& n = *e.from->origin;
    return error(error_code::unimplemented, message{"output ", e.port, " of this node, of type ",
                                                    name_of(value_of_constant(e).type()), ", cannot be sent to another task"})
        .at(n.name, n.op->name, n.where);
  }
  node_record& add_constant(const any_tensor& value, const node& origin) {
    node_record& n = add_node("Const", message{"_constant_", made_.graph.nodes.size()}, origin);
    n.attributes = {{"dtype", value.type()}, {"value", value}};
    return n;
  }
  node_record& add_node(std::string_view op, std::string name, const node& origin) {
    node_record& n = made_.graph.nodes.emplace_back();
    n.op = op;
    n.name = std::move(name);
    n.line = line_of(origin.where);
    return n;
  }
  std::uint32_t line_of(const std::source_location& where) {
    const auto key = std::tuple(std::string_view(where.file_name()), where.line(), where.column());
    const auto [at, is_new] = lines_.try_emplace(key, static_cast<std::uint32_t>(made_.graph.lines.size()));
    if (is_new) made_.graph.lines.push_back({where.file_name(), where.function_name(), where.line(), where.column()});
    return at->second;
  }

  void number_nodes() {
    auto next = static_cast<std::uint32_t>(made_.graph.nodes.size());
    for (draft_node& n : from_.nodes) {
      if (n.is == form::constant || stands_for_input(n)) continue;
      if (takes_two(n)) ++next;
      numbers_[&n] = next++;
    }
  }
  edge_record number_of(const draft_edge& given) const {
    const draft_edge e = behind(given);
    if (e.from->is == form::constant) {
      const std::uint32_t number = constants_.at({e.from, e.port});
      return {number, made_.graph.nodes[number].op == "Const" ? 0 : e.port};
    }
    return {numbers_.at(e.from), e.port};
  }
  void add_controls(const draft_node& n, node_record& to) const {
    for (const draft_node* c : n.controls) {
      const draft_edge e = behind({const_cast<draft_node*>(c), 0});
      if (e.from->is != form::constant) to.control_inputs.push_back(numbers_.at(e.from));
    }
  }
  void add_inputs(const draft_node& n, node_record& to) const {
    for (const draft_edge& e : n.inputs) to.inputs.push_back(number_of(e));
  }

  error add(const draft_node& n) {
    if (n.is == form::feed) return add_feed(n);
    if (is_op(n, exchange_op::send) || is_op(n, exchange_op::send_control)) return add_send(n);
    if (is_op(n, exchange_op::receive) || is_op(n, exchange_op::receive_control)) return add_receive(n);
    for (const auto op : {exchange_op::enter, exchange_op::merge, exchange_op::switch_, exchange_op::next_iteration})
      if (is_op(n, op)) return add_loop(n, op);
    if (n.table->constant) return add_waiting_constant(n);
    return add_op(n);
  }

  error add_feed(const draft_node& n) {
    const output_info& o = n.outputs[0];
    node_record& made = add_node("Placeholder", message{"_feed_", made_.graph.nodes.size()}, *n.origin);
    made.attributes = {{"dtype", o.type}, {"shape", o.shape}};
    return {};
  }
  // A constant that waits for other nodes.
  error add_waiting_constant(const draft_node& n) {
    node_record& made = add_constant(*n.table->constant(n.attributes), *n.origin);
    add_inputs(n, made);
    add_controls(n, made);
    return {};
  }

  node_record& add_exchange(std::string_view op, const draft_node& n, dtype type) {
    const std::uint32_t number = edges_.at(&n);
    const exchange_edge& e = all_.edges[number];
    const auto place = static_cast<std::uint32_t>(made_.graph.nodes.size());
    const bool sends = op == "_Send";
    node_record& made = add_node(op, message{sends ? "_send_" : "_receive_", number}, *e.source);
    made.attributes = {{sends ? "T" : "tensor_type", type},
                       {"tensor_name", std::string(message{number})},
                       {"send_device", std::string(message{e.from})},
                       {"recv_device", std::string(message{e.to})}};
    made_.exchanges.push_back({place, number, sends ? e.to : e.from, type});
    return made;
  }
  node_record& add_cast(const draft_node& n, dtype from, dtype to) {
    const std::uint32_t number = edges_.at(&n);
    const bool is_sent = to == dtype::bfloat16;
    node_record& made = add_node("Cast", message{is_sent ? "_narrow_" : "_widen_", number}, *all_.edges[number].source);
    made.attributes = {{"SrcT", from}, {"DstT", to}, {"Truncate", true}};
    return made;
  }
  std::uint32_t last() const { return static_cast<std::uint32_t>(made_.graph.nodes.size() - 1); }
  void add_narrowed_send(const draft_node& n) {
    node_record& narrow = add_cast(n, dtype::float32, dtype::bfloat16);
    add_inputs(n, narrow);
    add_controls(n, narrow);
    const std::uint32_t place = last();
    add_exchange("_Send", n, dtype::bfloat16).inputs = {{place, 0}};
  }
  void add_narrowed_receive(const draft_node& n) {
    add_controls(n, add_exchange("_Recv", n, dtype::bfloat16));
    const std::uint32_t place = last();
    add_cast(n, dtype::bfloat16, dtype::float32).inputs = {{place, 0}};
  }
  error add_send(const draft_node& n) {
    if (is_narrowed(n)) return add_narrowed_send(n), error();
    if (is_op(n, exchange_op::send)) {
      const dtype type = n.outputs.empty() ? n.inputs[0].from->outputs[n.inputs[0].port].type : n.outputs[0].type;
      const exchange_edge& e = all_.edges[edges_.at(&n)];
      if (type == dtype::resource)
        return error(error_code::unimplemented,
                     message{"output ", e.port, " of this node, of type ", name_of(type), ", cannot be sent to another task"})
            .at(e.source->name, e.source->op->name, e.source->where);
      node_record& made = add_exchange("_Send", n, type);
      add_inputs(n, made);
      add_controls(n, made);
      return {};
    }
    // The news that a node has run goes as a value that waits for the node.
    node_record& one = add_constant(truth(), *all_.edges[edges_.at(&n)].source);
    add_controls(n, one);
    const std::uint32_t place = last();
    add_exchange("_Send", n, dtype::boolean).inputs = {{place, 0}};
    return {};
  }
  error add_receive(const draft_node& n) {
    if (is_narrowed(n)) return add_narrowed_receive(n), error();
    add_controls(n, add_exchange("_Recv", n, is_op(n, exchange_op::receive) ? n.outputs[0].type : dtype::boolean));
    return {};
  }

  error add_loop(const draft_node& n, exchange_op op) {
    constexpr const char* names[] = {"Enter", "Merge", "Switch", "NextIteration"};
    const char* name = names[static_cast<std::size_t>(op) - static_cast<std::size_t>(exchange_op::enter)];
    node_record& made = add_node(name, message{"_loop_", made_.graph.nodes.size()}, *n.origin);
    made.attributes = {{"T", dtype::boolean}};
    if (op == exchange_op::enter) {
      const auto& frame = *static_cast<const entered_frame*>(n.attributes);
      made.attributes.emplace_back("frame_name", frame.name);
      made.attributes.emplace_back("parallel_iterations", frame.parallel_iterations);
    }
    add_inputs(n, made);
    add_controls(n, made);
    return {};
  }

  error add_op(const draft_node& n) {
    const op_table& t = *n.table;
    if (t.counts_runs || t.per_run) {
      made_.counted.push_back(static_cast<std::uint32_t>(made_.graph.nodes.size()));
      made_.counted_nodes.push_back(n.origin);
    }
    node_record& made = add_node(t.name, std::string(n.origin->name), *n.origin);
    describe_op(made, n);
    add_inputs(n, made);
    add_controls(n, made);
    const auto lists = std::ranges::count_if(t.inputs, [](const argument& a) { return a.kind != argument::form::single; });
    if (n.list_sizes && lists > 1) made.list_sizes.assign(n.list_sizes, n.list_sizes + lists);
    const bool is_variable = t.control == control_flow::enter || t.control == control_flow::merge;
    if (is_variable && !n.outputs.empty()) made.variable_shape = n.outputs[0].shape;
    return {};
  }
  static void describe_op(node_record& made, const draft_node& n) {
    const auto types = n.table->types();
    for (const type_binding b : types) made.attributes.emplace_back(b.attribute, b.type);
    for (const attribute_info& a : n.table->attributes()) {
      const auto is_type = [&](const type_binding& b) { return b.attribute == a.name; };
      if (std::none_of(types.begin(), types.end(), is_type)) made.attributes.emplace_back(a.name, a.get(n.attributes));
    }
  }

  const drafted_part& from_;
  const partitions& all_;
  const narrowing& narrows_;
  std::unordered_map<const draft_node*, std::uint32_t> edges_, numbers_;
  std::map<std::pair<const draft_node*, std::uint32_t>, std::uint32_t> constants_;
  std::map<std::tuple<std::string_view, unsigned, unsigned>, std::uint32_t> lines_;
  error refused_;
  part_record made_;
};

}  // namespace

result<std::shared_ptr<const detail::plan_parts>> cut_by_task(const detail::graph_state& g, const detail::plan_request& request,
                                                              const detail::draft& d, const detail::plan& whole) {
  auto cut = cut_by_device(g, request, d, whole);
  if (!cut) return cut.error();
  auto made = std::make_shared<task_parts>();
  made->fetches = cut->all->fetches;
  for (const drafted_part& p : cut->parts) {
    auto part = part_recorder(p, *cut->all, static_cast<const task_plan_request&>(request).narrows).record();
    if (!part) return part.error();
    part->pushed_up_to = static_cast<const task_plan_request&>(request).pushed_up_to;
    made->parts.push_back(*std::move(part));
  }
  return std::shared_ptr<const detail::plan_parts>(std::move(made));
}

void write_part(byte_writer& to, std::vector<any_tensor>& tensors, const part_record& part) {
  to.number(part.task);
  write_graph(to, tensors, part.graph);
  to.number(part.edges);
  to.number(part.pushed_up_to);
  write_numbers(to, part.feeds);
  write_edges(to, part.fetches);
  write_numbers(to, part.counted);
  to.number(static_cast<std::uint64_t>(part.exchanges.size()));
  for (const exchange_record& e : part.exchanges) {
    to.number(e.node);
    to.number(e.edge);
    to.number(e.task);
    to.number(e.type);
  }
}

part_record read_part(byte_reader& from, std::span<const any_tensor> tensors) {
  part_record made;
  made.task = from.number<std::uint32_t>();
  made.graph = read_graph(from, tensors);
  made.edges = from.number<std::uint32_t>();
  made.pushed_up_to = from.number<std::uint64_t>();
  made.feeds = read_numbers(from);
  made.fetches = read_edges(from);
  made.counted = read_numbers(from);
  for (auto left = from.count(13); left > 0 && from.ok(); --left) {
    exchange_record& e = made.exchanges.emplace_back();
    e.node = from.number<std::uint32_t>();
    e.edge = from.number<std::uint32_t>();
    e.task = from.number<std::uint32_t>();
    e.type = from.number<dtype>();
  }
  return made;
}

}
}
}  // namespace flowgraph::distributed
