#pragma once
// Calls of nodes' kernels as plain data: node_calls of trace.hpp lists those of a trace, event_writer::add_run shows them in TensorBoard.

#include <flowgraph/core/shape.hpp>
#include <flowgraph/core/type.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The type and the shape of a tensor that a kernel made.
struct node_output {
  dtype type = dtype::invalid;
  flowgraph::shape shape = {};
};

// One call of a kernel. Times are nanoseconds of one clock for all calls of a step; in a trace, since 1970.
struct node_call {
  std::string node = {}, op = {}, device = {};
  std::uint32_t process = 0, thread = 0;  // the thread as its process counts
  std::uint32_t step = 0;
  std::uint64_t iteration = 0;
  std::int64_t ready = 0, start = 0, end = 0;  // `ready`: when its inputs were there; 0, or `start`, where it is not known
  std::uint64_t output_bytes = 0;
  std::uint64_t allocated_bytes = 0;  // that it took of the memory of the session or of its device
  std::string inputs = {};            // the edges that it read: "x, w:1"
  std::vector<node_output> outputs = {};
};

// The RunMetadata message of a step, as TensorBoard shows it beside the graph. A node that ran several times, in a loop, stands in it as often.
std::string run_metadata_of(std::span<const node_call> calls);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/node_call.hpp>
#endif
