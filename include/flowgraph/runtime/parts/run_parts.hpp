#pragma once
// A run in parts, as an executor sees the others: what it owes them when something happens to it.

#include <flowgraph/core/error.hpp>
#include <flowgraph/op/kernel.hpp>

#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class executor;
struct iteration;

// Where a record of one part waits.
struct waiting_record {
  executor* by = nullptr;
  std::uint32_t record = 0;
  iteration* at = nullptr;
};

// The content of a transfer over an edge: a value, or the signal that the value is dead.
struct rendezvous_parcel {
  bool dead = false;
  edge_value value;
};

class run_parts {
public:
  // An executor has failed: the first to say so gives the run its error, and all end.
  virtual void fail(const error& why) = 0;
  // There is something to drive. From any thread.
  virtual void wake() = 0;
  // An executor asks, while it drives, for what has happened elsewhere.
  virtual void bring_news(executor& to) = 0;

  virtual void send(std::uint32_t edge, const iteration& in, rendezvous_parcel&& given) = 0;
  // True: it was there. Else the executor is told when it comes.
  virtual bool receive(std::uint32_t edge, const iteration& in, const waiting_record& where, rendezvous_parcel& came) = 0;

protected:
  ~run_parts() = default;
};

}  // namespace detail

}
}  // namespace flowgraph
