#pragma once
// Emulated GPUs for sessions.

#include "driver.hpp"

#include <cuda/device/gpu.hpp>

#include <cstdlib>

namespace emulation {

// An emulated GPU, and what its driver counted.
struct emulated {
  std::shared_ptr<state> counts = std::make_shared<state>();
  fg::device_list devices;

  const cuda::gpu& gpu() const { return static_cast<const cuda::gpu&>(devices[0]); }
};

// Opens the driver of a real GPU. gpu/real_driver.cpp sets this function; null: GPUs are emulated.
inline fg::result<std::unique_ptr<cuda::driver>> (*real_driver)(std::shared_ptr<state> counts) = nullptr;

inline fg::result<std::unique_ptr<cuda::driver>> make_driver(std::uint64_t seed, const std::shared_ptr<state>& counts,
                                                             std::size_t bytes = std::size_t{1} << 26) {
  if (real_driver) return real_driver(counts);
  return std::unique_ptr<cuda::driver>(std::make_unique<driver>(seed, counts, bytes));
}

// Returns the options, also synchronous if the environment variable FLOWGRAPH_TEST_SYNCHRONOUS is set: then an error of the GPU names
// the node whose kernel caused it.
inline cuda::memory_options in_environment(cuda::memory_options o = {}) {
  o.synchronous = o.synchronous || std::getenv("FLOWGRAPH_TEST_SYNCHRONOUS") != nullptr;
  return o;
}

// Creates a GPU that runs all nodes for which it has a kernel and that request no other device.
inline fg::result<emulated> try_open(std::uint64_t seed, std::shared_ptr<state> counts, const cuda::memory_options& options = {},
                                     bool libraries = false) {
  emulated made{std::move(counts), {}};
  auto by = make_driver(seed, made.counts);
  if (!by) return by.error();
  auto opened = cuda::make_device("gpu:0", *std::move(by), in_environment(options), libraries);
  if (!opened) return opened.error();
  (*opened)->set_priority(1);
  made.devices.push_back(*std::move(opened));
  return made;
}
inline emulated open(std::uint64_t seed, std::size_t limit = 0) {
  return try_open(seed, std::make_shared<state>(), {.memory_limit = limit}).value();
}

}  // namespace emulation
