#pragma once
// Kernel calls as plain data: node_calls of trace.hpp returns them, and event_writer::add_run writes them for TensorBoard.

#include <flowgraph/core/shape.hpp>
#include <flowgraph/core/type.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The type and the shape of a tensor that a kernel returned.
struct node_output {
  dtype type = dtype::invalid;  // element type
  flowgraph::shape shape = {};  // shape
};

// One call of a kernel. Times are in nanoseconds; all calls of a step use the same clock. In calls from a trace, times are
// nanoseconds since 1970.
struct node_call {
  std::string node = {}, op = {}, device = {};  // names of node, op and device
  std::uint32_t process = 0, thread = 0;        // `thread`: number of the thread in its process
  std::uint32_t step = 0;                       // number of the step
  std::uint64_t iteration = 0;                  // number of the iteration, in a loop
  std::int64_t ready = 0, start = 0, end = 0;   // `ready`: time at which the inputs became available; 0 if unknown
  std::uint64_t output_bytes = 0;               // size of the outputs
  std::uint64_t allocated_bytes = 0;            // memory that the call allocated from the session or its device
  // The edges that the call read: "x, w:1".
  std::string inputs = {};
  std::vector<node_output> outputs = {};  // types and shapes of the outputs
};

// Returns the RunMetadata message of a step, which TensorBoard shows with the graph. The message has one entry for each call of a
// node, so a node in a loop can have several entries.
std::string run_metadata_of(std::span<const node_call> calls);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/node_call.hpp>
#endif
