#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/runtime/flow_rules.hpp>
#include <flowgraph/runtime/impl/variable_order.hpp>
#include <flowgraph/runtime/plan.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Builds one plan. Nodes are found by id; the lists are in order of creation, which is an order in which they may run but for
// the back edges of loops.
class planner {
public:
  planner(const graph_state& g, const plan_request& request)
      : graph_(g), request_(request), is_fed_(g.nodes.size(), false), record_of_(g.nodes.size(), no_index) {}

  result<std::shared_ptr<const plan>> make() {
    auto made = std::make_shared<plan>();
    plan_ = made.get();
    plan_->graph = const_cast<graph_state*>(&graph_);
    plan_->graph_owner = plan_->graph->shared_from_this();
    if (error why = check_handles()) return why;
    prune();
    if (error why = check_order()) return why;
    make_records();
    if (error why = place()) return why;
    plan_->frames.emplace_back();
    if (error why = assign_frames()) return why;
    connect();
    if (error why = place_fetches()) return why;
    if (plan_->flow && !request_.is_dynamic) plan_->flow->make_lines(*plan_, request_.has_threads);
    return std::shared_ptr<const plan>(std::move(made));
  }

private:
  static bool same(const any_out& a, const edge& e) { return a.source == e.from && a.port == e.port; }

  error check_node(const node* n, const char* what) const {
    if (!n) return error(error_code::invalid_argument, words{"an empty handle is ", what});
    if (n->graph != &graph_)
      return error(error_code::invalid_argument, words{what, ": '", n->name, "' belongs to another graph"});
    return n->is_poison() ? graph_.first_error : error();
  }
  error check_handle(const any_out& o, const char* what) const {
    if (error why = check_node(o.source, what)) return why;
    if (o.port >= o.source->outputs.size())
      return error(error_code::invalid_argument, words{"node '", o.source->name, "' has no output ", o.port});
    return {};
  }
  error check_handles() {
    for (std::size_t i = 0; i < request_.feeds.size(); ++i) {
      const any_out& f = request_.feeds[i];
      if (error why = check_handle(f, "fed")) return why;
      for (std::size_t j = 0; j < i; ++j)
        if (request_.feeds[j] == f) return error(error_code::invalid_argument, words{"'", f.name(), "' is fed twice"});
      is_fed_[f.source->id] = true;
    }
    for (const any_out& f : request_.fetches)
      if (error why = check_handle(f, "fetched")) return why;
    for (const target& t : request_.targets)
      if (error why = check_node(t.source, "run")) return why;
    return {};
  }

  // The feed that stands for an edge, or no_index.
  std::uint32_t feed_for(const edge& e) const {
    if (!e.from || !is_fed_[e.from->id]) return no_index;
    for (std::size_t i = 0; i < request_.feeds.size(); ++i)
      if (same(request_.feeds[i], e)) return static_cast<std::uint32_t>(i);
    return no_index;
  }
  // A control edge from a placeholder that is fed waits for nothing.
  bool is_cut(const node* control) const { return control->op->placeholder && is_fed_[control->id]; }
  // A value of the plan rather than a record of each run. With control inputs it may be dead or in a loop, so it stays a node.
  static bool is_constant(const node* n) { return n->op->constant && n->control_inputs.empty(); }

  void prune() {
    std::vector<const node*> stack;
    auto need = [&](const node* n) {
      if (!n || record_of_[n->id] != no_index) return;
      record_of_[n->id] = 0;
      stack.push_back(n);
    };
    for (const any_out& f : request_.fetches)
      if (feed_for({f.source, f.port}) == no_index) need(f.source);
    for (const target& t : request_.targets) need(t.source);
    while (!stack.empty()) {
      const node* n = stack.back();
      stack.pop_back();
      for (const edge& e : n->inputs)
        if (feed_for(e) == no_index) need(e.from);
      for (const node* c : n->control_inputs)
        if (!is_cut(c)) need(c);
    }
    for (const node* n : graph_.nodes)
      if (record_of_[n->id] != no_index) needed_.push_back(n);
  }

