#pragma once
// The name of a device, in full or in part: what a node asks for, and what a device is called.
//
//     /job:worker/task:17/device:cuda:3    in full
//     /device:cuda:3   /gpu:0   /job:ps    in part: what is left out, or is `*`, may be anything
//
// `/replica:N` is read and dropped. Kinds compare without case, jobs with it.

#include <flowgraph/core/error.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Refers to the text that it was read from.
struct device_name {
  std::string_view job;   // empty: any
  std::string_view kind;  // empty: any
  std::optional<std::uint32_t> task, index;

  bool operator==(const device_name& other) const;
};

// Empty where the text is no name of a device.
std::optional<device_name> parse_device_name(std::string_view text);
// "/job:worker/task:17/device:cuda:3", of the parts that are set.
std::string to_string(const device_name& name);

// Whether a device called `full` is one that `wanted` asks for.
bool allows(const device_name& wanted, const device_name& full);
// What both ask for; empty where one device cannot be both.
std::optional<device_name> merge(const device_name& a, const device_name& b);

namespace detail {
bool is_same_kind(std::string_view a, std::string_view b);
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/device_name.hpp>
#endif
