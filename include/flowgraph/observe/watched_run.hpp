#pragma once
// Observes a run call by call, with the inputs and outputs of each node. The tools in this folder that find faults use watched
// runs.
//
//     fg::watched_run watch([&](const fg::watched_call& call) { ... });
//     s.run(fg::fetch(loss), {{x, images}}, {.measure = &watch});
//
// A watched run executes node by node on one thread, loops iteration by iteration, and keeps all tensors until it ends. The
// following are not observed: Switch, Merge and the other control-flow nodes; asynchronous kernels (queues); nodes that a pass
// has removed (session_options::passes switches passes off); and runs of sessions with a cut plan (session_options::cut).

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/tensor.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/runtime/options.hpp>

#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// One call of a node. Its references are valid only during the call of the listener; tensors may be copied.
struct watched_call {
  // Constants come first, in no particular order, then feeds, then nodes in the order of execution.
  enum class form : std::uint8_t { constant, feed, op };

  form kind;            // the kind of call
  const call_site* at;  // the node
  // Iterations of the enclosing loops: "3 of while", "0 of inner in 3 of while"; empty outside of loops.
  std::string iteration;
  // A variable appears with its value after the call. An empty tensor means a handle, or a value that no longer exists. `inputs`
  // has one element per input of the node, and is empty for a constant or a feed.
  std::span<const any_tensor> inputs;
  std::span<const any_tensor> outputs;  // the outputs that the call computed
  std::uint32_t first_port;             // the port of outputs[0]
};

// An observer that calls a listener for each call of a node. If runs on several threads share the observer, they call the
// listener one at a time.
class watched_run : public run_observer {
public:
  using listener = unique_function<void(const watched_call&)>;

  explicit watched_run(listener heard) : heard_(std::move(heard)) {}

private:
  error drive(detail::executor& e) final;
  // Called when a run has ended, with or without an error.
  virtual void ended() {}

  threading::mutex mutex_;
  listener heard_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/watched_run.hpp>
#endif
