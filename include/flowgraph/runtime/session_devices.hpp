#pragma once
// The devices that a session is given.

#include <flowgraph/config.hpp>

#include <concepts>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class device;

namespace detail {
class placement;
struct device_rules;
// What a session does only where it has several devices.
FLOWGRAPH_INLINE const device_rules& rules_of_devices();
}  // namespace detail

// Any list of devices: a device_list, a vector or an array of `const fg::device*`. A program that gives a session none does not carry
// what a session does with several.
class session_devices : public std::span<const device* const> {
public:
  session_devices() = default;
  template <class List>
    requires(std::convertible_to<const List&, std::span<const device* const>> && !std::same_as<List, session_devices>)
  session_devices(const List& all) : std::span<const device* const>(all), rules_(&detail::rules_of_devices) {}

private:
  friend class detail::placement;
  // Null where there are none.
  const detail::device_rules& (*rules_)() = nullptr;
};

}
}  // namespace flowgraph
