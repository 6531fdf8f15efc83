#pragma once

#include <flowgraph/core/message.hpp>
#include <flowgraph/formats/fields.hpp>
#include <flowgraph/observe/node_call.hpp>

#include <algorithm>
#include <map>
#include <string_view>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline void put_time(std::string& to, std::uint32_t number, std::int64_t value) {
  put_varint_field(to, number, static_cast<std::uint64_t>(value));
}

// Returns an AllocatorMemoryUsed.
inline std::string memory_message(std::uint64_t bytes) {
  std::string text;
  put_bytes_field(text, 1, "cpu");
  put_varint_field(text, 2, bytes);
  put_varint_field(text, 3, bytes);
  return text;
}

// Returns a NodeOutput: a slot, and the TensorDescription of its value.
inline std::string output_message(std::size_t slot, const node_output& output) {
  std::string shape, description, result;
  for (const std::int64_t extent : output.shape) {
    std::string axis;
    put_varint_field(axis, 1, static_cast<std::uint64_t>(extent));
    put_bytes_field(shape, 2, axis);
  }
  put_varint_field(description, 1, static_cast<std::uint64_t>(output.type));
  put_bytes_field(description, 2, shape);
  put_varint_field(result, 1, slot);
  put_bytes_field(result, 3, description);
  return result;
}

// Returns a NodeExecStats. Times are also given in whole microseconds, and are at least one, because TensorBoard treats zero as a
// mistake.
inline std::string node_message(const node_call& call) {
  const std::int64_t took = std::max<std::int64_t>(call.end - call.start, 0),
                     micros = std::max<std::int64_t>((took + 999) / 1000, 1);
  const std::int64_t ready = call.ready > 0 ? std::min(call.ready, call.start) : call.start;
  std::string text;
  put_bytes_field(text, 1, call.node);
  put_time(text, 2, call.start / 1000);
  put_time(text, 3, 0);
  put_time(text, 4, micros);
  put_time(text, 5, micros);
  if (call.allocated_bytes > 0) put_bytes_field(text, 6, memory_message(call.allocated_bytes));
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    if (call.outputs[i].type != dtype::invalid) put_bytes_field(text, 7, output_message(i, call.outputs[i]));
  put_bytes_field(text, 8, call.op.empty() ? call.node : message{call.node, " = ", call.op, '(', call.inputs, ')'}.string());
  put_time(text, 9, ready / 1000);
  put_time(text, 10, call.thread);
  put_time(text, 13, call.start);
  put_time(text, 15, took);
  put_time(text, 16, took);
  put_time(text, 17, ready);
  return text;
}

}  // namespace detail

FLOWGRAPH_INLINE std::string run_metadata_of(std::span<const node_call> calls) {
  std::map<std::string_view, std::string> devices;  // DeviceStepStats
  for (const node_call& call : calls) {
    auto [at, is_new] = devices.try_emplace(call.device);
    if (is_new) detail::put_bytes_field(at->second, 1, call.device);
    detail::put_bytes_field(at->second, 2, detail::node_message(call));
  }
  std::string steps, result;
  for (const auto& [device, message] : devices) detail::put_bytes_field(steps, 1, message);
  detail::put_bytes_field(result, 1, steps);
  return result;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
