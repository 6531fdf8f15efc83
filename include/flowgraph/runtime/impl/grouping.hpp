#pragma once
// Finds groups among the new nodes of a graph that must be on one device, and a device for each group.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/detail/host_arithmetic.hpp>
#include <flowgraph/runtime/placement.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class grouping {
public:
  grouping(placement& all, const graph_state& g) : all_(all), graph_(g), first_(static_cast<std::uint32_t>(all.nodes_.size())) {}

  void place() {
    read_requests();
    for (std::uint32_t i = first_; i < graph_.nodes.size(); ++i) join_by_edges(*graph_.nodes[i]);
    for (std::uint32_t i = first_; i < graph_.nodes.size(); ++i) join_by_resource(*graph_.nodes[i]);
    for (std::uint32_t i = first_; i < graph_.nodes.size(); ++i) join_by_request(*graph_.nodes[i]);
    all_.nodes_.resize(graph_.nodes.size());
    sequence<sequence<const node*>> groups(members_.size());
    for (std::uint32_t i = first_; i < graph_.nodes.size(); ++i) groups[root_of(i) - first_].push_back(graph_.nodes[i]);
    find_host_arithmetic(groups);
    for (std::uint32_t k = 0; k < groups.size(); ++k)
      if (!groups[k].empty()) place(members_[k], groups[k]);
    if (all_.policy_) all_.policy_->ask(*this, groups);
    tell_container();
  }

