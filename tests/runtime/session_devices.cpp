#include <flowgraph/runtime/session_devices.hpp>

#include <flowgraph/op/device.hpp>
#include <flowgraph/runtime/options.hpp>
#include <flowgraph/runtime/placement.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

namespace fg = flowgraph;

TEST_CASE("session_devices: any list of devices, and with it what a session does with several") {
  CHECK(fg::session_options{}.devices.empty());
  const fg::device_list cpus = fg::cpu_devices(2);
  const std::vector<const fg::device*> listed{&cpus[1], &cpus[0]};
  const fg::device* const array[] = {&cpus[0]};
  for (const fg::session_devices& given : {fg::session_devices(cpus), fg::session_devices(listed), fg::session_devices(array)}) {
    CHECK(given.front() != nullptr);
    CHECK(&fg::detail::placement(given, false).rules() == &fg::detail::rules_of_devices());
  }
  const fg::session_options options{.devices = listed};
  const fg::session_options copy = options;
  CHECK(copy.devices.size() == 2);
  CHECK(copy.devices[0] == &cpus[1]);
  CHECK(&fg::detail::placement(copy.devices, false).rules() == &fg::detail::rules_of_devices());
  static_assert(!std::is_constructible_v<fg::session_devices, std::vector<int>>);
}
