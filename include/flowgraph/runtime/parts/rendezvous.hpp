#pragma once
// Where the parts of a run meet: a value that was sent waits for who receives it, or the other way round.
//
// What meets is named by the number of the edge and by the iteration, which every part names alike: by its frame's key and its number.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/runtime/frame.hpp>
#include <flowgraph/runtime/parts/run_parts.hpp>

#include <mutex>
#include <unordered_map>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// An iteration, for all parts of a run; the root is all zeros.
struct iteration_name {
  std::uint64_t frame = 0, index = 0;
  bool operator==(const iteration_name&) const = default;

  static iteration_name of(const iteration& i) { return i.frame ? iteration_name{i.frame->key, i.index} : iteration_name{}; }
};

// Any thread may send and receive. A value goes to one receiver.
class rendezvous {
public:
  explicit rendezvous(std::size_t edges) : edges_(edges) {}

  // Who waits for it and is to be given the value; `by` is null where nobody waits yet, and the value is kept.
  waiting_record send(std::uint32_t edge, const iteration_name& in, rendezvous_parcel& given);
  // True: it was there. Else `where` waits for it.
  bool receive(std::uint32_t edge, const iteration_name& in, const waiting_record& where, rendezvous_parcel& taken);

  bool anyone_waits() const;
  // An edge over which somebody still waits; no_index: there is none.
  std::uint32_t waiting_edge() const;
  // Forgets all that was sent and not received, and all who wait.
  void clear();

private:
  struct meeting {
    waiting_record waits;
    bool is_sent = false;
    rendezvous_parcel sent;
  };
  struct hash {
    std::size_t operator()(const iteration_name& n) const noexcept {
      return static_cast<std::size_t>(n.frame + n.index * 0x9e3779b97f4a7c15u);
    }
  };
  using meetings = std::unordered_map<iteration_name, meeting, hash>;
  // Most edges lie outside of loops and carry one value per run.
  struct edge_meetings {
    meeting root;
    meetings inside;
  };
  static constexpr std::size_t most_spare = 1024;
  meeting& at(edge_meetings& e, const iteration_name& in);
  void close(edge_meetings& e, const iteration_name& in);

  mutable std::mutex mutex_;
  sequence<edge_meetings> edges_;
  sequence<meetings::node_type> spare_;  // of meetings that are over: the next ones allocate nothing
  std::size_t waiting_ = 0, kept_ = 0;   // meetings of either kind
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/rendezvous.hpp>
#endif
