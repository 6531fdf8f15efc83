#pragma once
// The interface of a run in parts for its executors: each executor uses it to notify the others and to exchange values with them.

#include <flowgraph/core/error.hpp>
#include <flowgraph/op/kernel.hpp>

#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class executor;
struct iteration;

// The receiver of a value: a record of one part, in one iteration.
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
  // Called if an executor has failed. The first call sets the error of the run, and all executors end.
  virtual void fail(const error& why) = 0;
  // Called when there is work to drive. Any thread may call it.
  virtual void wake() = 0;
  // Called by an executor that is driven, to get news of the other parts.
  virtual void bring_news(executor& to) = 0;

  virtual void send(std::uint32_t edge, const iteration& in, rendezvous_parcel&& given) = 0;
  // Receives a value. If the value has been sent, returns true; otherwise returns false, and the executor gets the value when it is
  // sent.
  virtual bool receive(std::uint32_t edge, const iteration& in, const waiting_record& where, rendezvous_parcel& came) = 0;

protected:
  ~run_parts() = default;
};

}  // namespace flowgraph::detail
