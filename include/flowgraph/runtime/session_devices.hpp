#pragma once
// The devices that are passed to a session.

#include <flowgraph/config.hpp>

#include <concepts>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

class device;

namespace detail {
class placement;
struct device_rules;
// The functions of a session that only sessions with several devices need.
FLOWGRAPH_INLINE const device_rules& rules_of_devices();
}  // namespace detail

// A list of devices: a device_list, a vector or an array of `const fg::device*`. Programs that pass no devices do not link the
// functions for several devices.
class session_devices : public std::span<const device* const> {
public:
  session_devices() = default;
  template <class List>
    requires(std::convertible_to<const List&, std::span<const device* const>> && !std::same_as<List, session_devices>)
  session_devices(const List& all) : std::span<const device* const>(all), rules_(&detail::rules_of_devices) {}

private:
  friend class detail::placement;
  // Null if there are no devices.
  const detail::device_rules& (*rules_)() = nullptr;
};

}  // namespace flowgraph
