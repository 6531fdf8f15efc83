#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/passes/group_elementwise.hpp>
#include <flowgraph/passes/improve.hpp>
#include <flowgraph/passes/prune.hpp>
#include <flowgraph/runtime/schedule/flow_rules.hpp>
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/passes/views.hpp>
#include <flowgraph/runtime/planning/impl/planned_devices.hpp>
#endif
#include <flowgraph/runtime/planning/detail/variable_order.hpp>
#include <flowgraph/runtime/planning/placed_pass.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Lays out one plan from its draft.
class planner {
public:
  planner(const graph_state& g, const plan_request& request, const draft& d) : graph_(g), request_(request), draft_(d) {}

  result<std::shared_ptr<plan>> make(std::vector<pass_report> passes) {
    auto result = std::make_shared<plan>();
    plan_ = result.get();
    plan_->passes = std::move(passes);
    plan_->made_nodes = draft_.made_nodes();
    plan_->graph = const_cast<graph_state*>(&graph_);
    plan_->graph_owner = plan_->graph->shared_from_this();
    make_records();
    find_kernels();
    plan_->frames.emplace_back();
    if (plan_->flow)
      if (error why = plan_->flow->assign_frames(*plan_, draft_)) return why;
    connect();
    if (error why = place_fetches()) return why;
    if (request_.devices && request_.devices->has_rules())
      if (error why = lay_out_on_devices()) return why;
    if (plan_->flow && !request_.is_dynamic) plan_->flow->plan_bodies(*plan_, request_.has_threads);
    plan_->is_straight = !plan_->flow && !plan_->has_async && !request_.is_dynamic;
    return result;
  }

private:
  using form = draft_node::form;

  static bool is_constant(const draft_node& n) { return n.kind == form::constant; }

  void make_records() {
    plan& p = *plan_;
    p.records.reserve(draft_.size());
    p.sites.reserve(draft_.size());  // records and kernels point to them
    drafted_.reserve(draft_.size());
    for (draft_node& n : draft_) {
      const call_site& site = p.sites.emplace_back(site_of(n));
      if (is_constant(n)) {
        n.place = static_cast<std::uint32_t>(p.constants.size());
        if (!n.values) p.constants.push_back({*n.table->description->constant(n.attributes), nullptr});
        for (std::uint32_t k = 0; n.values && k < n.outputs.size(); ++k) p.constants.push_back({n.values[k], nullptr});
        for (auto k = n.place; k < p.constants.size(); ++k)
          p.constant_origins.push_back({&site, k - n.place, n.values != nullptr});
        continue;
      }
      n.place = static_cast<std::uint32_t>(p.records.size());
      drafted_.push_back(&n);
      plan_record& r = p.records.emplace_back();
      r.site = &site;
      r.output_count = static_cast<std::uint32_t>(n.outputs.size());
      if (n.kind == form::feed) {
        p.feeds.push_back(n.place);
        continue;
      }
      r.kind = record_kind::op;
      r.table = n.table;
      r.attributes = n.attributes;
      r.list_sizes = n.list_sizes;
      r.control = n.table->control;
      if (const auto runner = n.table->description->runner; runner && (!p.runner || n.table->kernel.start)) p.runner = runner;
      if (n.table->counts_runs || n.table->per_run) {
        r.ordinal = static_cast<std::uint32_t>(p.random_nodes.size());
        p.random_nodes.push_back(&site);
      }
      if (r.control != control_flow::none)
        if (const flow_rules& rules = rules_behind(*n.table); !p.flow || rules.exchanges) p.step_rules = p.flow = &rules;
      if (n.table->per_run) p.has_run_resources = true;
      if (n.table->description->members) p.has_groups = true;
      if (n.table->description->flow && !p.step_rules) p.step_rules = &rules_behind(*n.table);
      p.max_inputs = std::max(p.max_inputs, static_cast<std::uint32_t>(n.inputs.size()));
      p.max_outputs = std::max(p.max_outputs, r.output_count);
    }
  }

