#pragma once
// Which device of a session each node of its graph runs on.
//
// The whole known graph is placed, not the part that a run needs, so that all runs of a session agree on where its state lies; a node
// that has been placed stays. What names one resource, shares a reference or a handle, or asks to be with another node is one group
// and stands on one device. A node that cannot be placed fails the runs that need it, and no others.
//
// Where the nodes of a group ask for different devices, the node that makes a reference or a handle wins over those that take it; two
// nodes that ask to be together must agree. Of several devices that a group may stand on, a policy chooses; without one it is the first.

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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class grouping;
class policy_asker;

inline bool carries_state(const output_info& o) { return o.is_reference || o.type == dtype::resource; }
// Whether a reference or a handle comes from the node, and is not handed on by it.
inline bool makes_state(const node& n) {
  return !n.outputs.empty() && carries_state(n.outputs[0]) &&
         std::ranges::none_of(n.inputs, [](const edge& e) { return e.from && carries_state(e.from->outputs[e.port]); });
}
// The section and the name of the resource that a node names, whether it gives a handle to it or not. The name is empty for a node
// that names no resource.
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
// The name by which the nodes of one run know what ends with the run; empty where the node names nothing.
inline std::string named_in_run(const node& n) {
  if (!n.op->per_run) return {};
  const attribute_value v = attribute_of(n, "var_name");
  if (!v.get<std::string>()) return {};
  return v.get<std::string>()->empty() ? std::string(n.name) : *v.get<std::string>();
}

// "'a' (main.cpp:12)"
inline std::string named(std::string_view node, const std::source_location& where) {
  return message{"'", node, "' (", where.file_name(), ":", where.line(), ")"};
}
inline std::string named(const node& n) { return named(n.name, n.where); }

}  // namespace detail

// What a policy is asked: all known nodes of a graph, in groups that stand on one device each.
struct placement_question {
  struct group {
    detail::sequence<const node*> nodes;
    detail::sequence<std::uint32_t> allowed;  // devices, in their order; one where it is settled
    std::uint32_t place;                      // the one that it has, if nothing is changed
  };
  std::span<const device* const> devices;  // null: the session's own CPU
  std::vector<device_name> names;          // of each
  std::vector<group> groups;
  std::size_t threads = 1;  // of the session, which serve all devices
};

// Chooses devices for the groups that may stand on several: `choose` sets their `place`, to one of `allowed`. Called with the graph locked, by one thread at a time for each session.
class placement_policy {
public:
  virtual ~placement_policy() = default;

private:
  friend class detail::grouping;
  friend class detail::policy_asker;
  virtual void choose(placement_question& q) = 0;
  // Behind a virtual function, so that a program without a policy does not carry it.
  FLOWGRAPH_INLINE virtual void ask(detail::grouping& made, detail::sequence<detail::sequence<const node*>>& groups);
};

namespace detail {

class placement;
class transfers;
struct draft_node;

// How a session understands names of devices: linked by graphs that name a device, and by sessions that are given devices.
struct device_naming {
  // Where a node stands that no other must stand with.
  result<std::uint32_t> (*place)(const placement& devices, const node& n);
  // Whether a node with this constraint may stand on the CPU, and runs while its plan is made.
  bool (*allows_cpu)(std::string_view constraint);
};
// Null: the graph names no device.
inline const device_naming* naming_in(const graph_state& g) {
#ifdef FLOWGRAPH_ALL_INLINE
  static_cast<void>(g);
  return &naming_of_devices();
#else
  return g.naming ? &g.naming() : nullptr;
#endif
}

// The functions of a session that was given devices.
struct device_rules {
  // Puts those that were given into their order, and refuses equal names.
  void (*arrange)(placement& all);
  const device_naming& (*naming)();
  // Places the nodes that the graph has got since the last call, in groups.
  void (*group)(placement& all, const graph_state& g);
  // Adds what crosses, once every node has its device.
  error (*cross)(transfers& crossing, bool shares_reads);
  // As the functions below.
  void (*run_apart)(plan& p, std::size_t record);
  error (*lay_out)(plan& p, const sequence<const draft_node*>& drafted, bool is_told_alone);
  // For kernels of devices that answer later.
  runner_function runner;
};

// While a plan is made, in impl/planned_devices.hpp. A record has a kernel of its device's: one that answers later, or that runs on a thread
// of the device's, is called apart.
FLOWGRAPH_INLINE void run_apart(plan& p, std::size_t record);
// All records, inputs and constants are there. `is_told_alone`: nobody runs the plan.
FLOWGRAPH_INLINE error lay_out_on_devices(plan& p, const sequence<const draft_node*>& drafted, bool is_told_alone);

// Why a node stands where it does.
enum class placement_reason : std::uint8_t { first, asked, grouped, only_kernel, cost };

class placement {
public:
  // `given`: the devices of the session. Without a CPU among them the session's own comes first. `is_soft`: kinds and numbers that
  // cannot be had are ignored; jobs and tasks never are.
  // `policy`, which outlives it, is told that so many threads serve the devices; null: none.
  placement(const session_devices& given, bool is_soft, placement_policy* policy = nullptr, std::size_t threads = 1);

  // What has state stands where `state` says that sessions have placed it, and `state` is told of what is placed anew. It outlives this.
  void share(container& state) noexcept { state_ = &state; }

  std::size_t size() const noexcept { return devices_.size(); }
  // Null: the session's own CPU, with the session's memory.
  const device* at(std::size_t place) const noexcept { return devices_[place]; }
  // The host does not touch its memory.
  bool is_far(std::size_t place) const noexcept { return devices_[place] && devices_[place]->is_far(); }
  device_name name(std::size_t place) const;
  // Where feeds come from, fetches go to, and the host reads.
  static constexpr std::uint32_t host = 0;

  // Places the nodes that the graph has got since the last call. The graph is locked.
  void extend(const graph_state& g);
  // Precondition: the graph has been looked at since the node was made.
  result<std::uint32_t> place_of(const node& n) const;
  // The same by the id of a node. Precondition: size() > 1.
  result<std::uint32_t> place_of(std::uint32_t node) const;
  // Whether devices were given.
  bool has_rules() const noexcept { return rules_ != nullptr; }
  // Precondition: has_rules().
  const device_rules& rules() const { return rules_(); }
  // For device_rules.
  static void arrange(placement& all);
  // Of a node that no other must stand with.
  result<std::uint32_t> place_alone(const node& n) const;
  // The first nodes stand where another placement, of the same devices, has put them. Before any other is placed.
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
  bool runs(std::size_t place, const op_table& t) const;
  // What the node's constraint says, without what a soft placement ignores.
  result<device_name> wanted_by(const node& n) const;
  bool exists(const device_name& wanted) const;
  bool is_of_this_task(const device_name& wanted) const;
  // The first device that a constraint allows and that runs all of the nodes; `nowhere` if there is none.
  placed first_for(const device_name& wanted, std::span<const node* const> group) const;
  // No such device, or none such with a kernel.
  error nothing_for(const node& n, const device_name& wanted) const;

  const device_rules& (*rules_)();  // null where no devices are given
  sequence<const device*> devices_;
  bool is_soft_;
  placement_policy* policy_;
  std::size_t threads_;
  container* state_ = nullptr;
  error refused_;           // nothing can be placed
  sequence<placed> nodes_;  // by id; empty while there is only one device
  std::unordered_map<std::uint32_t, error> failures_;
  std::unordered_map<std::string, std::uint32_t> resources_;  // the first node that names each
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/placement.hpp>
#include <flowgraph/runtime/impl/placement_policy.hpp>
#endif
