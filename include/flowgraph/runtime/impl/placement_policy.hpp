#pragma once
// Lets a policy choose devices for the groups that were found.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/impl/grouping.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class policy_asker {
public:
  policy_asker(grouping& result, placement_policy& policy) : all_(result.all_), result_(result), policy_(policy) {}

  // Groups that were placed before, or have only one possible device, are settled. Nodes that have failed are left out.
  void ask(sequence<sequence<const node*>>& groups) {
    placement_question q{.devices = all_.devices_, .names = {}, .groups = {}, .threads = all_.threads_};
    for (std::size_t d = 0; d < all_.size(); ++d) q.names.push_back(all_.name(d));
    for (std::uint32_t i = 0; i < result_.first_; ++i)
      if (const std::uint32_t at = all_.nodes_[i].place; at != placement::nowhere)
        q.groups.push_back({{result_.graph_.nodes[i]}, {at}, at});
    const std::size_t settled = q.groups.size();
    for (std::uint32_t k = 0; k < groups.size(); ++k) {
      erase_if(groups[k], [&](const node* n) { return all_.nodes_[n->id].place == placement::nowhere; });
      if (!groups[k].empty()) add_group(q, result_.members_[k], std::move(groups[k]));
    }
    policy_.choose(q);
    for (std::size_t k = settled; k < q.groups.size(); ++k) settle(q.groups[k]);
  }

private:
  void add_group(placement_question& q, const grouping::member& m, sequence<const node*> nodes) const {
    const std::uint32_t at = all_.nodes_[nodes[0]->id].place;
    sequence<std::uint32_t> allowed;
    for (std::uint32_t d = 0; d < all_.size() && !m.anchor; ++d)
      if (allows(m.wanted, all_.name(d)) && std::ranges::all_of(nodes, [&](const node* n) { return all_.runs(d, *n->op); }))
        allowed.push_back(d);
    // A soft placement may have chosen a device that the group did not request.
    if (std::ranges::find(allowed, at) == allowed.end()) allowed = {at};
    q.groups.push_back({std::move(nodes), std::move(allowed), at});
  }
  void settle(const placement_question::group& g) {
    if (g.allowed.size() < 2) {
      for (const node* n : g.nodes)
        if (auto& why = all_.nodes_[n->id].why; why == placement_reason::first) why = placement_reason::only_kernel;
    } else if (std::ranges::find(g.allowed, g.place) != g.allowed.end()) {
      for (const node* n : g.nodes) all_.nodes_[n->id] = {g.place, placement_reason::cost};
    }
  }

  placement& all_;
  grouping& result_;
  placement_policy& policy_;
};

}  // namespace detail

FLOWGRAPH_INLINE void placement_policy::ask(detail::grouping& groups_found,
                                            detail::sequence<detail::sequence<const node*>>& groups) {
  detail::policy_asker(groups_found, *this).ask(groups);
}

}  // namespace flowgraph
