#pragma once
// The place where the parts of a run meet: a sent value waits for its receiver, or the receiver waits for the value.
//
// A value is identified by the number of its edge and by its iteration. All parts identify an iteration in the same way: by the key
// of its frame and its number.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/runtime/queue/frame.hpp>
#include <flowgraph/runtime/parts/run_parts.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// An iteration, for all parts of a run; the root is all zeros.
struct iteration_name {
  std::uint64_t frame = 0, index = 0;
  bool operator==(const iteration_name&) const = default;

  static iteration_name of(const iteration& i) { return i.frame ? iteration_name{i.frame->key, i.index} : iteration_name{}; }
};

// Any thread may send and receive. Each value goes to one receiver.
class rendezvous {
public:
  explicit rendezvous(std::size_t edges) : outside_(edges) {}

  // Sends a value. Returns the receiver that waits for it, to which the caller must give the value. If no receiver waits yet, `by`
  // is null, and the value is kept.
  waiting_record send(std::uint32_t edge, const iteration_name& in, rendezvous_parcel& given);
  // Receives a value. If the value has been sent, returns true; otherwise returns false, and `where` waits for the value.
  bool receive(std::uint32_t edge, const iteration_name& in, const waiting_record& where, rendezvous_parcel& taken);

  bool anyone_waits() const;
  // Returns an edge on which a receiver still waits, or no_index if no receiver waits.
  std::uint32_t waiting_edge() const;
  // Ends a run: discards all values that were not received, and all receivers that wait.
  void clear();

private:
  // A receiver that waits for a value, or a value that waits for its receiver.
  struct meeting {
    bool is_open() const { return waits.by || is_sent; }

    waiting_record waits;
    bool is_sent = false;
    rendezvous_parcel sent;
    std::uint32_t edge = 0;
    iteration_name in;
  };
  static constexpr std::size_t most_places = 2048;  // largest size of `inside_` that is kept for the next run
  meeting& at(std::uint32_t edge, const iteration_name& in);
  void close(meeting& m);
  std::size_t place_of(std::uint32_t edge, const iteration_name& in) const;
  void grow();

  mutable threading::mutex mutex_;
  sequence<meeting> outside_;  // meetings outside of loops, by edge: most edges carry one value per run
  // Meetings in loops, as a hash table: each is at the position that its edge and iteration determine, or at the next position that
  // was free. The number of positions is a power of two, and at least half of them are free.
  sequence<meeting> inside_;
  std::size_t open_ = 0;                // number of open meetings in `inside_`
  std::size_t waiting_ = 0, kept_ = 0;  // numbers of waiting receivers and of kept values, in total
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/rendezvous.hpp>
#endif
