#pragma once
// What a node costs on a device, and a value on its way to another: from shapes and figures of speed, or as measured.
//
//     fg::cost_model costs;
//     costs.set_speed("/gpu:*", {.operations_per_second = 1e12, .bytes_per_second = 5e11, .seconds_per_call = 5e-6, .threads = 1}).value();
//     costs.probe(devices);  // how fast values get from each to each
//     costs.add(seen);       // measurements of earlier runs, or loaded ones
//
// It owns what it is told; nothing of it refers to graphs, sessions or devices.

#include <flowgraph/graph/node.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/placement/measurements.hpp>

#include <optional>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// How fast a device is. A call takes as long as what it computes or what it reads and writes, whichever is longer, and a time for itself.
struct device_speed {
  double operations_per_second = 4e9;
  double bytes_per_second = 8e9;
  double seconds_per_call = 2e-7;
  std::uint32_t threads = 0;  // of its own, which run its nodes; 0: the session's threads do
};

// How a value gets from one device to another.
struct link_speed {
  double latency = 1e-6;  // seconds
  double bytes_per_second = 8e9;
  bool has_channel = false;  // carried beside the work of both devices; else by the thread that serves the reader
};

// What is taken for a shape or a number that is not known.
struct cost_defaults {
  std::int64_t extent = 32;            // of an axis
  std::int64_t elements = 1024;        // of a tensor of unknown rank
  std::uint64_t bytes_of_string = 32;  // of its text, beside the object
  double iterations = 10;              // of a loop
};

// What calls of nodes cost on devices, and values on the way between them.
class cost_model {
public:
  cost_model() = default;
  explicit cost_model(const cost_defaults& defaults) : defaults_(defaults) {}

  // Devices by their names, in full or in part, "" for all; what is set last holds. Refuses what is no name, and figures that are
  // not finite or, as rates, not above zero.
  result<void> set_speed(std::string_view devices, const device_speed& speed);
  // The way from one device to another, as set_speed names them.
  result<void> set_link(std::string_view from, std::string_view to, const link_speed& speed);
  // Copies a few sizes from the memory of each device to that of each other, and sets their links. Devices without memory for it keep
  // theirs. Takes about 10 ms for each pair.
  void probe(std::span<const device* const> devices);
  // What was measured goes before figures. A node measured on one device tells of others of that kind as it is, of other kinds by the
  // ratio of their figures.
  void add(const measurements& m) { measured_.add(m); }

  // What was set last for it.
  device_speed speed_of(const device_name& device) const;
  // What was set or probed last for the way.
  link_speed link_of(const device_name& from, const device_name& to) const;
  // Of all calls in a run; where it has not been measured, `calls`. Branches and loops themselves, constants, placeholders and what
  // hands its input on take no time.
  double seconds(const node& n, const device_name& on, double calls = 1) const;
  // Of an output.
  std::uint64_t bytes(const node& n, std::uint32_t port) const;
  // Of the variable that a node makes; 0 for other nodes.
  std::uint64_t kept_bytes(const node& n) const;
  // What it takes for shapes and numbers that are not known.
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
  double by_figures(const node& n, const device_speed& speed) const;
  std::optional<double> as_measured(const node& n, const device_name& on) const;

  cost_defaults defaults_;
  std::vector<named_speed> speeds_;
  std::vector<named_link> links_;
  measurements measured_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/cost_model.hpp>
#endif
