#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/placement/cost_placement.hpp>
#include <flowgraph/runtime/detail/host_arithmetic.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The loops that nodes are in. Nodes are visited in the order of their creation: all inputs except a loop's back edge come from
// earlier nodes.
class loop_finder {
public:
  static constexpr std::uint32_t none = 0;
  explicit loop_finder(std::size_t ids) : frame_(ids, none), output_frame_(ids, none) {}

  void add(const node& n) {
    std::uint32_t inside = none;
    const auto join = [&](const node* from) {
      if (!from || from->id >= n.id) return;
      const std::uint32_t f = output_frame_[from->id];
      if (frames_[f].depth > frames_[inside].depth) inside = f;
    };
    for (const edge& e : n.inputs) join(e.from);
    for (const node* before : n.control_inputs) join(before);
    frame_[n.id] = output_frame_[n.id] = inside;
    if (n.op->control == control_flow::enter) frame_[n.id] = output_frame_[n.id] = child_of(inside, n);
    if (n.op->control == control_flow::exit) output_frame_[n.id] = frames_[inside].parent;
  }
  // Returns the outermost loop around a node, with its Enters and Exits.
  std::uint32_t loop_of(const node& n) const { return frames_[frame_[n.id]].outermost; }
  int depth_of(const node& n) const { return frames_[frame_[n.id]].depth; }

private:
  struct frame {
    std::uint32_t parent = none, outermost = none;
    int depth = 0;
  };
  std::uint32_t child_of(std::uint32_t parent, const node& enter) {
    const attribute_value name = attribute_of(enter, "frame_name");
    const std::string* text = name.get<std::string>();
    const auto result = static_cast<std::uint32_t>(frames_.size());
    const auto [at, is_new] = by_name_.emplace(std::pair(parent, text ? *text : std::string()), result);
    if (is_new) frames_.push_back({parent, parent == none ? result : frames_[parent].outermost, frames_[parent].depth + 1});
    return at->second;
  }

  sequence<frame> frames_{frame()};
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> by_name_;
  sequence<std::uint32_t> frame_, output_frame_;  // by node id
};

// The task graph of a placement question: a task for each node, and a group for each group of the question, or for all groups
// that a loop joins.
class question_tasks {
public:
  question_tasks(const placement_question& q, const cost_model& costs)
      : question_(q), costs_(costs), nodes_(sorted(q)), on_host_(find_host_arithmetic()),
        loops_(nodes_.empty() ? 0 : nodes_.back().first->id + std::size_t{1}) {
    for (const auto& [n, group] : nodes_) loops_.add(*n);
    add_devices();
    add_groups();
    for (const auto& [n, group] : nodes_) add_task(*n, group_of_[group]);
    for (const auto& [n, group] : nodes_) add_inputs(*n);
  }

  const task_graph& tasks() const { return tasks_; }
  std::uint32_t group_of(std::size_t group) const { return group_of_[group]; }

private:
  using member = std::pair<const node*, std::uint32_t>;  // a node, and its group in the question
  static sequence<member> sorted(const placement_question& q) {
    sequence<member> result;
    for (std::uint32_t k = 0; k < q.groups.size(); ++k)
      for (const node* n : q.groups[k].nodes) result.emplace_back(n, k);
    std::ranges::sort(result, {}, [](const member& m) { return m.first->id; });
    return result;
  }

  bool is_far(std::uint32_t d) const { return question_.devices[d] && question_.devices[d]->is_far(); }
  bool has_far_devices() const {
    return std::ranges::any_of(question_.devices, [](const device* d) { return d && d->is_far(); });
  }
  host_arithmetic find_host_arithmetic() const {
    if (!has_far_devices()) return {};
    sequence<const node*> all;
    for (const auto& [n, group] : nodes_) all.push_back(n);
    std::size_t at = 0;  // the function is called for the nodes in their order
    return host_arithmetic(all, [&](const node& n) {
      while (nodes_[at].first != &n) ++at;
      const placement_question::group& g = question_.groups[nodes_[at].second];
      const auto is_far_device = [&](std::uint32_t d) { return is_far(d); };
      return g.nodes.size() == 1 && std::ranges::any_of(g.allowed, is_far_device) &&
             !std::ranges::all_of(g.allowed, is_far_device);
    });
  }