  // Only a loop's NextIteration may feed a node that was made before it.
  error check_order() const {
    for (const node* n : needed_)
      for (const edge& e : n->inputs) {
        if (!e.from)
          return error(error_code::invalid_argument, "input of a loop was never connected").at(n->name, n->op->name, n->where);
        if (e.from->id >= n->id && e.from->op->control != control_flow::next_iteration && feed_for(e) == no_index)
          return error(error_code::invalid_argument,
                       words{"a cycle without a loop: '", n->name, "' depends on '", e.from->name, "', which depends on it"})
              .at(n->name, n->op->name, n->where);
      }
    for (const node* n : needed_)
      if (n->op->control == control_flow::merge)
        if (const char* why = refused_merge(*n))
          return error(error_code::invalid_argument, why).at(n->name, n->op->name, n->where);
    return {};
  }
  // What is wrong with a Merge; null: nothing. One that stands at the head of a loop has what enters it and what comes back.
  const char* refused_merge(const node& merge) const {
    if (merge.inputs.empty()) return "a Merge of nothing";
    bool is_one_enter = merge.inputs.size() > 1, enters = false, comes_back = false;
    for (const edge& e : merge.inputs) {
      if (feed_for(e) != no_index) return nullptr;
      const bool is_enter = e.from->op->control == control_flow::enter;
      is_one_enter = is_one_enter && is_enter && e == merge.inputs[0];
      enters = enters || is_enter;
      comes_back = comes_back || e.from->op->control == control_flow::next_iteration;
    }
    if (is_one_enter) return "input of a loop was never connected: it stands for a back edge";
    return comes_back && !enters ? "iterations come back to a Merge that nothing enters" : nullptr;
  }

  void make_records() {
    plan& p = *plan_;
    p.records.reserve(request_.feeds.size() + needed_.size());
    feed_of_.assign(request_.feeds.size(), no_index);
    for (std::size_t i = 0; i < request_.feeds.size(); ++i) {
      feed_of_[i] = static_cast<std::uint32_t>(p.records.size());
      plan_record r;
      r.output_count = 1;
      p.records.push_back(r);
    }
    p.feeds = feed_of_;
    for (const node* n : needed_) {
      if (is_constant(n)) {
        record_of_[n->id] = static_cast<std::uint32_t>(p.constants.size());
        p.constants.push_back({*n->op->constant(n->attributes), nullptr});
        p.constant_nodes.push_back(n);
        continue;
      }
      record_of_[n->id] = static_cast<std::uint32_t>(p.records.size());
      plan_record r;
      r.origin = n;
      r.table = n->op;
      r.attributes = n->attributes;
      r.list_sizes = n->list_sizes;
      r.control = n->op->control;
      r.output_count = static_cast<std::uint32_t>(n->outputs.size());
      if (n->op->random || n->op->per_run) {
        r.ordinal = static_cast<std::uint32_t>(p.random_nodes.size());
        p.random_nodes.push_back(n);
      }
      if (n->op->control != control_flow::none) p.flow = &rules_behind(*n->op);
      if (n->op->async_kernel) p.has_async = true;
      if (n->op->per_run) p.has_run_resources = true;
      p.max_inputs = std::max(p.max_inputs, static_cast<std::uint32_t>(n->inputs.size()));
      p.max_outputs = std::max(p.max_outputs, r.output_count);
      p.records.push_back(r);
    }
  }

  error assign_frames() {
    if (!plan_->flow) return {};
    return plan_->flow->assign_frames(*plan_, record_of_, [&](const edge& e) { return feed_for(e) != no_index; });
  }

