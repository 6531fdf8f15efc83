#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/runtime/impl/explain_text.hpp>
#include <flowgraph/runtime/schedule/arena_schedule.hpp>
#include <flowgraph/runtime/cut.hpp>
#include <flowgraph/runtime/planning/draft_runner.hpp>
#include <flowgraph/runtime/detail/look_up.hpp>
#include <flowgraph/runtime/step_state.hpp>
#include <flowgraph/runtime/session.hpp>

#include <algorithm>
#include <map>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reads a plan and its schedule, and changes neither.
class explainer {
public:
  explainer(const planned& p, const placement& devices, explanation& result)
      : planned_(p), plan_(*p.plan), devices_(devices), explanation_(result) {}

  // Adds the constants, then the records in order.
  FLOWGRAPH_COLD void add_nodes(std::span<const shape> fed) {
    for (const plan_frame& f : plan_.frames) explanation_.frames.push_back({f.name, f.parent == no_index ? 0 : f.parent});
    for (const constant_origin& c : plan_.constant_origins) {
      explained_node& n = add_node("constant", *c.at);
      n.is_folded = c.is_folded;
      if (c.at->outputs.size() > 1) {
        n.name = name_of(*c.at, c.port);
        n.outputs = {text_of(c.at->outputs[c.port])};
      }
    }
    for (const plan_record& r : plan_.records) {
      if (r.kind == record_kind::loop) continue;  // replaces nodes that are listed
      if (r.kind == record_kind::feed) {
        const auto i = static_cast<std::size_t>(explanation_.nodes.size() - plan_.constant_origins.size());
        const any_out& edge = planned_.feeds[i];
        explained_node& n = explanation_.nodes.emplace_back();
        n.kind = "feed";
        n.name = edge.name();
        n.outputs.push_back(std::string(name_of(edge.type())) + to_string(fed[i]));
        continue;
      }
      explained_node& n = add_node(r.table->crosses ? "transfer" : kind_of(r.control), *r.site);
      if (r.table->crosses) count_transfer(r);
      if (devices_.size() > 1) tell_device(n, r);
      n.frame = r.frame;
    }
    find_producers();
    for (std::uint32_t i = 0; i < plan_.records.size(); ++i)
      if (plan_.records[i].kind == record_kind::op) add_inputs(i);
    add_waits();
    if (plan_.parts) add_parts(plan_.parts->report());
    explanation_.crossing_bytes = explanation_.frames[0].crossing_bytes;
  }

