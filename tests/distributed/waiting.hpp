#pragma once
// Waits in tests: until a condition is true, or long enough to conclude that it never will be.

#include <flowgraph/distributed/transport.hpp>

#include <chrono>

inline constexpr auto no_limit = std::chrono::nanoseconds::max();

inline bool wait_for(flowgraph::transport& t, flowgraph::function_ref<bool()> is_done) {
  return t.wait(is_done, t.clock().now() + std::chrono::seconds(20));
}
