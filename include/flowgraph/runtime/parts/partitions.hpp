#pragma once
// The parts of a plan that is cut between devices, and the values and signals that they send to each other.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/cut.hpp>
#include <flowgraph/runtime/parts/exchange.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <deque>
#include <map>
#include <unordered_map>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A transfer from one part to another, once per run or, in a loop, once per iteration.
struct exchange_edge {
  enum class form : std::uint8_t {
    value,      // an output, for all its readers there
    read,       // the value of a variable, for one reader
    control,    // a signal that a node has run
    order,      // such a signal without an edge of the graph, so that a variable is not read too early
    condition,  // the condition of a loop, for a part that follows its iterations without computing the condition
  };
  form kind = form::value;
  const call_site* source = nullptr;  // in the whole plan
  std::uint32_t port = 0;             // no_index for a control edge or an order
  std::uint32_t from = 0, to = 0;     // indices of devices
  std::uint32_t frame = 0;            // frame of the whole plan
  bool serves_fetch_alone = false;    // true: no node reads it there
  bool has_own_way = true;            // false: a control edge that is sent together with a value of the same node
};

struct plan_part {
  std::uint32_t place = 0;
  std::shared_ptr<const plan> what;
  sequence<std::uint32_t> edges;     // for each record that sends or receives, its edge
  sequence<std::uint32_t> feeds;     // for each feed of the part, its index in the whole plan
  sequence<std::uint32_t> ordinals;  // for each random node of the part, its index in the whole plan
};

// A part before it is laid out.
struct drafted_part {
  std::uint32_t place = 0;
  draft nodes;
  std::unordered_map<const draft_node*, draft_node*> of;  // for each node of the whole draft, the node of the part
  std::map<std::uint32_t, draft_node*> follows;  // by frame: the node that runs once per iteration of another part's loop
  sequence<std::pair<draft_node*, std::uint32_t>> exchanges;  // nodes that send or receive, with their edges
  sequence<std::uint32_t> feeds;                              // for each feed of the part, its index in the whole plan
};

class partitions final : public plan_parts {
public:
  partitions() : plan_parts(&make_runner) {}
  static std::shared_ptr<plan_runner> make_runner(const plan_parts& of, std::shared_ptr<const plan> whole,
                                                  const run_services& services);
  FLOWGRAPH_INLINE parts_report report() const override;

  struct fetched {
    std::uint32_t part = 0, index = 0;  // no_index for a constant of the whole plan
  };
  sequence<plan_part> parts;
  sequence<exchange_edge> edges;  // edges that are sent separately, by number
  sequence<exchange_edge> rides;
  sequence<std::pair<std::uint32_t, std::uint32_t>> loops;  // a frame of the whole plan, and a device whose part follows it
  sequence<fetched> fetches;
};

// A draft in parts, for code that lays out the parts in other processes. `all` has no parts.
struct cut_draft {
  std::shared_ptr<const partitions> all;
  std::deque<drafted_part> parts;
};
// Cuts a draft by device. The draft must outlive the result. `whole`: the plan of the whole draft, which contains
// the loop frame of each node.
result<cut_draft> cut_by_device(const graph_state& g, const plan_request& request, const draft& d, const plan& whole);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/partitioner.hpp>
#endif