  // Sets the kernel of each record, and the memory of its outputs.
  void find_kernels() {
    for (std::size_t i = 0; i < plan_->records.size(); ++i) {
      plan_record& r = plan_->records[i];
      if (r.kind == record_kind::feed) continue;
      r.on = request_.devices ? request_.devices->at(drafted_[i]->device_place) : nullptr;
      if (r.on) r.device_index = index_of(*r.on);
      r.entry = &r.table->kernel;
      r.has_host_outputs =
          r.on && r.on->is_far() && std::ranges::any_of(r.table->outputs(), [](const argument& a) { return a.is_on_host; });
      if (r.control != control_flow::none || r.table->alias || r.table->description->placeholder) continue;
      const bool is_own = has_own_kernel(r.on, *r.table);
      const kernel_entry* const found = kernel_on(r.on, *r.table);
      if (!found) continue;
      r.entry = found;
      if (is_own || !r.on->pool()) r.kernel = found->run;
      r.is_async = !r.kernel && r.entry->exists();
      plan_->has_async = plan_->has_async || r.is_async;
      if (r.is_async && !is_own) plan_->runner = request_.devices->rules().runner;
    }
  }
  // If all code is inline, device_rules cannot refer to functions for plans, so the planner calls them itself.
#ifdef FLOWGRAPH_ALL_INLINE
  error lay_out_on_devices() { return detail::lay_out_on_devices(*plan_, drafted_, request_.is_never_run); }
#else
  error lay_out_on_devices() { return request_.devices->rules().lay_out(*plan_, drafted_, request_.is_never_run); }
#endif

  std::uint32_t index_of(const device& d) {
    auto& all = plan_->devices;
    const auto at = std::ranges::find(all, &d);
    const auto index = static_cast<std::uint32_t>(at - all.begin());
    if (at == all.end()) all.push_back(&d);
    return index;
  }

  struct planned_edge {
    std::uint32_t producer;
    consumer to;
  };

  // Sets slots, inputs and consumers.
  void connect() {
    plan& p = *plan_;
    assign_slots();
    for (std::uint32_t i = 0; i < p.records.size(); ++i) {
      plan_record& r = p.records[i];
      if (r.kind == record_kind::feed) continue;
      const draft_node& n = *drafted_[i];
      connect_inputs(i, r, n);
      (r.on ? r.is_simple_on_device : r.is_simple) = is_simple(r);
      for (std::uint32_t k = 0; k < r.output_count; ++k) r.has_unsized = r.has_unsized || is_made_by_kernel(r, k);
      if (names_resource(n)) r.binding = p.bindings++;
      r.is_elementwise = r.table->elementwise && r.input_count > 0;
      if (r.output_count > 0) r.output_type = n.outputs[0].type;
      r.passes_inputs = passes_inputs_of(n);
    }
    p.inputs.resize(p.inputs.size() + plan::inputs_ahead);
    order_variable_accesses(p, drafted_, [&](std::uint32_t before, std::uint32_t after) {
      edges_.push_back({before, {after, p.records[after].local, order_port, 0, 0}});
      p.records[after].pending += 1;
    });
    group_consumers();
    for (std::uint32_t i = 0; i < p.records.size(); ++i) {
      const plan_record& r = p.records[i];
      if (r.kind != record_kind::feed && r.frame == 0 && r.pending == 0) p.sources.push_back(i);
    }
  }

  // Assigns the slots of each record's outputs in its frame.
  void assign_slots() {
    plan& p = *plan_;
    p.uses.resize(p.frames.size());
    for (std::uint32_t i = 0; i < p.records.size(); ++i) {
      plan_record& r = p.records[i];
      plan_frame& out = p.frames[r.output_frame];
      r.first_slot = out.slots;
      out.slots += r.output_count;
      r.local = static_cast<std::uint32_t>(p.frames[r.frame].records.size());
      p.frames[r.frame].records.push_back(i);
    }
    for (std::size_t f = 0; f < p.frames.size(); ++f) p.uses[f].assign(p.frames[f].slots, 0);
  }