  // The kernel of each record: of the device that its node asks for, else the CPU's, else of the first device that has one.
  error place() {
    for (plan_record& r : plan_->records) {
      if (!r.origin || r.control != control_flow::none || r.table->alias || r.table->placeholder) continue;
      const std::string_view wanted = device_kind(r.origin->device);
      const bool may_be_cpu = wanted.empty() || is_same_kind(wanted, "cpu");
      if (may_be_cpu) r.kernel = r.table->kernel;
      if (r.kernel || (r.table->async_kernel && may_be_cpu)) continue;
      for (const device* d : request_.devices) {
        if (r.kernel || (!wanted.empty() && !is_same_kind(d->kind(), wanted))) continue;
        r.kernel = d->find(*r.table);
        r.memory = d->memory();
      }
      if (!r.kernel) return no_kernel(*r.origin, wanted);
    }
    return {};
  }
  // "CUDA" of "/job:a/task:0/device:CUDA:1", "gpu" of the short form "/job:a/gpu:1"; empty when the constraint leaves the kind
  // open. Kinds compare without case: see is_same_kind.
  static std::string_view device_kind(std::string_view constraint) {
    std::string_view kind;
    while (!constraint.empty()) {
      constraint.remove_prefix(1);  // the slash
      const std::string_view part = constraint.substr(0, constraint.find('/'));
      constraint.remove_prefix(part.size());
      const std::string_view key = part.substr(0, part.find(':'));
      if (is_same_kind(key, "cpu") || is_same_kind(key, "gpu")) kind = key;
      if (key != "device" || key.size() == part.size()) continue;
      const std::string_view value = part.substr(key.size() + 1);
      kind = value.substr(0, value.find(':'));
      if (kind == "*") kind = {};
    }
    return kind;
  }
  static bool is_same_kind(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
  }
  FLOWGRAPH_COLD error no_kernel(const node& n, std::string_view wanted) const {
    std::string known;
    if (n.op->kernel || n.op->async_kernel) known = words{"cpu: ", to_string(*n.op)};
    for (const device* d : request_.devices)
      if (const std::string list = d->list(n.op->name); !list.empty())
        known += words{known.empty() ? "" : "; ", d->kind(), ": ", list};
    const std::string device_name = wanted.empty() ? std::string() : words{" for device '", wanted, "'"};
    return error(error_code::unimplemented,
                 words{"no kernel of ", to_string(*n.op), device_name, "; existing: ", known.empty() ? "none" : known})
        .at(n.name, n.op->name, n.where);
  }

  // Slots, inputs and consumers.
  void connect() {
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

    std::vector<std::pair<std::uint32_t, consumer>> edges;  // producer, consumer
    for (std::uint32_t i = 0; i < p.records.size(); ++i) {
      plan_record& r = p.records[i];
      if (!r.origin) continue;
      r.first_input = static_cast<std::uint32_t>(p.inputs.size());
      r.input_count = static_cast<std::uint32_t>(r.origin->inputs.size());
      for (std::uint32_t k = 0; k < r.input_count; ++k) {
        const edge& e = r.origin->inputs[k];
        const std::uint32_t feed = feed_for(e);
        const bool dereference =
            feed == no_index && e.from->outputs[e.port].is_reference && !r.origin->input_argument(k).is_reference;
        if (feed == no_index && is_constant(e.from)) {
          p.inputs.push_back({record_of_[e.from->id], true, false});
          if (r.control == control_flow::merge) r.data_inputs += 1;
          continue;
        }
        const std::uint32_t producer = feed != no_index ? feed_of_[feed] : record_of_[e.from->id];
        const std::uint32_t port = feed != no_index ? 0 : e.port;
        const std::uint32_t slot = p.records[producer].first_slot + port;
        p.inputs.push_back({slot, false, dereference});
        if (takes_constant(r)) continue;
        p.uses[r.frame][slot] += 1;
        edges.push_back({producer, {i, r.local, port, k & 0x7fffffffu, r.control == control_flow::merge}});
        if (r.control == control_flow::merge) r.data_inputs += 1;
        else r.pending += 1;
      }
      r.is_simple = is_simple(r);
      if (names_resource(*r.origin)) r.binding = p.bindings++;
      r.is_elementwise = r.table->elementwise && r.input_count > 0;
      if (r.output_count > 0) r.output_type = r.origin->outputs[0].type;
      if (r.control == control_flow::merge && !takes_constant(r)) r.pending += 1;
      for (const node* c : r.origin->control_inputs) {
        if (is_cut(c) || is_constant(c)) continue;
        // A Merge is dead when its data is, whatever it waits for besides.
        edges.push_back({record_of_[c->id], {i, r.local, r.control == control_flow::merge ? order_port : control_port, 0, 0}});
        r.pending += 1;
      }
    }
    p.inputs.resize(p.inputs.size() + plan::inputs_ahead);
    order_variable_accesses(p, [&](std::uint32_t before, std::uint32_t after) {
      edges.push_back({before, {after, p.records[after].local, order_port, 0, 0}});
      p.records[after].pending += 1;
    });
    for (const auto& [producer, c] : edges) ++p.records[producer].consumer_count;
    std::uint32_t first = 0;
    for (plan_record& r : p.records) {
      r.first_consumer = first;
      first += std::exchange(r.consumer_count, 0);
    }
    p.consumers.resize(edges.size());
    for (const auto& [producer, c] : edges) {
      plan_record& r = p.records[producer];
      p.consumers[r.first_consumer + r.consumer_count++] = c;
    }
    for (std::uint32_t i = 0; i < p.records.size(); ++i) {
      const plan_record& r = p.records[i];
      if (r.origin && r.frame == 0 && r.pending == 0) p.sources.push_back(i);
    }
  }
  // A node that names a variable or another resource, in all runs the same.
  static bool names_resource(const node& n) {
    return n.inputs.empty() && n.outputs.size() == 1 && n.op->kernel && !n.op->per_run &&
           (n.outputs[0].is_reference || n.outputs[0].type == dtype::resource);
  }
  bool is_simple(const plan_record& r) const {
    const op_table& t = *r.table;
    if (!r.kernel || !t.infer || t.alias || t.placeholder || t.scratch || t.random || r.memory) return false;
    if (r.control != control_flow::none || r.output_count != 1 || t.outputs.size() != 1) return false;
    for (const edge& e : r.origin->inputs)  // the shape of a reference is that of its variable
      if (e.from->outputs[e.port].is_reference) return false;
    return !t.outputs[0].is_unsized;
  }
  // A Merge outside of loops with a constant of the plan among its inputs: that is there before all others.
  bool takes_constant(const plan_record& r) const {
    return r.control == control_flow::merge && r.frame == 0 &&
           std::any_of(r.origin->inputs.begin(), r.origin->inputs.end(),
                       [&](const edge& e) { return is_constant(e.from) && feed_for(e) == no_index; });
  }

