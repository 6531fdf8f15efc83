#pragma once
// A run that is looked at, call by call: what each node was given and what it made. The tools of this folder that find faults stand on it.
//
//     fg::watched_run watch([&](const fg::watched_call& call) { ... });
//     s.run(fg::fetch(loss), {{x, images}}, {.measure = &watch});
//
// A watched run goes node by node on one thread, loops by iterations, and keeps all tensors until it ends. Not heard of: Switch, Merge and the
// other nodes of control flow, asynchronous kernels (queues), nodes that a pass has taken away (session_options::passes switches passes
// off), and what sessions with a cut plan (session_options::cut) run.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/tensor.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/runtime/options.hpp>

#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// One call of a node. Refers to what lives as long as the call of the listener; tensors may be copied.
struct watched_call {
  // Constants come first, in no order of time, then feeds, then nodes as they run.
  enum class form : std::uint8_t { constant, feed, op };

  form is;
  const call_site* at;
  std::string iteration;  // of the loops around it: "3 of while", "0 of inner in 3 of while"; empty outside of loops
  // Variables have the value after the call. Empty: a handle, or a value that is gone. Of inputs there are as many as the node has; of a
  // constant or a feed there are none.
  std::span<const any_tensor> inputs;
  std::span<const any_tensor> outputs;
  std::uint32_t first_port;  // of outputs[0]
};

// Tells a listener of each call of the runs that name it. Runs of several threads are heard one call at a time.
class watched_run : public run_observer {
public:
  using listener = unique_function<void(const watched_call&)>;

  explicit watched_run(listener heard) : heard_(std::move(heard)) {}

private:
  error drive(detail::executor& e) final;
  // Called when a run has ended, with an error or without.
  virtual void ended() {}

  threading::mutex mutex_;
  listener heard_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/watched_run.hpp>
#endif