  void add_devices() {
    const std::uint32_t of_session = tasks_.add_line(static_cast<std::uint32_t>(question_.threads));
    for (std::size_t d = 0; d < question_.names.size(); ++d) {
      const device_speed speed = costs_.speed_of(question_.names[d]);
      const memory_budget* budget = question_.devices[d] ? question_.devices[d]->budget() : nullptr;
      tasks_.add_device({.line = speed.threads > 0 ? tasks_.add_line(speed.threads) : of_session,
                         .memory_limit = budget && budget->limit() != memory_budget::unlimited ? budget->limit() : 0});
    }
    for (std::uint32_t a = 0; a < question_.names.size(); ++a)
      for (std::uint32_t b = 0; b < question_.names.size(); ++b) {
        if (a == b) continue;
        const link_speed way = costs_.link_of(question_.names[a], question_.names[b]);
        tasks_.set_link(a, b,
                        {.latency = way.latency,
                         .per_byte = 1 / way.bytes_per_second,
                         .line = way.has_channel ? tasks_.add_line() : tasks_.devices[b].line});
      }
  }
  void add_groups() {
    std::map<std::uint32_t, std::uint32_t> of_loop;
    group_of_.resize(question_.groups.size());
    for (std::size_t k = 0; k < question_.groups.size(); ++k) {
      const auto& g = question_.groups[k];
      if (on_host_.contains(*g.nodes[0])) {  // outside of its loop, if it is in one
        group_of_[k] = tasks_.add_group();
        sequence<std::uint32_t> near;  // the allowed devices whose memory the host reads
        std::ranges::copy_if(g.allowed, std::back_inserter(near), [&](std::uint32_t d) { return !is_far(d); });
        allow(group_of_[k], near);
        continue;
      }
      std::uint32_t loop = loop_finder::none;
      for (const node* n : g.nodes) loop = std::max(loop, loops_.loop_of(*n));
      const auto known = g.allowed.size() < 2 || loop == loop_finder::none ? of_loop.end() : of_loop.find(loop);
      if (known != of_loop.end() && join(known->second, g.allowed)) {
        group_of_[k] = known->second;
        continue;
      }
      group_of_[k] = tasks_.add_group();
      allow(group_of_[k], g.allowed);
      if (g.allowed.size() > 1 && loop != loop_finder::none) of_loop.emplace(loop, group_of_[k]);
      // A fed value comes from the host, on any device of its placeholder.
      if (g.nodes.size() == 1 && g.nodes[0]->op->description->placeholder && g.allowed[0] == placement::host)
        allow(group_of_[k], {{placement::host}});
    }
  }
  void allow(std::uint32_t group, std::span<const std::uint32_t> places) {
    for (std::uint32_t d = 0; d < tasks_.devices.size(); ++d)
      if (std::ranges::find(places, d) == places.end()) tasks_.forbid(group, d);
  }
  // Joins a group to the others of its loop if they have a device in common; then they are one group. Returns whether they have.
  bool join(std::uint32_t with, std::span<const std::uint32_t> places) {
    if (std::ranges::none_of(places, [&](std::uint32_t d) { return tasks_.is_allowed(with, d); })) return false;
    allow(with, places);
    return true;
  }
  void add_task(const node& n, std::uint32_t group) {
    const double calls = std::pow(costs_.defaults().iterations, loops_.depth_of(n));
    sequence<double> seconds;
    for (std::uint32_t d = 0; d < tasks_.devices.size(); ++d)
      seconds.push_back(tasks_.is_allowed(group, d) ? costs_.seconds(n, question_.names[d], calls) : task_graph::never);
    numbers_[&n] = tasks_.add_task(group, seconds, costs_.kept_bytes(n));
    for (std::uint32_t port = 0; port < n.outputs.size(); ++port)
      outputs_[&n].push_back(
          tasks_.add_tensor(costs_.bytes(n, port), n.outputs[port].is_reference || n.op->description->constant));
  }
  void add_inputs(const node& n) {
    const std::uint32_t reader = numbers_.at(&n);
    for (std::uint32_t k = 0; k < n.inputs.size(); ++k) {
      const edge& e = n.inputs[k];
      const auto from = numbers_.find(e.from);
      if (from == numbers_.end() || e.from->id >= n.id || e.from->op->description->constant)
        continue;  // constants exist on every device
      if (crosses(n, k)) tasks_.add_reader(outputs_.at(e.from)[e.port], reader);
      else tasks_.add_order(from->second, reader);
    }
    for (const node* before : n.control_inputs)
      if (const auto from = numbers_.find(before); from != numbers_.end() && before->id < n.id)
        tasks_.add_order(from->second, reader);
  }
  // Returns whether an output crosses to another device. The executor reads conditions, and handles do not leave their device. If
  // only its shape is read, a value remains in memory that the host does not access. A value that the host makes and reads does
  // not reach such memory.
  bool crosses(const node& n, std::uint32_t k) const {
    if (has_far_devices() && n.op->shape_only) return false;
    if (on_host_.contains(*n.inputs[k].from) && n.input_argument(k).is_on_host) return false;
    const bool is_condition = n.op->control == control_flow::loop_cond || (n.op->control == control_flow::switch_ && k == 1);
    return !is_condition && n.inputs[k].from->outputs[n.inputs[k].port].type != dtype::resource;
  }

  const placement_question& question_;
  const cost_model& costs_;
  sequence<member> nodes_;
  host_arithmetic on_host_;
  loop_finder loops_;
  task_graph tasks_;
  sequence<std::uint32_t> group_of_;  // by group of the question
  std::unordered_map<const node*, std::uint32_t> numbers_;
  std::unordered_map<const node*, sequence<std::uint32_t>> outputs_;
};

}  // namespace detail

FLOWGRAPH_INLINE void cost_placement::choose(placement_question& q) {
  const detail::question_tasks asked(q, costs_);
  const detail::placed_groups found = detail::place_groups(asked.tasks(), effort_);
  for (std::size_t k = 0; k < q.groups.size(); ++k)
    if (q.groups[k].allowed.size() > 1) q.groups[k].place = found.places[asked.group_of(k)];
  detail::simulation again(asked.tasks());
  const detail::simulated_run& run = again.run(found.places);
  placement_forecast result{.seconds = run.seconds,
                            .excess = run.excess,
                            .peaks = {run.peaks.begin(), run.peaks.end()},
                            .devices = {},
                            .transfers = run.transfers.size()};
  for (const device_name& name : q.names) result.devices.push_back(to_string(name));
  const threading::lock_guard lock(mutex_);
  latest_ = std::move(result);
}

FLOWGRAPH_INLINE placement_forecast cost_placement::forecast() const {
  const threading::lock_guard lock(mutex_);
  return latest_;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
