#pragma once
// The place where the parts of a run meet: a sent value waits for its receiver, or the receiver waits for the value.
//
// A value is identified by the number of its edge and by its iteration. All parts identify an iteration in the same way: by the key
// of its frame and its number.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/runtime/frame.hpp>
#include <flowgraph/runtime/parts/run_parts.hpp>

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
  explicit rendezvous(std::size_t edges) : outside_(edges) {}

  // Who waits for it and is to be given the value; `by` is null where nobody waits yet, and the value is kept.
  waiting_record send(std::uint32_t edge, const iteration_name& in, rendezvous_parcel& given);
  // True: it was there. Else `where` waits for it.
  bool receive(std::uint32_t edge, const iteration_name& in, const waiting_record& where, rendezvous_parcel& taken);

  bool anyone_waits() const;
  // An edge over which somebody still waits; no_index: there is none.
  std::uint32_t waiting_edge() const;
  // Ends a run: forgets all that was sent and not received, and all who wait.
  void clear();

private:
  // Of a receiver and a value: one of them is there.
  struct meeting {
    bool is_open() const { return waits.by || is_sent; }

    waiting_record waits;
    bool is_sent = false;
    rendezvous_parcel sent;
    std::uint32_t edge = 0;
    iteration_name in;
  };
  static constexpr std::size_t most_places = 2048;  // of `inside_`, that are kept from one run to the next
  meeting& at(std::uint32_t edge, const iteration_name& in);
  void close(meeting& m);
  std::size_t place_of(std::uint32_t edge, const iteration_name& in) const;
  void grow();

  mutable threading::mutex mutex_;
  sequence<meeting> outside_;  // of loops, by edge: most edges carry one value per run
  // Those in loops: each is at the place that its name says, or at the next that was free. A power of two of places, of which at least half
  // are free.
  sequence<meeting> inside_;
  std::size_t open_ = 0;                // of `inside_`
  std::size_t waiting_ = 0, kept_ = 0;  // of all
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/rendezvous.hpp>
#endif