  error place_fetches() {
    plan& p = *plan_;
    for (const any_out& f : request_.fetches) {
      const std::uint32_t feed = feed_for({f.source, f.port});
      if (feed == no_index && is_constant(f.source)) {
        p.fetches.push_back({record_of_[f.source->id], true, false});
        p.fetch_records.push_back(no_index);
        continue;
      }
      const std::uint32_t producer = feed != no_index ? feed_of_[feed] : record_of_[f.source->id];
      const plan_record& r = p.records[producer];
      if (r.output_frame != 0)
        return error(error_code::invalid_argument,
                     words{"'", f.name(), "' is inside the loop '", p.frames[r.output_frame].name, "' and cannot be fetched"})
            .at(f.source->name, f.source->op->name, f.source->where);
      const std::uint32_t slot = r.first_slot + (feed != no_index ? 0 : f.port);
      p.fetches.push_back({slot, false, feed == no_index && f.source->outputs[f.port].is_reference});
      p.fetch_records.push_back(producer);
      p.uses[0][slot] += 1;
    }
    return {};
  }

  const graph_state& graph_;
  const plan_request& request_;
  plan* plan_ = nullptr;
  std::vector<const node*> needed_;
  std::vector<char> is_fed_;              // by node id: some output is
  std::vector<std::uint32_t> record_of_;  // by node id; of a constant its place in plan::constants
  std::vector<std::uint32_t> feed_of_;
};

FLOWGRAPH_INLINE bool passes_inputs(const plan_record& r) {
  if (!r.table->passes_value || r.output_count == 0 || r.input_count < r.output_count) return false;
  for (std::uint32_t k = 0; k < r.output_count; ++k) {
    const edge& e = r.origin->inputs[k];
    if (e.from->outputs[e.port].type != r.origin->outputs[k].type) return false;
  }
  return true;
}

}  // namespace detail

FLOWGRAPH_INLINE result<std::shared_ptr<const detail::plan>> detail::make_plan(const graph& g, const plan_request& request) {
  std::lock_guard lock(g.state().mutex);
  return planner(g.state(), request).make();
}

}  // namespace flowgraph
