#pragma once
// The parts of a plan that is cut between devices, and what they send each other.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/cut.hpp>
#include <flowgraph/runtime/parts/exchange.hpp>
#include <flowgraph/runtime/plan.hpp>

#include <deque>
#include <map>
#include <unordered_map>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// A transfer from one part to another, once per run or, in a loop, once per iteration.
struct exchange_edge {
  enum class form : std::uint8_t {
    value,      // an output, whoever reads it there
    read,       // a variable as one reader finds it
    control,    // that a node has run
    order,      // the same, where the graph has no such edge: a variable is read no earlier
    condition,  // of a loop, for a part that has iterations of it without asking for its condition
  };
  form is = form::value;
  const call_site* source = nullptr;  // of the whole plan
  std::uint32_t port = 0;             // of a control edge or an order: no_index
  std::uint32_t from = 0, to = 0;     // places of devices
  std::uint32_t frame = 0;            // of the whole plan
  bool serves_fetch_alone = false;    // no node reads it there
  bool has_own_way = true;            // false: a value of the same node goes the same way, and this control edge rides on it
};

struct plan_part {
  std::uint32_t place = 0;
  std::shared_ptr<const plan> what;
  sequence<std::uint32_t> edges;     // of each record that sends or receives: which edge
  sequence<std::uint32_t> feeds;     // of each feed of the part: which one of the whole it is
  sequence<std::uint32_t> ordinals;  // likewise of its random nodes
};

// A part before it is laid out.
struct drafted_part {
  std::uint32_t place = 0;
  draft nodes;
  std::unordered_map<const draft_node*, draft_node*> of;      // of those of the whole draft
  std::map<std::uint32_t, draft_node*> follows;               // by frame: what runs once per iteration of a loop of another part
  sequence<std::pair<draft_node*, std::uint32_t>> exchanges;  // with their edges
  sequence<std::uint32_t> feeds;                              // of each feed of the part: which one of the whole it is
};

class partitions final : public plan_parts {
public:
  partitions() : plan_parts(&make_runner) {}
  static std::shared_ptr<plan_runner> make_runner(const plan_parts& of, std::shared_ptr<const plan> whole,
                                                  const run_services& services);
  FLOWGRAPH_INLINE parts_report report() const override;

  struct fetched {
    std::uint32_t part = 0, index = 0;  // of a constant of the whole plan: no_index
  };
  sequence<plan_part> parts;
  sequence<exchange_edge> edges;  // those that have a way of their own, by their number
  sequence<exchange_edge> rides;
  sequence<std::pair<std::uint32_t, std::uint32_t>> loops;  // a frame of the whole plan, and a place that follows it
  sequence<fetched> fetches;
};

// A draft in parts, for those who lay them out elsewhere. `all` has no parts.
struct cut_draft {
  std::shared_ptr<const partitions> all;
  std::deque<drafted_part> parts;
};
// The draft outlives the result. `whole`: the plan of the draft, with the frame of each record.
result<cut_draft> cut_by_device(const graph_state& g, const plan_request& request, const draft& d, const plan& whole);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/partitioner.hpp>
#endif