  void connect_inputs(std::uint32_t i, plan_record& r, const draft_node& n) {
    plan& p = *plan_;
    r.first_input = static_cast<std::uint32_t>(p.inputs.size());
    r.input_count = static_cast<std::uint32_t>(n.inputs.size());
    const bool is_merge = r.control == control_flow::merge, has_constant = takes_constant(r);
    for (std::uint32_t k = 0; k < r.input_count; ++k) {
      const auto& [from, port] = n.inputs[k];
      if (is_constant(*from)) {
        p.inputs.push_back({from->place + port, true, false, false, from->outputs[port].type});
        if (is_merge) r.data_inputs += 1;
        continue;
      }
      const bool dereference = from->kind == form::op && from->outputs[port].is_reference && !input_argument(n, k).is_reference;
      const std::uint32_t slot = p.records[from->place].first_slot + port;
      p.inputs.push_back({slot, false, dereference, false, from->outputs[port].type});
      if (has_constant) continue;
      p.uses[r.frame][slot] += 1;
      edges_.push_back({from->place, {i, r.local, port, k & 0x7fffffffu, is_merge}});
      (is_merge ? r.data_inputs : r.pending) += 1;
    }
    if (is_merge && !has_constant) r.pending += 1;
    for (const draft_node* c : n.controls) {
      if (is_constant(*c)) continue;
      // Only the data inputs of a Merge decide whether it is dead; control inputs only delay it.
      edges_.push_back({c->place, {i, r.local, is_merge ? order_port : control_port, 0, 0}});
      r.pending += 1;
    }
  }

  // Sorts the edges by their producers.
  void group_consumers() {
    plan& p = *plan_;
    for (const planned_edge& e : edges_) ++p.records[e.producer].consumer_count;
    std::uint32_t first = 0;
    for (plan_record& r : p.records) {
      r.first_consumer = first;
      first += std::exchange(r.consumer_count, 0);
    }
    p.consumers.resize(edges_.size());
    for (const planned_edge& e : edges_) {
      plan_record& r = p.records[e.producer];
      p.consumers[r.first_consumer + r.consumer_count++] = e.to;
    }
  }
  static bool passes_inputs_of(const draft_node& n) {
    if (!n.table->passes_value || n.outputs.empty() || n.inputs.size() < n.outputs.size()) return false;
    for (std::size_t k = 0; k < n.outputs.size(); ++k)
      if (const draft_edge& e = n.inputs[k]; e.from->outputs[e.port].type != n.outputs[k].type) return false;
    return true;
  }
  // Returns whether a node names a variable or another resource that is the same in all runs, also through the handle that such a
  // node passes to it.
  static bool names_resource(const draft_node& n) {
    const bool by_handle = n.table->of_variable == variable_role::of_handle && n.inputs[0].from->kind == form::op &&
                           n.inputs[0].from->table->of_variable == variable_role::handle;
    return (n.inputs.empty() || by_handle) && n.outputs.size() == 1 && n.table->kernel.run && !n.table->per_run &&
           (n.outputs[0].is_reference || n.outputs[0].type == dtype::resource);
  }
  bool is_simple(const plan_record& r) const {
    const op_table& t = *r.table;
    if (!r.kernel || !t.infer || t.alias || t.description->placeholder || r.entry->scratch || t.counts_runs || r.has_host_outputs)
      return false;
    if (r.control != control_flow::none || r.output_count != 1 || t.outputs().size() != 1) return false;
    for (const draft_edge& e : drafted(r).inputs)  // the shape of a reference is that of its variable
      if (e.from->outputs[e.port].is_reference) return false;
    return !t.outputs()[0].is_unsized;
  }
  // Returns whether the record is a Merge outside of loops with a constant of the plan among its inputs, which is available
  // before all other inputs.
  bool takes_constant(const plan_record& r) const {
    return r.control == control_flow::merge && r.frame == 0 &&
           std::ranges::any_of(drafted(r).inputs, [](const draft_edge& e) { return is_constant(*e.from); });
  }
  const draft_node& drafted(const plan_record& r) const {
    return *drafted_[static_cast<std::size_t>(&r - plan_->records.data())];
  }

  error place_fetches() {
    plan& p = *plan_;
    for (const auto& [from, port] : draft_.fetches) {
      p.fetch_records.push_back(is_constant(*from) ? no_index : from->place);
      if (is_constant(*from)) {
        p.fetches.push_back({from->place + port, true, false});
        continue;
      }
      const plan_record& r = p.records[from->place];
      if (r.output_frame != 0)
        return failed_at(invalid_argument({"'", name_of(*r.site, port), "' is inside the loop '", p.frames[r.output_frame].name,
                                           "' and cannot be fetched"}),
                         *r.site);
      const std::uint32_t slot = r.first_slot + port;
      p.fetches.push_back({slot, false, from->kind == form::op && from->outputs[port].is_reference});
      p.uses[0][slot] += 1;
    }
    return {};
  }

