#pragma once
// Whether threads have something to gain from a loop: kernels that are worth a thread and do not wait for each other.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/runtime/plan.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Of the units of a loop, records or loops inside, in the order in which they may run.
class loop_overlap {
public:
  struct successor {
    std::uint32_t unit;
    bool comes_back;  // in the next iteration
  };
  using successors = std::map<std::uint32_t, sequence<successor>>;

  loop_overlap(const plan& p, const sequence<std::uint32_t>& units, const successors& after)
      : plan_(p), units_(units), successors_(after) {}

  // May two kernels that are worth a thread each run at the same time, of one iteration or of two that overlap?
  bool is_possible() const {
    sequence<std::uint32_t> heavy;
    for (const std::uint32_t unit : units_)
      if (is_heavy(unit)) heavy.push_back(unit);
    return !is_chain(heavy) || (!heavy.empty() && !is_before(heavy.back(), heavy.front(), true));
  }
  // May two loops inside? Of units that run once.
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
    if (r.entry->facts.expensive) return true;  // how large its inputs are, only the run knows
    const auto large = static_cast<std::int64_t>(worth_a_thread(*r.entry));
    return std::any_of(r.site->outputs.begin(), r.site->outputs.end(), [&](const output_info& o) {
      return o.shape.is_known() && is_plain(o.type) && o.shape.size() * static_cast<std::int64_t>(size_of(o.type)) >= large;
    });
  }
  // Does each wait for the one before?
  bool is_chain(const sequence<std::uint32_t>& units) const {
    for (std::size_t i = 1; i < units.size(); ++i)
      if (!is_before(units[i - 1], units[i], false)) return false;
    return true;
  }
  // Does `second` wait for `first`: of the same iteration, or of the one before?
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

}  // namespace detail

}
}  // namespace flowgraph
