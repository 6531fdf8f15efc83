#include "part.hpp"

#include <flowgraph/graph/handle.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using namespace detail;

namespace {

FLOWGRAPH_COLD error malformed_part(std::string_view what) {
  return detail::invalid_argument({"a part of a plan is malformed: ", what});
}

}  // namespace

result<std::shared_ptr<part>> part::make(const part_record& record, const registry& ops, std::shared_ptr<container> resources,
                                         std::uint32_t tasks, std::shared_ptr<drawn_numbers> drawn, const pass_options& passes) {
  const std::shared_ptr<part> result(new part);
  auto g = graph_of(record.graph, ops);
  if (!g) return g.error();
  result->graph_ = *std::move(g);
  std::vector<any_out> feeds, fetches;
  for (const std::uint32_t f : record.feeds) {
    node* const n = result->node_at(f);
    if (!n || n->outputs.empty()) return malformed_part("a feed is not a node with an output");
    feeds.push_back({n, 0});
  }
  for (const edge_record& f : record.fetches) {
    node* const n = result->node_at(f.node);
    if (!n || f.port >= n->outputs.size()) return malformed_part("a fetch is not the output of a node");
    fetches.push_back({n, f.port});
  }
  node_numbers numbers{.edge = std::vector(result->graph_.size(), no_index),
                       .counted = std::vector(result->graph_.size(), no_index)};
  if (error why = result->read_exchanges(record, tasks, numbers)) return why;
  for (std::uint32_t i = 0; i < record.counted.size(); ++i) {
    const node* const n = result->node_at(record.counted[i]);
    if (!n || std::exchange(numbers.counted[n->id], i) != no_index)
      return malformed_part("a node that counts its runs is not there, or there twice");
  }

  const auto refuse = [](const draft_node&, std::vector<any_tensor>&) {
    return error(error_code::unimplemented, "nodes of a part are not folded");
  };
  const node_runner run(refuse);
  const std::vector<target> targets = result->unread_nodes();
  auto planned = make_plan(result->graph_, {.feeds = feeds,
                                            .fetches = fetches,
                                            .targets = targets,
                                            .passes = passes.further.size() > 0 ? &passes : nullptr,
                                            .run = &run});
  if (!planned) return planned.error();
  result->plan_ = *std::move(planned);
  result->drawn_ = std::move(drawn);
  if (error why = result->read_plan(numbers)) return why;
  result->services_.memory = resources->memory();
  result->services_.resources = resources.get();
  result->resources_ = std::move(resources);
  result->services_.gate = &result->gate_;
  result->ends_ = record;  // copies only the base class: the graph is not kept
  return result;
}

// Returns the nodes that no node reads. A pass may replace a node that others read, so such a node is not a target.
std::vector<target> part::unread_nodes() {
  std::vector<bool> is_read(graph_.size());
  for (std::uint32_t i = 0; i < graph_.size(); ++i)
    for (const edge& e : graph_.at(i)->inputs)
      if (e.from) is_read[e.from->id] = e.from->op->elementwise;
  std::vector<target> unread;
  for (std::uint32_t i = 0; i < graph_.size(); ++i)
    if (node* const n = graph_.at(i);
        !is_read[i] && !n->op->description->placeholder && !(n->op->description->constant && n->control_inputs.empty()))
      unread.push_back(n);
  return unread;
}

// Checks the exchanges of `record`, and stores the type and the task of each edge, and the edge of each node.
error part::read_exchanges(const part_record& record, std::uint32_t tasks, node_numbers& numbers) {
  type_of_edge_.assign(record.edges, dtype::invalid);
  task_of_edge_.resize(record.edges);
  asks_ = std::make_unique<std::atomic<bool>[]>(record.edges);
  if (record.pushed_up_to == 0)
    for (std::uint32_t e = 0; e < record.edges; ++e) asks_[e] = true;
  for (const exchange_record& e : record.exchanges) {
    const node* const n = node_at(e.node);
    const bool exchanges = n && (n->op->control == control_flow::send || n->op->control == control_flow::receive);
    if (!exchanges || e.edge >= record.edges || std::exchange(numbers.edge[n->id], e.edge) != no_index)
      return malformed_part("an exchange is not one of a node that sends or receives");
    if (e.task >= tasks) return malformed_part("an exchange is with a task that the cluster has not");
    task_of_edge_[e.edge] = e.task;
    if (n->op->control != control_flow::receive) continue;
    if (n->outputs.empty() || n->outputs[0].type != e.type)
      return malformed_part("an exchange has another type than the node that receives");
    if (std::exchange(type_of_edge_[e.edge], e.type) != dtype::invalid) return malformed_part("two nodes receive over one edge");
  }
  return {};
}

// Stores the edge of each record of the plan and the counters of its random nodes, and whether its turns are short.
error part::read_plan(const node_numbers& numbers) {
  const plan& p = *plan_;
  edge_of_record_.assign(p.records.size(), no_index);
  for (std::size_t i = 0; i < p.records.size(); ++i) {
    const plan_record& r = p.records[i];
    if (r.control != control_flow::send && r.control != control_flow::receive) continue;
    edge_of_record_[i] = numbers.edge[r.site->id];
    if (edge_of_record_[i] == no_index) return malformed_part("a node sends or receives over no edge");
  }
  for (const call_site* n : p.random_nodes) {
    if (numbers.counted[n->id] == no_index) return malformed_part("a node that counts its runs has no number");
    counted_of_ordinal_.push_back(numbers.counted[n->id]);
    drawn_of_ordinal_.push_back(&drawn_->of(std::string(n->name)));
  }
  is_short_ = std::ranges::none_of(p.records, [](const plan_record& r) { return r.entry && r.entry->facts.expensive; });
  for (std::size_t f = 1; f < p.frames.size(); ++f)
    is_short_ = is_short_ && std::ranges::any_of(p.frames[f].records,
                                                 [&](std::uint32_t r) { return p.records[r].control == control_flow::receive; });
  return {};
}

bool part::involves(std::uint32_t task) const {
  return std::ranges::any_of(ends_.exchanges, [&](const exchange_record& e) { return e.task == task; });
}

std::vector<saved_state::draws> drawn_numbers::save() const {
  const std::lock_guard lock(mutex_);
  std::vector<saved_state::draws> result;
  for (const auto& [node, counter] : by_node_)
    if (counter.drawn != 0) result.push_back({node, 0, counter.drawn});
  return result;
}

void drawn_numbers::load(std::span<const saved_state::draws> from) {
  const std::lock_guard lock(mutex_);
  for (auto& [node, counter] : by_node_) counter.drawn = 0;
  for (const saved_state::draws& d : from) by_node_[d.node].drawn = d.numbers;
}

}  // namespace flowgraph::distributed
