#pragma once
// Determines whether threads can speed up a loop: whether it has kernels that are worth a thread and do not wait for each other.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Examines the units of a loop, which are records or inner loops, in an order in which they may run.
class loop_overlap {
public:
  struct successor {
    std::uint32_t unit;
    bool comes_back;  // in the next iteration
  };
  using successors = std::map<std::uint32_t, sequence<successor>>;

  loop_overlap(const plan& p, const sequence<std::uint32_t>& units, const successors& after)
      : plan_(p), units_(units), successors_(after) {}

  // Returns whether two kernels that are each worth a thread may run at the same time, in one iteration or in two overlapping ones.
  bool is_possible() const {
    sequence<std::uint32_t> heavy;
    for (const std::uint32_t unit : units_)
      if (is_heavy(unit)) heavy.push_back(unit);
    return !is_chain(heavy) || (!heavy.empty() && !is_before(heavy.back(), heavy.front(), true));
  }
  // Returns whether two inner loops may run at the same time, if the units run once.
  bool is_possible_for_loops() const {
    sequence<std::uint32_t> heavy;
    for (const std::uint32_t unit : units_)
      if (plan_.records[unit].control == control_flow::enter && is_heavy(unit)) heavy.push_back(unit);
    return !is_chain(heavy);
  }
  bool is_heavy() const {
    return std::any_of(units_.begin(), units_.end(), [&](std::uint32_t unit) { return is_heavy(unit); });
  }

private:
  bool is_heavy(std::uint32_t unit) const {
    const plan_record& r = plan_.records[unit];
    if (r.control == control_flow::enter) return plan_.loop(plan_.frames[r.output_frame].loop).is_heavy;
    if (r.control != control_flow::none) return false;
    if (r.entry->facts.expensive) return true;  // the sizes of its inputs are known only in the run
    const auto large = static_cast<std::int64_t>(worth_a_thread(*r.entry));
    return std::any_of(r.site->outputs.begin(), r.site->outputs.end(), [&](const output_info& o) {
      return o.shape.is_known() && is_plain(o.type) && o.shape.size() * static_cast<std::int64_t>(size_of(o.type)) >= large;
    });
  }
  // Returns whether each unit waits for the one before it.
  bool is_chain(const sequence<std::uint32_t>& units) const {
    for (std::size_t i = 1; i < units.size(); ++i)
      if (!is_before(units[i - 1], units[i], false)) return false;
    return true;
  }
  // Returns whether `second` waits for `first` of the same iteration, or of the iteration before.
  bool is_before(std::uint32_t first, std::uint32_t second, bool next_iteration) const {
    sequence<std::pair<std::uint32_t, bool>> stack{{first, false}};
    std::set<std::pair<std::uint32_t, bool>> seen;
    while (!stack.empty()) {
      const auto [unit, came_back] = stack.back();
      stack.pop_back();
      const auto found = successors_.find(unit);
      if (found == successors_.end()) continue;
      for (const successor& s : found->second) {
        const bool back = came_back || s.comes_back;
        if ((s.comes_back && (came_back || !next_iteration)) || !seen.insert({s.unit, back}).second) continue;
        if (s.unit == second && back == next_iteration) return true;
        stack.push_back({s.unit, back});
      }
    }
    return false;
  }

  const plan& plan_;
  const sequence<std::uint32_t>& units_;
  const successors& successors_;
};

}  // namespace flowgraph::detail
