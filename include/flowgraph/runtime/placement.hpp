#pragma once
// Chooses the device for each node of a session's graph.
//
// All known nodes are placed, not only those that a run needs, so that all runs of a session agree on the location of its state.
// A node keeps its device. Nodes that name the same resource, share a reference or a handle, or are colocated form a group, and a
// group has one device. If a node cannot be placed, only the runs that need it fail.
//
// If the nodes of a group require different devices, the node that makes the reference or handle has priority over its readers;
// colocated nodes must agree. If several devices remain, the placement policy chooses; without a policy, the first device with
// the highest priority is used. A device whose priority exceeds that of the host gets no nodes whose results only the host reads.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/op/container.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/runtime/session_devices.hpp>
#include <flowgraph/runtime/session_target.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class grouping;
class policy_asker;

inline bool carries_state(const output_info& o) { return o.is_reference || o.type == dtype::resource; }
// Returns whether a node, of a graph or of a draft, creates a reference or a handle, and does not only pass it on.
template <class Node> bool makes_state(const Node& n) {
  return !n.outputs.empty() && carries_state(n.outputs[0]) &&
         std::ranges::none_of(n.inputs, [](const auto& e) { return e.from && carries_state(e.from->outputs[e.port]); });
}
// Returns the kind and the name of the resource that a node names, even if the node has no handle as output. The name is empty if
// the node names no resource.
inline std::pair<std::string, std::string> resource_of(const op_table& op, const void* attributes, std::string_view node,
                                                       bool makes_state) {
  if (!op.stateful || op.per_run) return {};
  const attribute_value shared = attribute_of(op, attributes, "shared_name"), where = attribute_of(op, attributes, "container");
  if (!makes_state && !shared.get<std::string>()) return {};
  const auto text = [](const attribute_value& v) { return v.get<std::string>() ? *v.get<std::string>() : std::string(); };
  const std::string name = text(shared);
  return {text(where), name.empty() ? std::string(node) : name};
}
inline std::pair<std::string, std::string> resource_of(const node& n) {
  return resource_of(*n.op, n.attributes, n.name, makes_state(n));
}
// Returns the name by which the nodes of one run identify a resource that ends with the run. Empty if the node names none.
inline std::string named_in_run(const node& n) {
  if (!n.op->per_run) return {};
  const attribute_value v = attribute_of(n, "var_name");
  if (!v.get<std::string>()) return {};
  return v.get<std::string>()->empty() ? std::string(n.name) : *v.get<std::string>();
}

// Returns whether the op's own kernel runs the op, although the node is on this device: the host shares constants, and copies the
// values that cross. `on`: null for the host.
inline bool has_own_kernel(const device* on, const op_table& op) { return !on || op.crosses || op.description->constant; }
// Returns the kernel that runs the op on this device, or null if the device has no kernel for the op.
inline const kernel_entry* kernel_on(const device* on, const op_table& op) {
  return has_own_kernel(on, op) ? &op.kernel : on->find(op);
}

// Returns "'a' (main.cpp:12)".
inline std::string named(std::string_view node, const std::source_location& where) {
  return message{"'", node, "' (", where.file_name(), ":", where.line(), ")"};
}
inline std::string named(const node& n) { return named(n.name, n.where); }

}  // namespace detail

// The input of a placement policy: all known nodes of a graph, in groups. The nodes of a group must have the same device.
struct placement_question {
  struct group {
    detail::sequence<const node*> nodes;
    detail::sequence<std::uint32_t> allowed;  // allowed devices, in order; a single device if it is determined
    std::uint32_t place;                      // the current device
  };
  std::span<const device* const> devices;  // null: the session's own CPU
  std::vector<device_name> names;          // the name of each device
  std::vector<group> groups;               // the groups, each with one device
  std::size_t threads = 1;                 // number of threads of the session, which serve all devices
};

// Chooses devices for groups with several allowed devices: `choose` sets `place` of each group to an element of `allowed`. It is
// called with the graph locked, by one thread at a time per session.
class placement_policy {
public:
  virtual ~placement_policy() = default;

private:
  friend class detail::grouping;
  friend class detail::policy_asker;
  virtual void choose(placement_question& q) = 0;
  // Virtual, so that programs without a policy do not link this function.
  FLOWGRAPH_INLINE virtual void ask(detail::grouping& groups_found, detail::sequence<detail::sequence<const node*>>& groups);
};

