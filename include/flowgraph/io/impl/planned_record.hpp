#pragma once

#include <flowgraph/io/detail/draft_recorder.hpp>
#include <flowgraph/io/planned_record.hpp>
#include <flowgraph/runtime/planning/draft_runner.hpp>
#include <flowgraph/runtime/detail/look_up.hpp>
#include <flowgraph/runtime/planning/plan.hpp>
#include <flowgraph/runtime/session_state.hpp>

#include <unordered_set>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class planned_recorder final : private draft_recorder {
public:
  planned_recorder(const graph_state& g, const plan_request& request, const draft& d)
      : draft_recorder(d), devices_(*request.devices) {
    graph_.seed = g.seed;
  }

  result<planned_record> record() {
    if (error why = record_nodes()) return why;
    planned_record result;
    for (const draft_node* n : from_.feeds) result.feeds.push_back(number_of(n));
    for (const draft_edge& e : from_.fetches) result.fetches.push_back(number_of(e));
    for (const draft_node* n : from_.targets)
      if (n && n->kind == form::op) result.targets.push_back(number_of(behind({const_cast<draft_node*>(n), 0}).from));
    result.graph = std::move(graph_);
    return result;
  }

private:
  // Returns a free name. A node that a pass has added cannot have the name of the node that it comes from.
  std::string unused(std::string name) const {
    std::string text = name;
    for (int i = 1; !used_.insert(text).second; ++i) text = message{name, "__", i};
    return text;
  }
  std::string name_of_op(const draft_node& n) const override { return unused(std::string(n.name)); }
  std::string name_of_feed(const draft_node& n) const override { return unused(name_of_output(n, site_of(n).first_port)); }
  std::string name_of_constant(const draft_node& n, std::uint32_t port) const override { return unused(name_of_output(n, port)); }
  static std::string name_of_output(const draft_node& n, std::uint32_t port) {
    return port == 0 ? std::string(n.name) : message{n.name, "__output_", port}.string();
  }
  std::string device_of(const draft_node& n) const override {
    return devices_.size() > 1 ? to_string(devices_.name(n.device_place)) : std::string(n.device);
  }
  error refused_value(const draft_edge& e) const override {
    const draft_node& n = *e.from;
    return error(error_code::unimplemented, message{"output ", e.port, " of this node, of type ",
                                                    name_of(value_of_constant(e).type()), ", cannot be kept as a constant"})
        .at(n.name, n.table->name(), n.where);
  }

  const placement& devices_;
  mutable std::unordered_set<std::string> used_;
};

}  // namespace detail

FLOWGRAPH_SELDOM result<planned_record> planned_record_of(const session& s, std::span<const edge_or_name> feeds,
                                                          std::span<const edge_or_name> fetches,
                                                          std::span<const target_or_name> targets) {
  if (!s.state_) return detail::session_state::moved();
  detail::session_state& state = *s.state_;
  if (state.elsewhere) return state.only_here("a record of a plan");
  for (std::size_t i = 0; i < state.devices.size(); ++i)
    if (state.devices.is_far(i))
      return error(error_code::unimplemented,
                   message{"a plan is not recorded where it may use device ", to_string(state.devices.name(i)),
                           ", whose memory the host does not touch"});
  std::vector<any_out> fed, fetched;
  std::vector<target> run;
  if (error why = detail::look_up_all(state.graph, feeds, fed)) return why;
  if (error why = detail::look_up_all(state.graph, fetches, fetched)) return why;
  if (error why = detail::look_up_all(state.graph, targets, run)) return why;
  detail::draft_runner runner(state.services, detail::draft_runner::most_of_plan, state.graph.state());
  const detail::node_runner by(runner);
  const detail::plan_request request{.feeds = fed,
                                     .fetches = fetched,
                                     .targets = run,
                                     .devices = &state.devices,
                                     .passes = &state.options.passes,
                                     .run = &by,
                                     .shows_nodes = true};  // other processes need not support groups
  const detail::graph_state& g = state.graph.state();
  threading::unique_lock lock(g.mutex);
  detail::finished_draft d;
  if (error why = detail::make_draft(g, request, true, lock, d)) return why;
  // Refuses requests that no plan can satisfy, for example a node that is fed from two loops, as a run does.
  detail::plan_request checked = request;
  checked.is_dynamic = checked.is_never_run = true;
  if (auto laid = detail::lay_out(g, checked, d.nodes, {}); !laid) return laid.error();
  return detail::planned_recorder(g, request, d.nodes).record();
}
FLOWGRAPH_SELDOM result<planned_record> planned_record_of(const session& s, std::initializer_list<edge_or_name> feeds,
                                                          std::initializer_list<edge_or_name> fetches,
                                                          std::initializer_list<target_or_name> targets) {
  return planned_record_of(s, std::span(feeds.begin(), feeds.size()), std::span(fetches.begin(), fetches.size()),
                           std::span(targets.begin(), targets.size()));
}

FLOWGRAPH_SELDOM result<planned_graph> planned_graph_of(const planned_record& record, const registry& ops) {
  auto g = graph_of(record.graph, ops);
  if (!g) return g.error();
  planned_graph result{*std::move(g), {}, {}, {}};
  const detail::graph_state& state = result.graph.state();
  const auto refused = [](std::string_view what, std::uint32_t number) {
    return detail::invalid_argument({"the record of a plan ", what, " node ", number, ", which it has not"});
  };
  const auto output = [&](std::uint32_t number, std::uint32_t port) {
    node* const n = number < state.nodes.size() ? state.nodes[number] : nullptr;
    return n && port < n->outputs.size() ? any_out{n, port} : any_out{};
  };
  for (const std::uint32_t f : record.feeds) {
    result.feeds.push_back(output(f, 0));
    if (!result.feeds.back().source) return refused("feeds", f);
  }
  for (const edge_record& f : record.fetches) {
    result.fetches.push_back(output(f.node, f.port));
    if (!result.fetches.back().source) return refused("fetches an output of", f.node);
  }
  for (const std::uint32_t t : record.targets) {
    if (t >= state.nodes.size()) return refused("runs", t);
    result.targets.push_back(state.nodes[t]);
  }
  return result;
}

}  // namespace flowgraph
