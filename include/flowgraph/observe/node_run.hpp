#pragma once
// What nodes did in one step, in the form in which TensorBoard shows it beside the graph: RunMetadata.
//
//     const fg::node_run runs[]{{.node = "dense/MatMul", .device = "/device:cpu:0", .begin = 0, .end = 21000, .bytes = 4096}};
//     writer.add_run("step 10", runs, 10).value();

#include <flowgraph/config.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// One run of a kernel. Times are nanoseconds of one clock for all nodes of a step.
struct node_run {
  std::string node, device;
  std::string label = {};           // what a timeline shows; empty: the node's name
  std::int64_t ready = 0;           // when its inputs were there; 0: not known
  std::int64_t begin = 0, end = 0;  // of the kernel
  std::int64_t bytes = 0;           // allocated by it
  std::uint32_t thread = 0;
};

// The RunMetadata message of a step. A node that ran several times, in a loop, stands in it as often.
std::string run_metadata_of(std::span<const node_run> runs);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/node_run.hpp>
#endif