namespace detail {

class placement;
class transfers;
struct draft_node;

// Functions that interpret device names. Only graphs that name a device, and sessions that are given devices, link them.
struct device_naming {
  // Returns the device of a node that is not in a group with others.
  result<std::uint32_t> (*place)(const placement& devices, const call_site& n);
  // Returns whether a node with this constraint may run on the CPU, and may therefore run while its plan is made.
  bool (*allows_cpu)(std::string_view constraint);
};
// Null: no node of the graph names a device.
inline const device_naming* naming_in(const graph_state& g) {
#ifdef FLOWGRAPH_ALL_INLINE
  static_cast<void>(g);
  return &naming_of_devices();
#else
  return g.naming ? &g.naming() : nullptr;
#endif
}

// The functions of a session that is given devices.
struct device_rules {
  // Sorts the given devices, and refuses equal names.
  void (*arrange)(placement& all);
  const device_naming& (*naming)();
  // Places, in groups, the nodes that were added to the graph since the last call.
  void (*group)(placement& all, const graph_state& g);
  // Adds the transfers, after each node has its device.
  error (*cross)(transfers& crossing, bool shares_reads);
  // The function `lay_out_on_devices` below.
  error (*lay_out)(plan& p, const sequence<const draft_node*>& drafted, bool is_never_run);
  // Runs plans with asynchronous kernels.
  runner_function runner;
};

// Assigns memory on devices, after all records, inputs and constants of a plan exist. `is_never_run`: see
// plan_request. The body is in planning/impl/planned_devices.hpp.
FLOWGRAPH_INLINE error lay_out_on_devices(plan& p, const sequence<const draft_node*>& drafted, bool is_never_run);

// The reason why a node has its device.
enum class placement_reason : std::uint8_t { first, asked, grouped, only_kernel, cost, priority, host_reads };

class placement {
public:
  // `given`: the devices of the session; if none is a CPU, the session's own CPU comes first. `is_soft`: device kinds and numbers
  // that do not exist are ignored, but jobs and tasks never are. `policy`: null, or a policy that outlives this object.
  // `threads`: the number of threads that serve the devices.
  placement(const session_devices& given, bool is_soft, placement_policy* policy = nullptr, std::size_t threads = 1);

  // Uses the devices that sessions have recorded in `state` for nodes with state, and records new devices there. `state` must
  // outlive this object.
  void share(container& state) noexcept { state_ = &state; }

  std::size_t size() const noexcept { return devices_.size(); }
  // Null: the session's own CPU, with the session's memory.
  const device* at(std::size_t place) const noexcept { return devices_[place]; }
  // Returns whether the host cannot access the memory of the device.
  bool is_far(std::size_t place) const noexcept { return devices_[place] && devices_[place]->is_far(); }
  device_name name(std::size_t place) const;
  // The device of feeds and fetches, and of the values that the host reads.
  static constexpr std::uint32_t host = 0;

  // Places the nodes that were added to the graph since the last call. Precondition: the graph is locked.
  void extend(const graph_state& g);
  // Precondition: `extend` was called after the node was added to this graph.
  result<std::uint32_t> place_of(const call_site& n, const graph_state& g) const;
  result<std::uint32_t> place_of(const node& n) const;
  // Like the function above, for the node with this id. Precondition: size() > 1.
  result<std::uint32_t> place_of(std::uint32_t node) const;
  // Returns whether devices were given.
  bool has_rules() const noexcept { return rules_ != nullptr; }
  // Precondition: has_rules().
  const device_rules& rules() const { return rules_(); }
  // Used by device_rules.
  static void arrange(placement& all);
  // Returns the device of a node that is not in a group with others.
  result<std::uint32_t> place_alone(const call_site& n) const;
  // Uses, for the first nodes, the devices that another placement with the same devices chose. Precondition: no node is placed
  // yet.
  void settle(const places_elsewhere& known);
  placement_reason reason_of(std::uint32_t node) const {
    return node < nodes_.size() ? nodes_[node].why : placement_reason::first;
  }

private:
  friend class grouping;
  friend class policy_asker;
  static constexpr std::uint32_t nowhere = 0xffffffff;
  struct placed {
    std::uint32_t place = nowhere;
    placement_reason why = placement_reason::first;
  };

  void refuse_equal_names();
  int priority(std::size_t place) const noexcept { return devices_[place] ? devices_[place]->priority() : 0; }
  // Returns whether unconstrained nodes run on another device than the host.
  bool prefers_device() const noexcept { return !by_priority_.empty() && by_priority_[0] != host; }
  bool runs(std::size_t place, const op_table& t) const;
  // Returns the constraint of the node, without the parts that a soft placement ignores.
  result<device_name> wanted_by(const call_site& n) const;
  bool exists(const device_name& wanted) const;
  bool is_of_this_task(const device_name& wanted) const;
  // Returns the device of highest priority that the constraint allows and that can run all of the nodes, or `nowhere`.
  placed first_for(const device_name& wanted, std::span<const op_table* const> group) const;
  // Returns the error that no such device exists, or that it has no kernel for the node.
  error nothing_for(const call_site& n, const device_name& wanted) const;

  const device_rules& (*rules_)();  // null if no devices are given
  sequence<const device*> devices_;
  sequence<std::uint32_t> by_priority_;  // the devices, by falling priority; empty: in their order
  bool is_soft_;
  placement_policy* policy_;
  std::size_t threads_;
  container* state_ = nullptr;
  error refused_;           // set if nothing can be placed
  sequence<placed> nodes_;  // by id; empty while there is only one device
  std::unordered_map<std::uint32_t, error> failures_;
  std::unordered_map<std::string, std::uint32_t> resources_;  // the first node that names each resource
};

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/placement.hpp>
#include <flowgraph/runtime/impl/placement_policy.hpp>
#endif