  const graph_state& graph_;
  const plan_request& request_;
  const draft& draft_;
  plan* plan_ = nullptr;
  sequence<const draft_node*> drafted_;  // by record
  sequence<planned_edge> edges_;
};

// The further passes that wait for the devices of nodes.
inline void make_placed(draft& d, const placement& devices, transfers& crossing, const plan_request& request, bool is_cut,
                        pass_reports& reports, bool& lacks_groups) {
  const pass_options& options = *request.passes;
  const auto make = [&](const further_pass& pass, pass_report& report) {
    if (pass.run == &group_elementwise && request.shows_nodes) return void(lacks_groups = true);
    placed_call placed{devices, crossing, is_cut, report};
    pass_call call{options, *request.run, report, &placed, request.is_explained};
    for (std::size_t p = 0; p < devices.size(); ++p) call.uses_tables.push_back(!devices.at(p) || devices.at(p)->is_cpu());
    report.changed += pass.run(pass, d, call);
  };
  bool is_listed = false;
  for (std::size_t i = 0; i < options.further.size(); ++i) {
    const further_pass& pass = options.further[i];
    if (pass.stage != pass_stage::after_placement) continue;
    is_listed = is_listed || pass.run == &group_elementwise;
    make(pass, reports.of(pass));
  }
  if (is_listed) return;
  pass_report& report = reports.of(group_large);
  report.is_on = options.group_elementwise;
  if (options.group_elementwise) make(group_large, report);
}

// Without folding, a constant is a node on its device, and a transfer copies its value. With folding, each part has its own copy.
inline void keep_constants(draft& d) {
  for (draft_node& n : d)
    if (n.kind == draft_node::form::constant && !n.values) n.kind = draft_node::form::op;
}

}  // namespace detail

FLOWGRAPH_INLINE error detail::make_draft(const graph_state& g, const plan_request& request, bool is_cut,
                                          threading::unique_lock<threading::mutex>& lock, finished_draft& drafted) {
  draft& d = drafted.nodes;
  pass_reports reports;
  if (error why = prune(g, request.feeds, request.fetches, request.targets, d)) return why;
#ifdef FLOWGRAPH_ALL_INLINE
  if (error why = resolve_views(g, d)) return why;
#else
  if (g.views.resolving)
    if (error why = g.views.resolving(g, d)) return why;
#endif
  d.is_spread = request.devices && request.devices->size() > 1;
  if (request.passes) {
    lock.unlock();  // a kernel may look at the graph; of the nodes that are drafted nothing changes any more
    improve(d, request.is_dynamic ? pass_options::none() : *request.passes, *request.run, reports);
    lock.lock();
  }
  placement own({}, false);
  if (is_cut && !(request.passes && request.passes->fold_constants)) keep_constants(d);
  transfers crossing(d, request.devices ? *request.devices : own, is_cut);
  if (request.devices) request.devices->extend(g);
  if (error why = crossing.add(!request.is_partial_run)) return why;
  if (request.passes && !request.is_dynamic)
    make_placed(d, request.devices ? *request.devices : own, crossing, request, is_cut, reports, drafted.lacks_groups);
  drafted.passes = reports.take();
  return {};
}

FLOWGRAPH_INLINE result<std::shared_ptr<const detail::plan>> detail::make_plan(const graph& g, const plan_request& request) {
  const bool is_cut = request.divide && request.devices && (request.devices->size() > 1 || request.divides_one);
  threading::unique_lock lock(g.state().mutex);
  finished_draft d;
  if (error why = make_draft(g.state(), request, is_cut, lock, d)) return why;
  plan_request whole = request;
  whole.is_dynamic = request.is_dynamic || is_cut;
  whole.is_never_run = is_cut;
  auto result = lay_out(g.state(), whole, d.nodes, std::move(d.passes));
  if (!result) return result.error();
  (*result)->lacks_groups = d.lacks_groups;
  if (is_cut) {
    auto parts = request.divide(g.state(), request, d.nodes, **result);
    if (!parts) return parts.error();
    (*result)->parts = *std::move(parts);
  }
  return std::shared_ptr<const plan>(*std::move(result));
}

FLOWGRAPH_INLINE result<std::shared_ptr<detail::plan>> detail::lay_out(const graph_state& g, const plan_request& request,
                                                                       const draft& d, std::vector<pass_report> passes) {
  return planner(g, request, d).make(std::move(passes));
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
