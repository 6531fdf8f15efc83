#pragma once
// Estimates the time of nodes on devices and of transfers between devices, from shapes and speeds, or from measurements.
//
//     fg::cost_model costs;
//     costs.set_speed("/accel:*", {.operations_per_second = 1e12, .bytes_per_second = 5e11, .seconds_per_call = 5e-6, .threads = 1}).value();
//     costs.probe(devices);  // measures the speed of transfers between all pairs of devices
//     costs.add(seen);       // measurements of earlier runs, or loaded ones
//
// It copies all data that it is given, and refers to no graphs, sessions or devices.

#include <flowgraph/graph/node.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/placement/measurements.hpp>

#include <optional>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The speed of a device. The time of a call is the longer of its computing time and its memory time, plus seconds_per_call.
struct device_speed {
  double operations_per_second = 4e9;  // computing speed
  double bytes_per_second = 8e9;       // memory speed
  double seconds_per_call = 2e-7;      // overhead of a call
  std::uint32_t threads = 0;           // number of the device's own threads; 0: the session's threads run its nodes
};

// The speed of transfers from one device to another.
struct link_speed {
  double latency = 1e-6;          // seconds
  double bytes_per_second = 8e9;  // transfer speed
  // True: transfers are concurrent with the work of both devices; false: a thread of the reading device copies.
  bool has_channel = false;
};

// The values that are assumed for unknown shapes and counts.
struct cost_defaults {
  std::int64_t extent = 32;            // extent of an unknown axis
  std::int64_t elements = 1024;        // number of elements of a tensor of unknown rank
  std::uint64_t bytes_of_string = 32;  // bytes of the text of a string, in addition to the object
  double iterations = 10;              // number of iterations of a loop
};

// The size of a value that a node reads.
struct sized_value {
  flowgraph::shape shape;   // extents
  std::uint64_t bytes = 0;  // size in bytes
};

// The costs of calls on devices and of transfers between devices.
class cost_model {
public:
  cost_model() = default;
  explicit cost_model(const cost_defaults& defaults) : defaults_(defaults) {}

  // Sets the speed of the devices that match a full or partial name; "" matches all devices. The last setting that matches a
  // device is used. If the name is invalid, a number is not finite or a rate is not positive, returns an error.
  result<void> set_speed(std::string_view devices, const device_speed& speed);
  // Sets the speed of transfers from one device to another. Names are as in set_speed.
  result<void> set_link(std::string_view from, std::string_view to, const link_speed& speed);
  // Measures transfers of a few sizes between the memories of all pairs of devices, and sets the links. Devices without memory
  // for this keep their settings. Takes about 10 ms per pair.
  void probe(std::span<const device* const> devices);
  // Adds measurements, which have priority over computed costs. A measurement on one device is used unchanged for devices of the
  // same kind, and for other kinds scaled by the ratio of their speeds.
  void add(const measurements& m) { measured_.add(m); }

  // Returns the speed that was last set for the device.
  device_speed speed_of(const device_name& device) const;
  // Returns the speed that was last set or probed for the link.
  link_speed link_of(const device_name& from, const device_name& to) const;
  // Returns the time of all calls of a node in a run. `calls` is used if the number was not measured. Branches and loops
  // themselves, constants, placeholders and nodes that only pass on their input take no time.
  double seconds(const node& n, const device_name& on, double calls = 1) const;
  // Returns the time of a node of a plan, for inputs of these sizes.
  double seconds(const call_site& n, std::span<const sized_value> inputs, const device_name& on, double calls = 1) const;
  // Returns the size of an output.
  std::uint64_t bytes(const node& n, std::uint32_t port) const { return bytes(n.name, n.outputs[port], port); }
  // Returns the size of output `port` of the node with this name.
  std::uint64_t bytes(std::string_view node, const output_info& output, std::uint32_t port) const;
  // Returns the size of the variable that a node creates; 0 for other nodes.
  std::uint64_t kept_bytes(const call_site& n) const;
  std::uint64_t kept_bytes(const node& n) const { return kept_bytes(site_of(n)); }
  // Returns the values that are assumed for unknown shapes and counts.
  const cost_defaults& defaults() const noexcept { return defaults_; }

private:
  struct named_speed {
    std::string devices;
    device_speed speed;
  };
  struct named_link {
    std::string from, to;
    link_speed speed;
  };
  shape completed(const shape& s) const;
  std::uint64_t bytes(dtype type, const shape& s) const;
  double by_figures(const call_site& n, std::span<const sized_value> inputs, const device_speed& speed) const;
  std::optional<double> as_measured(const call_site& n, std::span<const sized_value> inputs, const device_name& on) const;

  cost_defaults defaults_;
  std::vector<named_speed> speeds_;
  std::vector<named_link> links_;
  measurements measured_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/cost_model.hpp>
#endif