  FLOWGRAPH_COLD void add_calls(const arena_schedule& s) {
    for (const std::uint32_t i : s.folded_) node_of(i).is_folded = true;
    count_transfers_of(s);
    std::map<const edge_value*, bool> is_returned;
    for (const arena_schedule::returned_buffer& h : s.returned_)
      for (const std::uint32_t slot : h.slots) is_returned[&s.slots_[slot].value] = true;
    for (const schedule_entry& e : s.calls_.entries) {
      explained_call& c = explanation_.calls.emplace_back();
      c.kind = e.run == &arena_schedule::run_dynamic ? "checked call"
               : e.run == &arena_schedule::take_pin  ? "read"
               : e.run == &arena_schedule::drop_pin  ? "release"
               : e.run == &arena_schedule::show      ? "show"
                                                     : "call";
      if (c.kind == "read" || c.kind == "release") c.name = static_cast<const arena_schedule::pin*>(e.op)->named;
      else if (e.call.at) name(c, *e.call.at);
      if (c.kind != "call") continue;
      for (std::uint32_t k = 0; k < e.call.output_count; ++k) {
        const any_tensor& t = e.call.outputs[k]->tensor;
        if (e.call.at->outputs[k].is_reference) continue;
        std::string text = std::string(name_of(t.type())) + to_string(t.shape());
        if (is_returned.contains(e.call.outputs[k])) text += " returned";
        else text += place_in_arena(s, static_cast<const std::byte*>(t.data()));
        c.outputs.push_back(std::move(text));
      }
    }
  }
  FLOWGRAPH_COLD void add_calls(const root_schedule& s) {
    if (const body_plan* body = s.body()) add_steps(*body, s.layout(), 0, 0);
    else add_calls(static_cast<const arena_schedule&>(s));
  }

private:
  // Counts a transfer, with the size according to the shape in the graph.
  void count_transfer(const plan_record& r) {
    explained_loop& f = explanation_.frames[r.frame];
    const output_info& o = r.site->outputs[0];
    const bool is_known = is_plain(o.type) && o.shape.is_known();
    f.crossing_bytes += is_known ? static_cast<std::size_t>(o.shape.size()) * size_of(o.type) : 0;
    f.of_unknown_size += is_known ? 0 : 1;
    ++f.transfers;
    ++explanation_.transfers;
  }
  // Counts the bytes of transfers by the shapes in the schedule. A plan with this schedule has no loops.
  void count_transfers_of(const arena_schedule& s) {
    explained_loop& f = explanation_.frames[0];
    f.crossing_bytes = 0;
    f.of_unknown_size = f.transfers;
    for (const std::uint32_t i : s.folded_) f.of_unknown_size -= plan_.records[i].table->crosses ? 1u : 0u;
    for (const schedule_entry& e : s.calls_.entries) {
      if (e.run == &arena_schedule::run_dynamic || !e.call.at || !e.call.at->op->crosses || e.call.output_count == 0) continue;
      f.crossing_bytes += e.call.outputs[0]->tensor.bytes();
      --f.of_unknown_size;
    }
    explanation_.crossing_bytes = f.crossing_bytes;
  }
  void add_parts(const parts_report& report) {
    std::map<std::uint32_t, std::size_t> parts;  // by place
    for (const parts_report::part& p : report.parts) {
      parts[p.place] = explanation_.parts.size();
      explanation_.parts.push_back({.device = to_string(devices_.name(p.place)), .nodes = p.nodes, .loops = {}});
      explanation_.parts.back().loops.assign(p.loops.begin(), p.loops.end());
    }
    for (const parts_report::exchange& e : report.exchanges) {
      explanation_.exchanges.push_back({e.kind, e.name, parts[e.from], parts[e.to], e.frame, e.is_alone});
      ++explanation_.parts[parts[e.from]].sent;
      ++explanation_.parts[parts[e.to]].received;
    }
  }
  static std::string place_in_arena(const arena_schedule& s, const std::byte* at) {
    for (const any_tensor& arena : s.arenas_) {
      const auto* begin = static_cast<const std::byte*>(arena.data());
      if (at && at >= begin && at < begin + arena.bytes()) return message{" at ", static_cast<std::size_t>(at - begin)}.string();
    }
    return {};
  }
  static const char* kind_of(control_flow c) {
    switch (c) {
      case control_flow::switch_: return "switch";
      case control_flow::merge: return "merge";
      case control_flow::enter: return "enter";
      case control_flow::exit: return "exit";
      case control_flow::next_iteration: return "next iteration";
      case control_flow::loop_cond: return "condition";
      case control_flow::control_trigger: return "trigger";
      case control_flow::send: return "send";
      case control_flow::receive: return "receive";
      default: return "op";
    }
  }
  void tell_device(explained_node& n, const plan_record& r) const {
    n.device = to_string(r.on ? r.on->name() : devices_.name(placement::host));
    if (n.kind == "transfer") return;
    const auto asked = devices_.place_of(r.site->id);
    switch (asked && devices_.at(*asked) == r.on ? devices_.reason_of(r.site->id) : placement_reason::grouped) {
      case placement_reason::first: n.reason = "first"; break;
      case placement_reason::asked: n.reason = "constraint"; break;
      case placement_reason::grouped: n.reason = "colocation"; break;
      case placement_reason::only_kernel: n.reason = "only kernel"; break;
      case placement_reason::cost: n.reason = "cost"; break;
      case placement_reason::priority: n.reason = "priority"; break;
      case placement_reason::host_reads: n.reason = "read by the host"; break;
    }
  }
  explained_node& add_node(const char* kind, const call_site& at) {
    explained_node& n = explanation_.nodes.emplace_back();
    n.kind = kind;
    n.name = at.name;
    n.op = to_string(*at.op);
    n.device = at.device;
    for (const output_info& o : at.outputs) n.outputs.push_back(text_of(o));
    if (const auto members = at.op->description->members)
      for (const group_member& m : members(at.attributes))
        n.members.push_back(message{m.site.name, " = ", to_string(*m.site.op)});
    return n;
  }
  std::size_t place_of(std::uint32_t record) const { return plan_.constant_origins.size() + record; }
  explained_node& node_of(std::uint32_t record) { return explanation_.nodes[place_of(record)]; }

