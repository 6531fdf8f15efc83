// Support for several devices: linked only into programs that create a device.
#include <flowgraph/op/impl/device.hpp>
#include <flowgraph/runtime/impl/device_rules.hpp>
#include <flowgraph/runtime/impl/grouping.hpp>
#include <flowgraph/runtime/planning/impl/planned_devices.hpp>
#include <flowgraph/runtime/planning/impl/transfers.hpp>
