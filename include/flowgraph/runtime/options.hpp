#pragma once
// How a session and a single run behave.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/fwd.hpp>
#include <flowgraph/op/container.hpp>

#include <chrono>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <stop_token>

namespace flowgraph::inline FLOWGRAPH_ABI {

class device;

struct session_options {
  thread_pool* pool = nullptr;        // null: the calling thread alone; outlives the session
  container* resources = nullptr;     // null: one of the session's own; given, it is shared and outlives the session
  std::pmr::memory_resource* memory = nullptr;  // null: the heap; outlives every tensor that the session makes
  std::size_t memory_limit = 0;       // bytes of tensors alive at a time, 0: none. Beyond it a run ends in an error
  std::span<const device* const> devices = {};  // besides the CPU; copied, the devices outlive the session
  bool dynamic = false;               // always the ready queue, with shapes inferred node by node: for measuring and debugging
};

struct run_options {
  std::stop_token stop = {};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  static run_options within(std::chrono::nanoseconds time) { return {.deadline = std::chrono::steady_clock::now() + time}; }
};

}  // namespace flowgraph