  // Finds the record that fills each slot.
  void find_producers() {
    for (const plan_frame& f : plan_.frames) producers_.emplace_back(f.slots, no_index);
    for (std::uint32_t i = 0; i < plan_.records.size(); ++i) {
      const plan_record& r = plan_.records[i];
      for (std::uint32_t k = 0; k < r.output_count; ++k) producers_[r.output_frame][r.first_slot + k] = i;
    }
  }
  void add_inputs(std::uint32_t i) {
    const plan_record& r = plan_.records[i];
    for (std::uint32_t k = 0; k < r.input_count; ++k) {
      const input_ref& in = plan_.inputs[r.first_input + k];
      if (in.is_constant) {
        node_of(i).inputs.push_back({in.index});
      } else if (const std::uint32_t from = producers_[r.frame][in.index]; from != no_index) {
        node_of(i).inputs.push_back({place_of(from), in.index - plan_.records[from].first_slot});
      }
    }
  }
  void add_waits() {
    using form = explained_edge::form;
    for (std::uint32_t i = 0; i < plan_.records.size(); ++i) {
      const plan_record& r = plan_.records[i];
      for (std::uint32_t k = 0; k < r.consumer_count; ++k) {
        const consumer& c = plan_.consumers[r.first_consumer + k];
        if (c.port != control_port && c.port != order_port) continue;
        // The control edges of a Merge are orders of iterations; it uses no variable, so it has no other orders.
        const bool is_control = c.port == control_port || plan_.records[c.record].control == control_flow::merge;
        node_of(c.record).inputs.push_back({place_of(i), 0, is_control ? form::control : form::order});
      }
    }
  }

  void name(explained_call& c, const call_site& at) const {
    c.name = at.name;
    c.op = to_string(*at.op);
  }
  explained_call& add_call(const char* kind, std::size_t depth) {
    explained_call& c = explanation_.calls.emplace_back();
    c.kind = kind;
    c.depth = depth;
    return c;
  }
  // `layout`: null if all values own their memory. `base`: the position of its arena in the arena of the root.
  void add_steps(const body_plan& l, const body_layout* layout, std::size_t base, std::size_t depth) {
    using form = body_step::form;
    std::map<std::uint32_t, std::string> asked;  // by decision
    for (std::size_t i = 0; i < l.steps.size(); ++i) {
      const body_step& s = l.steps[i];
      if (depth > 0 && i == 0 && l.body_begins > 0) add_call("ask", depth);
      if (depth > 0 && i == l.body_begins && l.end_begins > l.body_begins) add_call("body", depth);
      if (depth > 0 && i == l.end_begins) add_call("end", depth);
      const plan_record& r = plan_.records[s.record];
      const bool is_direct = layout && layout->calls[i].kind == body_layout::call_kind::direct;
      explained_call& c = add_call(is_direct ? "call" : kind_of(s.kind), depth);
      name(c, *r.site);
      for (const guard& g : s.guards) {
        if (g.decision == no_index - 1) continue;  // the loop's own condition: the part of the body shows it
        c.when += message{c.when.empty() ? "" : ", ", g.side ? "if " : "unless ", asked[g.decision]}.string();
      }
      if (s.kind == form::decide) asked[s.output] = c.name = condition_of(s);
      if (s.kind == form::decide) c.op.clear();
      if (s.kind == form::kernel || s.kind == form::alias)
        for (std::uint32_t k = 0; k < r.output_count; ++k)
          c.outputs.push_back(is_direct ? value_in(layout->places[s.output + k], base) : text_of(r.site->outputs[k]));
      if (s.kind != form::loop) continue;
      const body_plan& inner = plan_.loop(l.inner[s.output]);
      c.name = plan_.frames[inner.frame].name;
      c.op.clear();
      const body_layout* of_inner = layout ? &layout->inner[s.output] : nullptr;
      add_steps(inner, of_inner, of_inner ? base + of_inner->at : 0, depth + 1);
    }
  }
  static std::string value_in(const body_layout::place& p, std::size_t base) {
    return message{name_of(p.type), p.shape, " at ", base + p.at}.string();
  }
  static const char* kind_of(body_step::form f) {
    switch (f) {
      case body_step::form::alias: return "show";
      case body_step::form::read: return "read";
      case body_step::form::bind: return "bind";
      case body_step::form::decide: return "decide";
      case body_step::form::select: return "select";
      case body_step::form::loop: return "loop";
      default: return "checked call";
    }
  }
  // Returns the edge whose value the first Switch of a decision reads.
  std::string condition_of(const body_step& s) const {
    const plan_record& r = plan_.records[s.record];
    const input_ref& in = plan_.inputs[r.first_input + 1];
    if (in.is_constant) return name_of(*plan_.constant_origins[in.index].at, plan_.constant_origins[in.index].port);
    const std::uint32_t from = producers_[r.frame][in.index];
    return name_of(*plan_.records[from].site, in.index - plan_.records[from].first_slot);
  }

