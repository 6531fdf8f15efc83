#pragma once
// The full or partial name of a device. It names a device, or it is a constraint of a node.
//
//     /job:worker/task:17/device:accel:3    in full
//     /device:accel:3   /cpu:0   /job:ps    in part: parts that are omitted or `*` match anything
//
// `/replica:N` is parsed and ignored. Kinds are compared without regard to case, jobs with regard to case.

#include <flowgraph/core/error.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The parts of a name. They refer to the text that was parsed.
struct device_name {
  std::string_view job;   // empty: any
  std::string_view kind;  // empty: any
  std::optional<std::uint32_t> task, index;

  bool operator==(const device_name& other) const;
};

// Parses the name of a device. Returns an empty optional if the text is not a valid name.
std::optional<device_name> parse_device_name(std::string_view text);
// Returns the name as text, for example "/job:worker/task:17/device:accel:3", with only the parts that are set.
std::string to_string(const device_name& name);

// Returns whether the device with the full name `full` satisfies the constraint `wanted`.
bool allows(const device_name& wanted, const device_name& full);
// Returns a constraint that combines both, or an empty optional if no device can satisfy both.
std::optional<device_name> merge(const device_name& a, const device_name& b);

namespace detail {
bool is_same_kind(std::string_view a, std::string_view b);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/device_name.hpp>
#endif
