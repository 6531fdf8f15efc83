#pragma once
// A GPU for the replay, emulated or real (tests/cuda/gpu). It runs all nodes for which it has a kernel, and counts the nodes that
// ran on the GPU and on the host.

#include "replay.hpp"

#include "../cuda/emulation/devices.hpp"

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/runtime/options.hpp>

#include <set>
#include <string>

namespace conformance {

class emulated_gpu {
public:
  explicit emulated_gpu(unsigned seed);

  const flowgraph::device_list& devices() const { return gpu_->devices; }
  // Returns options that also record which nodes run.
  flowgraph::run_options watched(flowgraph::run_options o) {
    o.trace = &seen_;
    return o;
  }
  // Counts the nodes that ran since the last call. Returns the names of those that ran on the host although the GPU has a kernel.
  std::set<std::string> count(const flowgraph::graph& g, node_places& ran);
  // Returns whether all kernels that ran on the GPU are element-wise, or only move elements.
  bool is_exact() const { return is_exact_; }

private:
  std::shared_ptr<const emulation::emulated> gpu_;
  flowgraph::trace_recorder seen_;
  bool is_exact_ = true;
};

// Returns whether both tensors have the same bits, except for the payload of NaN.
bool has_same_numbers(const flowgraph::any_tensor& a, const flowgraph::any_tensor& b);

}  // namespace conformance