  const planned& planned_;
  const plan& plan_;
  const placement& devices_;
  explanation& explanation_;
  sequence<sequence<std::uint32_t>> producers_;  // per frame, per slot
};

// The plan that the master of a remote session makes from the same graph, devices and passes. The members are in the order of their
// lifetimes.
struct plan_elsewhere {
  device_list devices;
  std::optional<placement> places;
  planned edges;

  FLOWGRAPH_COLD error make(session_state& s, const plan_request& request) {
    const auto known = s.elsewhere->places(s.graph);
    if (!known) return known.error();
    for (const std::string& name : known->devices) devices.push_back(std::make_unique<device>(name));
    places.emplace(devices, s.options.soft_placement);
    places->settle(*known);
    plan_request asked = request;
    draft_runner runner(s.services, draft_runner::most_of_plan, s.graph.state());
    const node_runner run(runner);
    const pass_options passes;
    asked.devices = &*places;
    if (known->is_improved) asked.passes = &passes, asked.run = &run;
    asked.divide = &divide_by_device;
    asked.divides_one = true;
    auto result = make_plan(s.graph, asked);
    if (!result) return result.error();
    edges.plan = *std::move(result);
    edges.feeds.assign(request.feeds.begin(), request.feeds.end());
    return {};
  }
};

}  // namespace detail

FLOWGRAPH_SELDOM result<explanation> session::try_explain(std::span<const edge_or_name> fetches,
                                                          std::span<const target_or_name> targets,
                                                          std::span<const fed_shape> feeds) {
  if (!state_) return detail::session_state::moved();
  std::vector<any_out> fed, fetched;
  std::vector<target> run;
  detail::sequence<shape> shapes;
  for (const fed_shape& f : feeds)
    if (error why = detail::look_up_all<any_out>(state_->graph, std::span(&f.where, 1), fed)) return why;
  if (error why = detail::look_up_all(state_->graph, fetches, fetched)) return why;
  if (error why = detail::look_up_all(state_->graph, targets, run)) return why;
  const detail::plan_request edges{
      .feeds = fed, .fetches = fetched, .targets = run, .devices = &state_->devices, .is_explained = true};
  detail::plan_elsewhere far;
  std::shared_ptr<detail::planned> here;
  if (state_->elsewhere) {
    if (error why = far.make(*state_, edges)) return why;
  } else {
    auto found = state_->plan_for(edges);
    if (!found) return found.error();
    here = *std::move(found);
  }
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const shape& given = feeds[i].extents;
    const node& n = *fed[i].source;
    if (!fits(given, fed[i].shape()))
      return detail::invalid_argument({"the shape given for '", fed[i].name(), "' must fit ", fed[i].shape(), ", found ", given})
          .at(n.name, n.op->name(), n.where);
    shapes.push_back(given.is_known() ? given : fed[i].shape());
  }
  explanation result;
  detail::explainer explainer(here ? *here : far.edges, here ? state_->devices : *far.places, result);
  {
    const threading::lock_guard lock(state_->graph.state().mutex);  // another thread may be placing new nodes
    explainer.add_nodes(shapes);
  }
  if (!here) {
    result.passes = far.edges.plan->passes;
    result.queued = "each task plans its part";
    return result;
  }
  detail::step_state step(state_, here);
  const error refused = step.prepare(shapes);  // a refusal is part of the answer
  const step_report report = step.report();
  result.loops = report.loops;
  result.passes = report.passes;
  result.buffers = report.buffers;
  result.arena_bytes = report.arena_bytes;
  result.queued = refused ? std::string(refused.what()) : report.queued;
  if (!step.schedules.empty()) explainer.add_calls(*step.schedules.front());
  for (std::size_t i = 0; i < shapes.size() && result.queued.empty() && step.schedules.empty(); ++i)
    if (!shapes[i].is_known()) result.queued = message{"the shape of '", fed[i].name(), "' is not known"};
  return result;
}

FLOWGRAPH_SELDOM explanation session::explain_or_raise(const edge_list& fetches, std::span<const target_or_name> targets,
                                                       std::initializer_list<fed_shape> feeds) {
  detail::sequence<edge_or_name> all(fetches.named.begin(), fetches.named.end());
  for (const any_out& o : fetches.handles) all.push_back(o);
  return try_explain(all, targets, {feeds.begin(), feeds.size()}).value();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
