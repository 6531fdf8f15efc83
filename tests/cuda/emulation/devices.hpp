#pragma once
// Emulated GPUs for sessions.

#include "driver.hpp"

#include <cuda/device/gpu.hpp>

namespace emulation {

// An emulated GPU, and what its driver counted.
struct emulated {
  std::shared_ptr<state> counts = std::make_shared<state>();
  fg::device_list devices;

  const cuda::gpu& gpu() const { return static_cast<const cuda::gpu&>(devices[0]); }
};

// Creates a GPU that runs all nodes for which it has a kernel and that request no other device.
inline fg::result<emulated> try_open(std::uint64_t seed, std::shared_ptr<state> counts,
                                     const cuda::memory_options& options = {}) {
  emulated made{std::move(counts), {}};
  auto opened = cuda::make_device("gpu:0", std::make_unique<driver>(seed, made.counts), options);
  if (!opened) return opened.error();
  (*opened)->set_priority(1);
  made.devices.push_back(*std::move(opened));
  return made;
}
inline emulated open(std::uint64_t seed, std::size_t limit = 0) {
  return try_open(seed, std::make_shared<state>(), {.memory_limit = limit}).value();
}

}  // namespace emulation
