#include "part_records.hpp"

#include "field_bytes.hpp"

#include "record_bytes.hpp"

#include <flowgraph/io/detail/draft_recorder.hpp>
#include <flowgraph/runtime/parts/exchange.hpp>
#include <flowgraph/runtime/placement.hpp>

#include <unordered_map>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

using namespace detail;

any_tensor truth() {
  any_tensor one;
  one.emplace(dtype::boolean, shape{}, std::pmr::new_delete_resource());
  *one.as_writable<bool>().data() = true;
  return one;
}

// Records a part as a graph. In it, sends and receives are nodes.
class part_recorder final : private draft_recorder {
public:
  part_recorder(const drafted_part& part, const partitions& all, const narrowing& narrows)
      : draft_recorder(part.nodes), part_(part), all_(all), narrows_(narrows) {
    for (const auto& [n, edge] : part.exchanges) edges_[n] = edge;
  }

  result<part_record> record() {
    result_.task = part_.place;
    result_.edges = static_cast<std::uint32_t>(all_.edges.size());
    result_.whole_feeds.assign(part_.feeds.begin(), part_.feeds.end());
    if (error why = record_nodes()) return why;
    for (const draft_node* n : from_.feeds) result_.feeds.push_back(number_of(n));
    for (const draft_edge& e : from_.fetches) result_.fetches.push_back(number_of(e));
    for (const draft_node& n : from_)
      if ((n.kind == form::op || n.kind == form::constant) && holds_state(n)) result_.states.push_back(state_of(n));
    result_.graph = std::move(graph_);
    return std::move(result_);
  }

private:
  static bool is_op(const draft_node& n, exchange_op op) { return n.table == &exchange_table(op); }
  static bool holds_state(const draft_node& n) {
    return (n.kind == form::op && n.table->counts_runs) || !resource_of(n).second.empty();
  }
  static part_record::node_state state_of(const draft_node& n) {
    if (n.table->counts_runs) return {true, message{"random numbers of '", n.name, "'"}};
    const std::string name = resource_of(n).second;
    if (n.table->of_variable != variable_role::none) return {false, message{"variable '", name, "'"}};
    return {false, message{n.table->name(), " '", name, "'"}};
  }
  bool is_narrowed(const draft_node& n) const {
    if (!is_op(n, exchange_op::send) && !is_op(n, exchange_op::receive)) return false;
    const exchange_edge& e = all_.edges[edges_.at(&n)];
    return e.port < e.source->outputs.size() && !e.serves_fetch_alone && narrows_.applies_to(e.source->outputs[e.port]);
  }
  std::uint32_t nodes_for(const draft_node& n) const override {
    return is_op(n, exchange_op::send_control) || is_narrowed(n) ? 2 : 1;
  }
  error refused_value(const draft_edge& e) const override {
    const draft_node& n = *e.from;
    return error(error_code::unimplemented, message{"output ", e.port, " of this node, of type ",
                                                    name_of(value_of_constant(e).type()), ", cannot be sent to another task"})
        .at(n.name, n.table->name(), n.where);
  }
  error add(const draft_node& n) override {
    if (is_op(n, exchange_op::send) || is_op(n, exchange_op::send_control)) return add_send(n);
    if (is_op(n, exchange_op::receive) || is_op(n, exchange_op::receive_control)) return add_receive(n);
    for (const auto op : {exchange_op::enter, exchange_op::merge, exchange_op::switch_, exchange_op::next_iteration})
      if (is_op(n, op)) return add_loop(n, op);
    return draft_recorder::add(n);
  }
  void added_op(const draft_node& n) override {
    if (!n.table->counts_runs && !n.table->per_run) return;
    result_.counted.push_back(static_cast<std::uint32_t>(graph_.nodes.size()));
    result_.counted_nodes.push_back(std::string(n.name));
  }

  node_record& add_exchange(std::string_view op, const draft_node& n, dtype type) {
    const std::uint32_t number = edges_.at(&n);
    const exchange_edge& e = all_.edges[number];
    const auto place = static_cast<std::uint32_t>(graph_.nodes.size());
    const bool sends = op == "_Send";
    node_record& record = add_node(op, message{sends ? "_send_" : "_receive_", number}, e.source->where);
    record.attributes = {{sends ? "T" : "tensor_type", type},
                         {"tensor_name", std::string(message{number})},
                         {"send_device", std::string(message{e.from})},
                         {"recv_device", std::string(message{e.to})}};
    result_.exchanges.push_back({place, number, sends ? e.to : e.from, type});
    return record;
  }
  node_record& add_cast(const draft_node& n, dtype from, dtype to) {
    const std::uint32_t number = edges_.at(&n);
    const bool is_sent = to == dtype::bfloat16;
    node_record& record = add_node("Cast", message{is_sent ? "_narrow_" : "_widen_", number}, all_.edges[number].source->where);
    record.attributes = {{"SrcT", from}, {"DstT", to}, {"Truncate", true}};
    return record;
  }
  std::uint32_t last() const { return static_cast<std::uint32_t>(graph_.nodes.size() - 1); }
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
            .at(e.source->name, e.source->op->name(), e.source->where);
      node_record& record = add_exchange("_Send", n, type);
      add_inputs(n, record);
      add_controls(n, record);
      return {};
    }
    // A control edge to another task sends the value true, which waits until the node has run.
    node_record& one = add_constant(truth(), all_.edges[edges_.at(&n)].source->where);
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
    node_record& record = add_node(name, message{"_loop_", graph_.nodes.size()}, n.where);
    record.attributes = {{"T", dtype::boolean}};
    if (op == exchange_op::enter) {
      const auto& frame = *static_cast<const entered_frame*>(n.attributes);
      record.attributes.emplace_back("frame_name", frame.name);
      record.attributes.emplace_back("parallel_iterations", frame.parallel_iterations);
    }
    add_inputs(n, record);
    add_controls(n, record);
    return {};
  }

  const drafted_part& part_;
  const partitions& all_;
  const narrowing& narrows_;
  std::unordered_map<const draft_node*, std::uint32_t> edges_;
  part_record result_;
};

}  // namespace

result<std::shared_ptr<const detail::plan_parts>> cut_by_task(const detail::graph_state& g, const detail::plan_request& request,
                                                              const detail::draft& d, const detail::plan& whole) {
  auto cut = cut_by_device(g, request, d, whole);
  if (!cut) return cut.error();
  auto result = std::make_shared<task_parts>();
  result->fetches.assign(cut->all->fetches.begin(), cut->all->fetches.end());
  for (const drafted_part& p : cut->parts) {
    auto part = part_recorder(p, *cut->all, static_cast<const task_plan_request&>(request).narrows).record();
    if (!part) return part.error();
    part->pushed_up_to = static_cast<const task_plan_request&>(request).pushed_up_to;
    result->parts.push_back(*std::move(part));
  }
  return std::shared_ptr<const detail::plan_parts>(std::move(result));
}

template <class A> void fields(A& a, ref<A, exchange_record> e) { a(e.node, e.edge, e.task, e.type); }
template <> inline constexpr std::size_t least_bytes<exchange_record> = 13;
template <class A> void fields(A& a, ref<A, part_record> p) {
  a(p.task, p.graph, p.edges, p.pushed_up_to, p.feeds, p.fetches, p.counted, p.exchanges);
}

void write_part(byte_writer& to, recycled_tensors& tensors, const part_record& part) { record_writer(to, &tensors)(part); }
part_record read_part(byte_reader& from, std::span<const any_tensor> tensors) {
  return record_reader(from, tensors).one<part_record>();
}

}  // namespace flowgraph::distributed
