#pragma once
// Transfers from one device of a session to another. The draft gets a separate node for each tensor and each device that reads it,
// regardless of the number of readers. This node copies the value into the memory of the device that reads it. In a branch that is
// not taken, it is dead like any other node. In a loop, it runs once per iteration. A schedule treats it like any other kernel.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/runtime/placement.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The source and the destination of a transfer, if at least one of them is memory that the host cannot access.
struct crossing {
  far_memory* from = nullptr;
  far_memory* to = nullptr;
};

// The memory in which a transferred value is needed.
enum class arrival : std::uint8_t {
  on_device,  // in the memory of the device
  on_host,    // on the host, for a device whose memory the host cannot access
  unread,     // any memory: no element is read
};

// Returns whether an input of a node is on the host, whatever device the node is on: if only the host reads the input, or if other
// memory cannot contain it.
inline bool is_host_input(const draft_node& n, std::size_t k) {
  const draft_edge& from = n.inputs[k];
  return !is_plain(from.from->outputs[from.port].type) || n.table->control == control_flow::loop_cond ||
         (n.table->control == control_flow::switch_ && k == 1) || input_argument(n, k).is_on_host;
}

// The same function as for nodes of a graph (runtime/placement.hpp).
inline std::pair<std::string, std::string> resource_of(const draft_node& n) {
  return resource_of(*n.table, n.attributes, n.name, makes_state(n));
}

// Assigns a device to each node of a draft, and adds transfers between the devices. Fails if a node cannot be placed.
class transfers {
public:
  // `is_cut`: every device will have its own plan, so values that the executor itself reads are transferred, too.
  transfers(draft& d, const placement& placing, bool is_cut) : draft_(d), placing_(placing), is_cut_(is_cut) {}
  // `shares_reads`: readers of a variable on one device that must see the same value share a transfer.
  error add(bool shares_reads = false) {
    for (draft_node& n : draft_) {
      if (n.kind == draft_node::form::feed) continue;
      const auto place = placing_.place_of(site_of(n), *draft_.graph);
      if (!place) return place.error();
      n.device_place = n.kind == draft_node::form::op ? *place : placement::host;
    }
    return placing_.size() > 1 ? placing_.rules().cross(*this, shares_reads) : error();
  }
  // Used by passes over placed drafts. `copy` adds a copy of a value in the memory of a device, and `repeat` adds a node that
  // repeats the work of another node. The new node is placed behind `behind`, and also waits for the nodes in `after`.
  draft_node& copy(draft_node& behind, const draft_edge& from, std::uint32_t place, std::span<draft_node* const> after);
  draft_node& repeat(draft_node& behind, const draft_node& n, std::span<draft_node* const> after);

private:
  friend class device_crossings;
  // The destination of a value: a device, and the memory there.
  struct landing {
    std::uint32_t place;
    arrival as = arrival::on_device;
    auto operator<=>(const landing&) const = default;
  };
  std::uint32_t place_of(const draft_edge& from) const;
  draft_node& add_transfer(draft_node& behind, const draft_edge& from, landing at, std::size_t controls);

  draft& draft_;
  const placement& placing_;
  bool is_cut_;
};

// The transfers between the devices of a draft. It is a separate class, so that a program without devices does not contain it.
class device_crossings {
public:
  device_crossings(transfers& result, bool shares_reads)
      : result_(result), draft_(result.draft_), placing_(result.placing_), is_cut_(result.is_cut_), shares_reads_(shares_reads) {}
  // Precondition: every node has its device. Fails if a handle or a reference would be transferred.
  error add();

private:
  using landing = transfers::landing;

  void keep_on_host();
  void settle_loops();
  std::optional<landing> landing_of(const draft_node& n, std::size_t k) const;
  bool stays(const draft_node& n, std::size_t k) const;
  error check_inputs_of(const draft_node& n) const;
  void add_inputs_of(draft_node& n);
  void add_fetches();
  draft_node& shared_transfer(const draft_edge& from, landing at);
  draft_node& transfer_of_read(draft_node& reader, std::size_t input, landing at);
  draft_node& new_transfer_of_read(draft_node& reader, std::size_t input, landing at);
  void find_ambiguous_variables();
  void follow(const draft_node& n);
  bool waits_for_the_run_alone(const draft_node& n) const;

  struct arrived {
    std::uint32_t port;
    landing at;
    draft_node* transfer;
  };
  // A read that others may share, until the variable is written.
  struct shared_read {
    std::size_t writes;
    draft_node* transfer;
  };

  transfers& result_;
  draft& draft_;
  const placement& placing_;
  bool is_cut_, shares_reads_;
  std::unordered_map<const draft_node*, sequence<arrived>> arrived_;  // transfers of each node's outputs
  std::unordered_set<const draft_node*> delayed_;              // nodes that may not run, or for which another run may be waited
  std::unordered_set<const draft_node*> ambiguous_;            // variables that other nodes name, too
  std::unordered_map<const draft_node*, std::size_t> writes_;  // for each variable, number of writes by the nodes visited so far
  std::map<std::tuple<const draft_node*, std::uint32_t, landing>, shared_read> reads_;  // by node, port and destination
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/planning/impl/transfers.hpp>
#endif