private:
  friend class policy_asker;

  // A node. If it is the root of its group, the fields describe the group.
  struct member {
    std::uint32_t parent;
    device_name wanted = {};        // the device that the group requests
    const node* asker = nullptr;    // the node that requests it
    device_name wanted_state = {};  // requested by nodes that create a reference or a handle
    const node* anchor = nullptr;   // a node of an earlier call that shares the group's device
    bool is_bound = false;          // true: it shares state with the anchor; false: it only requests the same device
  };

  std::uint32_t root_of(std::uint32_t id) {
    while (member_of(id).parent != id) id = member_of(id).parent = member_of(member_of(id).parent).parent;
    return id;
  }
  member& member_of(std::uint32_t id) { return members_[id - first_]; }
  member& group_of(const node& n) { return member_of(root_of(n.id)); }

  void fail(const node& n, error why) { all_.failures_.emplace(n.id, std::move(why)); }

  void read_requests() {
    members_.resize(graph_.nodes.size() - first_);
    for (std::uint32_t i = first_; i < graph_.nodes.size(); ++i) {
      member& m = member_of(i);
      m.parent = i;
      const node& n = *graph_.nodes[i];
      for (const std::string_view name : n.colocated_with)
        if (!graph_.by_name.contains(name))
          fail(n, invalid_argument({"'", n.name, "' asks to be with '", name, "', which the graph does not have"})
                      .at(n.name, n.op->name(), n.where));
      if (!n.device.empty()) read_constraint(n, m);
      stay_with_state(n, m);
    }
  }
  void read_constraint(const node& n, member& m) {
    const auto wanted = all_.wanted_by(site_of(n));
    if (!wanted) return fail(n, wanted.error());
    if (!all_.exists(*wanted)) return fail(n, all_.nothing_for(site_of(n), *wanted));  // only this node fails
    m.wanted = *wanted;
    m.asker = &n;
    if (makes_state(n)) m.wanted_state = m.wanted;
  }
  // If a session of the container has placed the resource before, its nodes use the same device.
  void stay_with_state(const node& n, member& m) {
    const auto [section, name] = resource_of(n);
    if (name.empty() || !all_.state_) return;
    const container::placing at = all_.state_->placed(section, name);
    if (at.device.empty()) return;
    const std::optional<device_name> device = device_called(at.device);
    if (!device) return;  // this session does not have it
    if (!all_.is_soft_ && makes_state(n) && !allows(m.wanted, *device))
      return fail(n, invalid_argument({"'", n.name, "' asks for ", to_string(m.wanted), ", but its resource stands on ",
                                       at.device, ", where a session of its container has placed it for ", at.by})
                         .at(n.name, n.op->name(), n.where));
    m.wanted = m.wanted_state = *device;
    m.asker = &n;
  }

  std::optional<device_name> device_called(std::string_view name) const {
    for (std::size_t d = 0; d < all_.size(); ++d)
      if (to_string(all_.name(d)) == name) return all_.name(d);
    return {};
  }
  void tell_container() const {
    if (!all_.state_) return;
    for (std::uint32_t i = first_; i < graph_.nodes.size(); ++i) {
      const node& n = *graph_.nodes[i];
      const std::uint32_t place = place_of(n);
      const auto [section, name] = resource_of(n);
      if (!name.empty() && place != placement::nowhere)
        all_.state_->keep_placed(section, name, {to_string(all_.name(place)), named(n)});
    }
  }

  // Joins a node with the sources of references, handles, and outputs that are valid only on their own device. Back edges of loops
  // lead to nodes that were created before their source.
  void join_by_edges(const node& n) {
    for (std::uint32_t k = 0; k < n.inputs.size(); ++k) {
      const edge& e = n.inputs[k];
      if (!e.from) continue;
      const output_info& o = e.from->outputs[e.port];
      if (o.type == dtype::resource || (o.is_reference && n.input_argument(k).is_reference)) join_state(*e.from, n);
      if (const node* const maker = stays_with(e)) join_state(*maker, n);
    }
  }
  // Returns the node that created an output which is valid only on its device, also if identities pass it on. Returns null for
  // other edges.
  static const node* stays_with(edge e) {
    while (!e.from->op->outputs_stay) {
      const bool hands_on = e.from->op->passes_value && e.from->op->control == control_flow::none;
      if (!hands_on || e.port >= e.from->inputs.size() || !e.from->inputs[e.port].from) return nullptr;
      e = e.from->inputs[e.port];
    }
    return e.from;
  }
  // Joins nodes that name the same variable or another resource, and a resource with the node of its name.
  void join_by_resource(const node& n) {
    const auto [section, name] = resource_of(n);
    if (!name.empty()) join_by_name(section + '\n' + name, n);
    if (const std::string in_run = named_in_run(n); !in_run.empty()) join_by_name("\n\n" + in_run, n);
  }
  void join_by_name(std::string known_as, const node& n) {
    const auto [first, is_new] = all_.resources_.emplace(std::move(known_as), n.id);
    if (!is_new) join_state(*graph_.nodes[first->second], n);
  }
  void join_state(const node& maker, const node& n) {
    if (maker.id < first_) return anchor(maker, n, true);
    member& a = group_of(maker);
    member& b = group_of(n);
    if (&a == &b || !stand_together(n, a.anchor, b.anchor)) return;
    auto both = merge(a.wanted, b.wanted);
    if (!both) {
      if (!merge(a.wanted, b.wanted_state)) return disagree(n, b, maker, a);
      both = a.wanted;
      b.asker = nullptr;
    }
    unite(a, b, *both);
  }
  void join_by_request(const node& n) {
    for (const std::string_view name : n.colocated_with) {
      const auto found = graph_.by_name.find(name);
      if (found == graph_.by_name.end() || found->second == &n) continue;
      const node& with = *found->second;
      if (with.id < first_) {
        anchor(with, n, false);
        continue;
      }
      member& a = group_of(with);
      member& b = group_of(n);
      if (&a == &b || !stand_together(n, a.anchor, b.anchor)) continue;
      const auto both = merge(a.wanted, b.wanted);
      if (both) unite(a, b, *both);
      else disagree(n, b, with, a);
    }
  }
  // Joins the group of `b` to that of `a`.
  void unite(member& a, member& b, const device_name& wanted) {
    a.wanted = wanted;
    if (!a.asker) a.asker = b.asker;
    if (const auto state = merge(a.wanted_state, b.wanted_state)) a.wanted_state = *state;
    b.parent = a.parent;
    if (!a.anchor) a.anchor = b.anchor;
    a.is_bound = a.is_bound || b.is_bound;
  }
  void anchor(const node& with, const node& n, bool shares_state) {
    member& m = group_of(n);
    if (!stand_together(n, m.anchor, &with)) return;
    if (!m.anchor) m.anchor = &with;
    m.is_bound = m.is_bound || shares_state;
  }
  std::uint32_t place_of(const node& earlier) const { return all_.nodes_[earlier.id].place; }
  // Returns whether two nodes of earlier calls, if there are two, are on one device. If not, `n` fails, since it would have to join
  // both.
  bool stand_together(const node& n, const node* a, const node* b) {
    if (!a || !b || place_of(*a) == place_of(*b)) return true;
    for (const node* x : {a, b})
      if (place_of(*x) == placement::nowhere) {
        fail(n, all_.failures_.at(x->id));
        return false;
      }
    fail(n, invalid_argument({"'", n.name, "' belongs to ", named(*a), " on ", to_string(all_.name(place_of(*a))), " and to ",
                              named(*b), " on ", to_string(all_.name(place_of(*b))), ", where earlier runs have placed them"})
                .at(n.name, n.op->name(), n.where));
    return false;
  }

  void disagree(const node& n, member& of_n, const node& with, member& of_with) {
    if (all_.is_soft_) return unite(of_with, of_n, of_with.wanted);
    const node& one = of_n.asker ? *of_n.asker : n;
    const node& other = of_with.asker ? *of_with.asker : with;
    fail(n, invalid_argument({"'", n.name, "' stands on the device of ", named(with), ", but ", named(one), " asks for ",
                              to_string(of_n.wanted), " and ", named(other), " for ", to_string(of_with.wanted)})
                .at(n.name, n.op->name(), n.where));
  }
  // The nodes that stay on the host although another device has a higher priority.
  void find_host_arithmetic(const sequence<sequence<const node*>>& groups) {
    if (!all_.prefers_device()) return;
    sequence<const node*> all;
    for (std::uint32_t i = first_; i < graph_.nodes.size(); ++i) all.push_back(graph_.nodes[i]);
    on_host_ = host_arithmetic(all, [&](const node& n) {
      const std::uint32_t k = n.id - first_;
      return groups[k].size() == 1 && !members_[k].anchor && members_[k].wanted == device_name{} &&
             all_.runs(placement::host, *n.op);
    });
  }
  void place(const member& m, std::span<const node* const> group) {
    placement::placed found;
    // A soft placement ignores a request for a device that cannot run the group.
    const auto anchor_runs = [&](const node* n) { return all_.runs(place_of(*m.anchor), *n->op); };
    const bool ignores_anchor = m.anchor && all_.is_soft_ && !m.is_bound && place_of(*m.anchor) != placement::nowhere &&
                                !std::ranges::all_of(group, anchor_runs);
    if (m.anchor && !ignores_anchor) {
      const std::uint32_t place = place_of(*m.anchor);
      if (place == placement::nowhere) return fail_all(group, all_.failures_.at(m.anchor->id));
      for (const node* n : group) {
        if (!all_.runs(place, *n->op)) fail(*n, all_.nothing_for(site_of(*n), all_.name(place)));
        if (n->device.empty() || all_.is_soft_ || !(makes_state(*n) || !n->colocated_with.empty())) continue;
        if (const auto wanted = all_.wanted_by(site_of(*n)); wanted && !allows(*wanted, all_.name(place)))
          fail(*n, invalid_argument({"'", n->name, "' stands on the device of ", named(*m.anchor),
                                     ", which an earlier run has placed on ", to_string(all_.name(place)), ", but asks for ",
                                     to_string(*wanted)})
                       .at(n->name, n->op->name(), n->where));
      }
      found = {place, placement_reason::grouped};
    } else if (on_host_.contains(*group[0])) {
      found = {placement::host, placement_reason::host_reads};
    } else {
      sequence<const op_table*> ops;
      for (const node* n : group) ops.push_back(n->op);
      found = all_.first_for(m.wanted, ops);
      if (found.place == placement::nowhere && all_.is_soft_ && all_.is_of_this_task(m.wanted)) found = all_.first_for({}, ops);
      if (found.place == placement::nowhere) return fail_all(group, no_place(m, group));
    }
    for (const node* n : group) {
      auto& result = all_.nodes_[n->id];
      result = found;
      if (all_.failures_.contains(n->id)) result.place = placement::nowhere;
      if (found.why == placement_reason::asked && n != m.asker && n->device.empty()) result.why = placement_reason::grouped;
    }
  }
  void fail_all(std::span<const node* const> group, const error& why) {
    for (const node* n : group) fail(*n, why);
  }
  // Returns an error that names the first allowed device, and the first node of the group that has no kernel there.
  error no_place(const member& m, std::span<const node* const> group) const {
    const node& asker = m.asker ? *m.asker : *group[0];
    for (std::size_t d = 0; d < all_.size(); ++d) {
      if (!allows(m.wanted, all_.name(d))) continue;
      for (const node* n : group)
        if (!all_.runs(d, *n->op))
          return all_.nothing_for(site_of(*n), m.wanted == device_name{} && group.size() > 1 ? all_.name(d) : m.wanted);
    }
    return all_.nothing_for(site_of(asker), m.wanted);
  }

  placement& all_;
  const graph_state& graph_;
  std::uint32_t first_;  // the first of the nodes to place now
  sequence<member> members_;
  host_arithmetic on_host_;
};

}  // namespace flowgraph::detail
