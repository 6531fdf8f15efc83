#pragma once
// The kind of device that a constraint asks for.

#include <flowgraph/config.hpp>

#include <algorithm>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Kinds compare without case.
inline bool is_same_kind(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}
// "CUDA" of "/job:a/task:0/device:CUDA:1", "gpu" of the short form "/job:a/gpu:1"; empty when the constraint leaves the kind
// open.
inline std::string_view device_kind(std::string_view constraint) {
  std::string_view kind;
  while (!constraint.empty()) {
    constraint.remove_prefix(1);  // the slash
    const std::string_view part = constraint.substr(0, constraint.find('/'));
    constraint.remove_prefix(part.size());
    const std::string_view key = part.substr(0, part.find(':'));
    if (is_same_kind(key, "cpu") || is_same_kind(key, "gpu")) kind = key;
    if (key != "device" || key.size() == part.size()) continue;
    const std::string_view value = part.substr(key.size() + 1);
    kind = value.substr(0, value.find(':'));
    if (kind == "*") kind = {};
  }
  return kind;
}

}  // namespace detail

}
}  // namespace flowgraph
