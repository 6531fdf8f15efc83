#pragma once
// Waits as a test does: until something is so, or for long enough to say that it never will be.

#include <flowgraph/distributed/transport.hpp>

#include <chrono>

inline constexpr auto no_limit = std::chrono::nanoseconds::max();

inline bool wait_for(flowgraph::transport& t, flowgraph::function_ref<bool()> is_done) {
  return t.wait(is_done, t.clock().now() + std::chrono::seconds(20));
}
